"""The DataLoader: what its arguments mean, and the iterators it hands out."""

from __future__ import annotations

import itertools
import multiprocessing
import numbers
import os
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...core import nest
from ...core.place import Place
from ...static.run.lod_tensor import LoDTensor
from .. import checks, randomness
from ..batch_sampler import BatchSampler
from ..checks import WHERE, require_bool, require_callable, require_positive_int
from ..dataset import IterableDataset
from ..sampler import RandomSampler, SequenceSampler
from .collate import default_collate_fn, default_convert_fn, to_tensors
from .dataloader_iter import _DatasetKind
from .fetch import Reading
from .iterator import Watched, WorkerIterator, read_here
from .pool import WorkerPool, start_method
from .worker import WorkerSetup


class DataLoader:
    """The batches of a dataset as Tensors, read in this process or ahead of time by worker processes.

    - `dataset`: anything with `__getitem__` and `__len__`, or an IterableDataset.
    - `batch_size`, `shuffle`, `drop_last`, or a `batch_sampler` that yields lists of indices. With `batch_size=None`
      nothing is batched: each sample is given as it is, with Tensors for its arrays.
    - `collate_fn` makes a batch of a list of samples: by default `default_collate_fn`. What it returns is kept in its
      structure (lists for sequences, dicts), with Tensors for NumPy arrays; numbers and text stay what they are.
    - `places`: the place of the Tensors; by default the one in use. With a `feed_list` it may be several: what is given
      is then a list of a batch for each, and what is left at the end, too few for all, is left out.
    - `num_workers`: processes that read ahead, `prefetch_factor` batches each; 0 reads here, when asked. The order of
      batches is the same. A worker's dataset is a copy; it may make Tensors on the CPU, and must touch no device.
      Arrays come in memory shared with the worker, where Tensors use them as they lie, or with
      `use_shared_memory=False` through a pipe.
    - `timeout`: the seconds to wait for a batch of the workers; 0 waits without limit.
    - `worker_init_fn(worker_id)` is called in each worker before it reads.
    - `persistent_workers` keeps the workers between epochs. An iterator that starts while another one is using them
      gets workers of its own.
    - `feed_list` with `return_list=False`: each batch is `[{name: LoDTensor}]`, as an Executor takes it, the names
      being those of the variables in `feed_list`.
    - `use_buffer_reader` is accepted and changes nothing: reading ahead is what workers are for.

    Python's, NumPy's and Paddle's generators are seeded differently in each worker when it is started, from a number
    drawn from NumPy's global state here: `np.random.seed` repeats all of it, as in Paddle. Workers are forked on Linux,
    unless `multiprocessing.set_start_method` says otherwise; elsewhere the dataset must be picklable, and the
    script's loop stand under `if __name__ == "__main__":`.

    Raises ValueError or TypeError for arguments that make no sense together. While iterating: what the dataset raises,
    also in a worker, whose traceback is shown as the cause; RuntimeError for a worker that dies; TimeoutError.
    `paddle.io.DataLoader`.

    >>> import proa as paddle
    >>> class Squares(paddle.io.Dataset):
    ...     def __getitem__(self, index):
    ...         return index, index * index
    ...     def __len__(self):
    ...         return 3
    >>> [[t.tolist() for t in batch] for batch in paddle.io.DataLoader(Squares(), batch_size=2)]
    [[[0, 1], [0, 1]], [[2], [4]]]
    """

    def __init__(self, dataset: Any, feed_list: Sequence[Any] | None = None, places: Any = None,
                 return_list: bool = True, batch_sampler: Any = None, batch_size: int | None = 1, shuffle: bool = False,
                 drop_last: bool = False, collate_fn: Callable[[Any], Any] | None = None, num_workers: int = 0,
                 use_buffer_reader: bool = True, prefetch_factor: int = 2, use_shared_memory: bool = True,
                 timeout: float = 0, worker_init_fn: Callable[[int], Any] | None = None,
                 persistent_workers: bool = False):
        self.dataset = dataset
        self.feed_list = feed_list
        self.places = places
        self.return_list = return_list
        self.drop_last = require_bool(WHERE, "drop_last", drop_last)
        self.use_buffer_reader = use_buffer_reader
        self.use_shared_memory = use_shared_memory
        self.num_workers = checks.number("num_workers", num_workers, numbers.Integral)
        self.prefetch_factor = require_positive_int(WHERE, "prefetch_factor", prefetch_factor)
        self.timeout = checks.number("timeout", timeout, numbers.Real)
        require_callable(WHERE, "collate_fn", collate_fn)
        require_callable(WHERE, "worker_init_fn", worker_init_fn)
        self.worker_init_fn = worker_init_fn
        self._places = checks.places_of(places, bool(feed_list))
        self._iterable = isinstance(dataset, IterableDataset)
        self._set_batches(batch_sampler, batch_size, require_bool(WHERE, "shuffle", shuffle))
        self._fresh = collate_fn is None and self._batched
        self.collate_fn = collate_fn or (default_collate_fn if self._batched else default_convert_fn)
        self._persistent_workers = require_bool(WHERE, "persistent_workers", persistent_workers)
        self._pool: WorkerPool | None = None
        self._pool_user: Callable[[], WorkerIterator | None] = lambda: None

    @staticmethod
    def from_generator(feed_list: Sequence[Any] | None = None, capacity: int | None = None,
                       use_double_buffer: bool = True, iterable: bool = True, return_list: bool = False,
                       use_multiprocess: bool = False, drop_last: bool = True) -> Any:
        """A loader of what generators give: for Programs with a `feed_list`, for eager code without one.

        See GeneratorLoader and TensorListLoader.

        >>> import numpy as np, proa as paddle
        >>> loader = paddle.io.DataLoader.from_generator(capacity=4)
        >>> loader = loader.set_batch_generator(lambda: ([np.full(2, n), np.array([n])] for n in range(2)))
        >>> [[t.tolist() for t in batch] for batch in loader()]
        [[[0, 0], [0]], [[1, 1], [1]]]
        """
        from .feeding.from_generator import from_generator  # brings Programs, which workers go without

        return from_generator(feed_list, capacity, use_double_buffer, iterable, return_list, use_multiprocess,
                              drop_last)

    @staticmethod
    def from_dataset(dataset: Any, places: Any, drop_last: bool = True) -> Any:
        """A loader of the batches of a dataset of text files: `paddle.distributed.QueueDataset`. See DatasetLoader."""
        from ..multi_slot.dataset import DatasetLoader  # as above

        return DatasetLoader(dataset, places, drop_last)

    def _set_batches(self, batch_sampler: Any, batch_size: int | None, shuffle: bool) -> None:
        """Decides where the indices of the batches come from."""
        if self._iterable:
            checks.check_stream(batch_sampler, shuffle)
        self.batch_sampler, self.batch_size = batch_sampler, None
        self._batched = batch_sampler is not None or batch_size is not None
        self._indices: Any = batch_sampler
        if batch_sampler is not None:
            checks.check_unset(batch_size, shuffle, self.drop_last)
            return
        if batch_size is not None:
            self.batch_size = require_positive_int(WHERE, "batch_size", batch_size)
        if self._iterable:
            self._indices = itertools.repeat(None)
        elif batch_size is None:
            self._indices = RandomSampler(self.dataset) if shuffle else SequenceSampler(self.dataset)
        else:
            self._indices = self.batch_sampler = BatchSampler(
                self.dataset, shuffle=shuffle, batch_size=batch_size, drop_last=self.drop_last)

    @property
    def dataset_kind(self) -> int:
        """Whether the dataset is read by index (0) or is a stream of samples, an IterableDataset (1)."""
        return _DatasetKind.ITER if self._iterable else _DatasetKind.MAP

    @property
    def auto_collate_batch(self) -> bool:
        """Whether samples are put together to batches: False with `batch_size=None`."""
        return self._batched

    def __len__(self) -> int:
        """The number of batches; TypeError for an IterableDataset, which does not know."""
        if self._iterable:
            raise TypeError("len(DataLoader): an IterableDataset does not know its length. Count while iterating.")
        return len(self._indices)

    def __iter__(self) -> Iterator[Any]:
        """Begins an epoch: an iterator over its batches."""
        places = itertools.cycle(self._places)
        if self.num_workers:
            return Watched(self._grouped(map(self._received, self._iterate_workers(), places)), self)
        here = read_here(self._reading(), iter(self._indices))
        return Watched(self._grouped(map(self._read, here, places)), self)

    def __call__(self) -> Iterator[Any]:
        """As `iter(loader)`."""
        return iter(self)

    def _reading(self) -> Reading:
        return Reading(self.dataset, self.collate_fn, self._iterable, self._batched, self.batch_size, self.drop_last)

    def _received(self, batch: Any, place: Place | None) -> Any:
        return self._named(to_tensors(batch, place, owned=True))

    def _read(self, batch: Any, place: Place | None) -> Any:
        return self._named(to_tensors(batch, place, owned=self._fresh))

    def _grouped(self, batches: Iterator[Any]) -> Iterator[Any]:
        """The batches; of several places, one for each at a time."""
        if len(self._places) == 1:
            return batches
        groups = zip(*[batches] * len(self._places), strict=False)
        return map(list, groups if self.return_list else map(itertools.chain.from_iterable, groups))

    def _named(self, batch: Any) -> Any:
        """The batch in the form that an Executor takes, where the user asked for that."""
        if self.return_list or not self.feed_list:
            return batch
        names = [variable.name for variable in self.feed_list]
        values = nest.flatten(batch)
        if len(values) != len(names):
            raise ValueError(
                f"{WHERE}: feed_list must have one variable for each field of a batch. Received {names} for "
                f"{len(values)} fields."
            )
        return [{name: LoDTensor(value._array, name=name) for name, value in zip(names, values, strict=True)}]

    def _new_pool(self) -> WorkerPool:
        method = start_method()
        setup = WorkerSetup(self._reading(), int(self.num_workers), randomness.draw_base_seed(), self.worker_init_fn,
                            bool(self.use_shared_memory), os.getpid(), method == "fork")
        return WorkerPool(setup, multiprocessing.get_context(method))

    def _lasting_pool(self) -> WorkerPool:
        if self._pool is None or not self._pool.usable:
            self._pool = self._new_pool()
        return self._pool

    def _iterate_workers(self) -> WorkerIterator:
        user = self._pool_user()
        lasting = self._persistent_workers and (user is None or user.finished)
        pool = self._lasting_pool() if lasting else self._new_pool()
        pool.begin()
        iterator = WorkerIterator(pool, int(self.num_workers), iter(self._indices), self.prefetch_factor,
                                  self.timeout or None, close_pool=not lasting)
        if lasting:
            self._pool_user = weakref.ref(iterator)
        return iterator
