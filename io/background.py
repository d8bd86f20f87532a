"""Iterating in a background thread, some items ahead of who uses them: what buffered readers are made of."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

_END = object()


class _Raised:
    """An exception on its way to the thread that takes the items."""

    def __init__(self, error: BaseException):
        self.error = error


class ReadAhead:
    """The items of `source()`, which a thread of its own takes up to `size` ahead, from now on.

    What the source raises is raised where the items are taken, behind the items before it. `close()`, or forgetting
    this object, closes the source and ends the thread, which no later item is waited for then but the one under way.
    """

    def __init__(self, source: Callable[[], Iterable[Any]], size: int):
        self._items: queue.Queue[Any] = queue.Queue(size)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=_fill, args=(source, self._items, self._stopped), daemon=True,
                                        name="proa reader")
        self._ended = False
        self._thread.start()  # it knows nothing of this object, which can so be forgotten

    def __iter__(self) -> ReadAhead:
        return self

    def __next__(self) -> Any:
        if self._ended:
            raise StopIteration
        item = self._items.get()
        if item is _END:
            self.close()
            raise StopIteration
        if isinstance(item, _Raised):
            self.close()
            if isinstance(item.error, StopIteration):  # which would end the loop without a word
                raise RuntimeError("A reader raised StopIteration: to end a generator, return from it.") from item.error
            raise item.error
        return item

    def close(self) -> None:
        """Ends the thread."""
        self._ended = True
        self._stopped.set()
        while self._thread.is_alive():
            _empty(self._items)  # the thread may wait for room
            self._thread.join(0.01)

    def __del__(self) -> None:
        if hasattr(self, "_thread"):
            self.close()


def iterate_ahead(source: Callable[[], Iterable[Any]], size: int) -> Iterator[Any]:
    """The items of `source()`, which a thread of its own takes up to `size` ahead, once the first is asked for.

    What the source raises is raised here, behind the items before it. When this generator is closed, by leaving its
    loop for instance, the source is closed too, and the thread is at its end.
    """
    with contextlib.closing(ReadAhead(source, size)) as items:
        yield from items


def _fill(source: Callable[[], Iterable[Any]], items: queue.Queue[Any], stopped: threading.Event) -> None:
    try:
        iterator = iter(source())
        for item in iterator:
            items.put(item)
            if stopped.is_set():
                break
        if stopped.is_set() and hasattr(iterator, "close"):
            iterator.close()
    except BaseException as error:  # it is raised where the items are taken
        items.put(_Raised(error))
    else:
        items.put(_END)


def _empty(items: queue.Queue[Any]) -> None:
    try:
        while True:
            items.get_nowait()
    except queue.Empty:
        return
