"""Iterating in a background thread, some items ahead of who uses them: what buffered readers are made of."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

_END = object()


class _Raised:
    """An exception on its way to the thread that takes the items."""

    def __init__(self, error: BaseException):
        self.error = error


def iterate_ahead(source: Callable[[], Iterable[Any]], size: int) -> Iterator[Any]:
    """The items of `source()`, which a thread of its own takes up to `size` ahead.

    What the source raises is raised here, behind the items before it. When this generator is closed, by leaving its
    loop for instance, the source is closed too, and the thread is at its end.
    """
    items: queue.Queue[Any] = queue.Queue(size)
    stopped = threading.Event()
    thread = threading.Thread(target=_fill, args=(source, items, stopped), daemon=True, name="proa reader")
    thread.start()
    try:
        while (item := items.get()) is not _END:
            if isinstance(item, _Raised):
                raise item.error
            yield item
    finally:
        stopped.set()
        while thread.is_alive():
            _empty(items)  # the thread may wait for room
            thread.join(0.01)


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
