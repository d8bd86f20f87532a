"""Readers made of readers: mapped, shuffled, chained, composed, buffered, read by threads and processes.

A reader is a function without parameters whose result can be iterated, once through the data.
"""

from __future__ import annotations

import itertools
import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

from ..io.background import iterate_ahead
from ..io.dataloader.reading_processes import iterate_in_processes

Reader = Callable[[], Iterable[Any]]

_ENDED = object()


class ComposeNotAligned(ValueError):
    """The readers that `compose` puts side by side have not as many samples each.

    >>> import proa as paddle
    >>> pairs = paddle.reader.compose(lambda: iter([1, 2]), lambda: iter([3]))
    >>> try:
    ...     list(pairs())
    ... except paddle.reader.ComposeNotAligned as error:
    ...     print(type(error).__name__)
    ComposeNotAligned
    """


def cache(reader: Reader) -> Reader:
    """A reader that keeps in memory what `reader` gives, which it reads now, once.

    >>> from proa import reader
    >>> kept = reader.cache(lambda: iter(range(3)))
    >>> list(kept()), list(kept())
    ([0, 1, 2], [0, 1, 2])
    """
    samples = tuple(reader())
    return lambda: iter(samples)


def map_readers(func: Callable[..., Any], *readers: Reader) -> Reader:
    """A reader of what `func` makes of one sample of each reader; it ends with the shortest.

    >>> from proa import reader
    >>> list(reader.map_readers(lambda a, b: a * b, lambda: range(3), lambda: range(10, 20))())
    [0, 11, 24]
    """
    return lambda: map(func, *(reader() for reader in readers))


def shuffle(reader: Reader, buf_size: int) -> Reader:
    """A reader that takes `buf_size` samples at a time and gives them in an order of Python's `random`.

    >>> import random
    >>> from proa import reader
    >>> random.seed(3)
    >>> list(reader.shuffle(lambda: range(10), 4)())
    [3, 0, 2, 1, 4, 5, 7, 6, 9, 8]
    """
    def shuffled() -> Iterator[Any]:
        samples = iter(reader())
        while buffer := list(itertools.islice(samples, buf_size)):
            random.shuffle(buffer)
            yield from buffer

    return shuffled


def chain(*readers: Reader) -> Reader:
    """A reader of the samples of one reader after the other's.

    >>> from proa import reader
    >>> list(reader.chain(lambda: range(2), lambda: range(3))())
    [0, 1, 0, 1, 2]
    """
    return lambda: itertools.chain(*(reader() for reader in readers))


def compose(*readers: Reader, check_alignment: bool = True) -> Reader:
    """A reader of tuples: of one sample of each reader, side by side; samples that are tuples are laid out flat.

    Without `check_alignment` it ends with the shortest; with it, readers that are not equally long raise
    ComposeNotAligned.

    >>> from proa import reader
    >>> list(reader.compose(lambda: range(2), lambda: iter([(5, 6), (7, 8)]))())
    [(0, 5, 6), (1, 7, 8)]
    """
    def composed() -> Iterator[tuple[Any, ...]]:
        samples = [iter(reader()) for reader in readers]
        if not check_alignment:
            yield from map(_flat, zip(*samples, strict=False))
            return
        for row in itertools.zip_longest(*samples, fillvalue=_ENDED):
            if any(sample is _ENDED for sample in row):
                ended = [number for number, sample in enumerate(row) if sample is _ENDED]
                raise ComposeNotAligned(f"compose: reader {ended[0]} has fewer samples than others of the "
                                        f"{len(readers)}. With check_alignment=False it ends with the shortest.")
            yield _flat(row)

    return composed


def _flat(row: Iterable[Any]) -> tuple:
    return tuple(part for sample in row for part in (sample if isinstance(sample, tuple) else (sample,)))


def buffered(reader: Reader, size: int) -> Reader:
    """A reader of the same samples, which a background thread reads up to `size` ahead.

    What `reader` raises is raised where the samples are taken; leaving the loop ends the thread.

    >>> from proa import reader
    >>> list(reader.buffered(lambda: range(5), 2)())
    [0, 1, 2, 3, 4]
    """
    return lambda: iterate_ahead(reader, size)


def firstn(reader: Reader, n: int) -> Reader:
    """A reader of the first `n` samples.

    >>> from proa import reader
    >>> list(reader.firstn(lambda: range(5), 2)())
    [0, 1]
    """
    return lambda: itertools.islice(reader(), n)


def xmap_readers(mapper: Callable[[Any], Any], reader: Reader, process_num: int, buffer_size: int,
                 order: bool = False) -> Reader:
    """A reader of `mapper(sample)`, computed by `process_num` threads, up to `buffer_size` samples ahead.

    With `order` the results come in the order of the samples, otherwise as they are ready. What `mapper` or `reader`
    raises is raised where the results are taken.

    >>> from proa import reader
    >>> list(reader.xmap_readers(lambda x: x * x, lambda: range(5), 2, 4, order=True)())
    [0, 1, 4, 9, 16]
    """
    def mapped() -> Iterator[Any]:
        samples = iter(reader())
        pending: deque[Future] = deque()
        with ThreadPoolExecutor(process_num, "proa reader") as threads:
            try:
                while True:
                    missing = max(1, buffer_size) - len(pending)
                    pending.extend(threads.submit(mapper, s) for s in itertools.islice(samples, missing))
                    if not pending:
                        return
                    ready = pending[0] if order else _first_ready(pending)
                    pending.remove(ready)
                    yield ready.result()
            finally:
                threads.shutdown(wait=False, cancel_futures=True)

    return mapped


def _first_ready(pending: Iterable[Future]) -> Future:
    done = wait(pending, return_when=FIRST_COMPLETED).done
    return next(future for future in pending if future in done)


def multiprocess_reader(readers: Sequence[Reader], use_pipe: bool = True, queue_size: int = 1000) -> Reader:
    """A reader of the samples of several readers, each read by a process of its own, as they come.

    Samples travel through a pipe for each process, which holds as much as the system gives it: `use_pipe` and
    `queue_size` change nothing. A sample of None is an error (ValueError), as in Paddle. What a reader raises is raised
    where the samples are taken, with the process's traceback; leaving the loop ends the processes.

    >>> from proa import reader
    >>> sorted(reader.multiprocess_reader([lambda: range(2), lambda: range(3)])())
    [0, 0, 1, 1, 2]
    """
    if not isinstance(readers, (list, tuple)) or not readers:
        raise TypeError(f"multiprocess_reader(readers): must be a list or tuple of at least one reader. "
                        f"Received {readers!r}.")
    return lambda: iterate_in_processes([_Checked(reader) for reader in readers], "multiprocess_reader: process")


class _Checked:
    """A reader whose samples must not be None."""

    def __init__(self, reader: Reader):
        self.reader = reader

    def __call__(self) -> Iterator[Any]:
        for sample in self.reader():
            if sample is None:
                raise ValueError("multiprocess_reader: a reader gave None as a sample.")
            yield sample
