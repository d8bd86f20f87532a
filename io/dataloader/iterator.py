"""Iterating over a DataLoader's batches, read in this process or by workers."""

from __future__ import annotations

import collections
import time
from collections.abc import Callable, Iterator, Sized
from typing import Any

from ...ops.core.trace import state
from .fetch import END, Reading, make_fetcher
from .pool import WorkerPool


def read_here(reading: Reading, indices: Iterator[Any]) -> Iterator[Any]:
    """The batches, each read in this process when it is asked for."""
    fetcher = make_fetcher(reading)
    for batch_indices in indices:
        batch = fetcher.fetch(batch_indices)
        if batch is END:
            return
        yield batch


class Watched:
    """The batches; whoever observes the thread is told how long each was waited for."""

    def __init__(self, batches: Iterator[Any], loader: Sized):
        self._batches, self._loader = batches, loader

    def __len__(self) -> int:
        return len(self._loader)

    def __iter__(self) -> Watched:
        return self

    def __next__(self) -> Any:
        observer = state.observer
        if observer is None:
            return next(self._batches)
        begin = time.perf_counter()
        batch = next(self._batches)
        observer.batch_read(begin, time.perf_counter())
        return batch

    def next(self) -> Any:
        """The next batch, as code of before PaddlePaddle 2.5 asks for it."""
        return self.__next__()


class WorkerIterator:
    """The batches, read ahead by workers, in the order of their indices; a stream's workers take turns.

    `close_pool` says to end the workers after the last batch; after an error they are ended in any case.
    """

    def __init__(self, pool: WorkerPool, num_workers: int, indices: Iterator[Any], prefetch: int,
                 timeout: float | None, close_pool: bool):
        self._pool = pool
        self._indices = indices
        self._timeout = timeout
        self._close_pool = close_pool
        self.finished = False  # True when there is no further batch
        self._expected: collections.deque[int] = collections.deque()  # the worker of each batch that was asked for
        self._guarded(self._fill, num_workers, prefetch)

    def _guarded(self, step: Callable[..., Any], *args: Any) -> Any:
        """Runs a step; when it raises, an interruption included, the pool's connections are in no known state."""
        try:
            return step(*args)
        except BaseException:
            self.finished = True
            self._pool.close()
            raise

    def _fill(self, num_workers: int, prefetch: int) -> None:
        first = self._pool.turn
        for number in range(prefetch * num_workers):
            self._request((first + number) % num_workers)

    def _request(self, worker_id: int) -> None:
        for indices in self._indices:
            self._pool.request(worker_id, indices)
            self._expected.append(worker_id)
            return

    def _receive(self) -> Any:
        """The next batch, or END."""
        while self._expected:
            worker_id = self._expected.popleft()
            kind, content = self._pool.receive(worker_id, self._timeout)
            if kind == "failure":
                raise content.exception()
            if kind == "batch":
                self._request(worker_id)
                return content
        return END

    def __iter__(self) -> WorkerIterator:
        return self

    def __next__(self) -> Any:
        if self.finished:
            raise StopIteration
        batch = self._guarded(self._receive)
        if batch is END:
            self.finished = True
            if self._close_pool:
                self._pool.close()
            raise StopIteration
        return batch
