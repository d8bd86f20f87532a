"""DataLoader: that of `proa.io`, which makes batches of this face's tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .... import io
from ....io.dataloader.collate import default_collate_fn, map_leaves, to_tensors
from ....ops.array.full import is_value
from ...charge import flow_in_charge, flowing
from .sampler import BatchSampler, RandomSampler, SequentialSampler

get_worker_info = io.get_worker_info


def _array(leaf: Any) -> Any:
    return leaf.numpy() if is_value(leaf) else leaf


def collate_arrays(batch: list[Any]) -> Any:
    """Samples as a batch of arrays: what a worker process does."""
    return default_collate_fn([map_leaves(_array, sample) for sample in batch])


@flowing
def default_collate(batch: list[Any]) -> Any:
    """Samples of one structure as a batch of tensors.

    >>> import proa.oneflow as flow
    >>> flow.utils.data.default_collate([1, 2]).tolist()
    [1, 2]
    """
    return to_tensors(collate_arrays(batch), None, owned=True)


def _as_it_is(sample: Any) -> Any:
    return map_leaves(_array, sample)


class DataLoader:
    """Batches of a data set, read here or by worker processes.

    >>> import proa.oneflow as flow
    >>> data = flow.utils.data.TensorDataset(flow.arange(4.0).reshape(4, 1), flow.arange(4))
    >>> [y.tolist() for x, y in flow.utils.data.DataLoader(data, batch_size=3)]
    [[0, 1, 2], [3]]
    """

    def __init__(self, dataset: Any, batch_size: int | None = 1, shuffle: bool = False, sampler: Any = None,
                 batch_sampler: Any = None, num_workers: int = 0, collate_fn: Callable[[Any], Any] | None = None,
                 drop_last: bool = False, timeout: float = 0,
                 worker_init_fn: Callable[[int], Any] | None = None, multiprocessing_context: Any = None,
                 generator: Any = None, *, prefetch_factor: int = 2, persistent_workers: bool = False,
                 pin_memory: bool = False):
        if sampler is not None and shuffle:
            raise ValueError("DataLoader(sampler, shuffle): a sampler says the order. Give one of both.")
        if batch_sampler is not None and (batch_size not in (None, 1) or shuffle or sampler is not None or drop_last):
            raise ValueError("DataLoader(batch_sampler): it says what batches hold. Leave batch_size, shuffle, sampler "
                             "and drop_last out.")
        self.dataset, self.num_workers, self.drop_last = dataset, num_workers, drop_last
        streams = isinstance(dataset, io.IterableDataset)
        if streams and (shuffle or sampler is not None or batch_sampler is not None):
            raise ValueError("DataLoader(dataset): an IterableDataset says the order itself. Leave shuffle, sampler "
                             "and batch_sampler out.")
        given: dict[str, Any] = {"num_workers": num_workers, "timeout": timeout, "worker_init_fn": worker_init_fn,
                                 "persistent_workers": persistent_workers, "prefetch_factor": prefetch_factor or 2}
        if streams:
            self.sampler, self.batch_sampler, self.batch_size = None, None, batch_size
            given |= {"batch_size": batch_size, "drop_last": drop_last}
        else:
            self.sampler = sampler or (RandomSampler(dataset, generator=generator) if shuffle else
                                       SequentialSampler(dataset))
            self.batch_size = None if batch_sampler is not None else batch_size
            if batch_sampler is None and batch_size is not None:
                batch_sampler = BatchSampler(self.sampler, batch_size, drop_last)
            self.batch_sampler = batch_sampler
            given |= {"batch_sampler": batch_sampler} if batch_sampler is not None else {"batch_size": None}
        batched = batch_sampler is not None or streams and batch_size is not None
        self.collate_fn = collate_fn or (default_collate if batched else _as_it_is)
        self._loader = io.DataLoader(dataset, collate_fn=collate_fn or (collate_arrays if batched else _as_it_is),
                                     **given)
        if not streams and not batched:
            self._loader._indices = self.sampler

    def __len__(self) -> int:
        return len(self._loader)

    def __iter__(self) -> Iterator[Any]:
        with flow_in_charge():
            batches = iter(self._loader)
        while True:
            with flow_in_charge():
                try:
                    batch = next(batches)
                except StopIteration:
                    return
            yield batch


__all__ = ["DataLoader", "collate_arrays", "default_collate", "get_worker_info"]
