"""`fluid.reader`: what gives batches to Programs and to eager code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.lazy import listed
from ..io.dataloader import loader
from ..io.dataloader.collate import default_collate_fn
from ..io.dataloader.feeding import from_generator
from ..io.dataloader.feeding.from_generator import GeneratorLoader
from ..io.dataloader.feeding.tensor_lists import TensorListLoader
from ..io.reader import (  # noqa: F401 - packages of Paddle 2.0 to 2.4 take them from here
    BatchSampler,
    IterableDataset,
    _convert_places,
    _current_expected_place,
    _DatasetKind,
    _get_paddle_place,
    _get_paddle_place_list,
    _InfiniteIterableSampler,
    use_pinned_memory,
)
from .mode import computing


def _check(where: str, feed_list: Any) -> None:
    if not feed_list and not computing():
        raise ValueError(f"{where}(feed_list): the Variables that a batch fills. Received {feed_list!r}. Without them "
                         "a reader is for eager code: within `fluid.dygraph.guard()`.")


class DataLoader(loader.DataLoader):
    """As `paddle.io.DataLoader`, with 1.x's default: batches are dicts, as an Executor takes them, of `feed_list`.

    >>> import numpy as np, proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program()):
    ...     x = fluid.data("x", [None, 2])
    >>> loader = fluid.io.DataLoader.from_generator([x], capacity=2)
    >>> _ = loader.set_batch_generator(lambda: iter([[np.zeros([3, 2], "float32")]]), fluid.CPUPlace())
    >>> [data[0]["x"].shape() for data in loader()]
    [[3, 2]]
    """

    def __init__(self, dataset: Any, feed_list: Sequence[Any] | None = None, places: Any = None,
                 return_list: bool = False, batch_sampler: Any = None, batch_size: int | None = 1,
                 shuffle: bool = False, drop_last: bool = False, collate_fn: Callable[[Any], Any] | None = None,
                 num_workers: int = 0, use_buffer_reader: bool = True, use_shared_memory: bool = True,
                 timeout: float = 0, worker_init_fn: Callable[[int], Any] | None = None):
        super().__init__(dataset, feed_list, places, return_list, batch_sampler, batch_size, shuffle, drop_last,
                         collate_fn, num_workers, use_buffer_reader, use_shared_memory=use_shared_memory,
                         timeout=timeout, worker_init_fn=worker_init_fn)

    @staticmethod
    def from_generator(feed_list: Sequence[Any] | None = None, capacity: int | None = None,
                       use_double_buffer: bool = True, iterable: bool = True, return_list: bool = False,
                       use_multiprocess: bool = False, drop_last: bool = True) -> GeneratorLoader | TensorListLoader:
        """A loader of what generators give: for Programs with a `feed_list`, within `dygraph.guard()` without one.

        >>> import numpy as np
        >>> import proa.fluid as fluid
        >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
        ...     x = fluid.data("x", [None, 2])
        ...     loader = fluid.io.DataLoader.from_generator(feed_list=[x], capacity=4)
        >>> batch = [(np.ones(2, "float32"),)] * 3
        >>> _ = loader.set_sample_list_generator(lambda: iter([batch]), places=fluid.CPUPlace())
        >>> [np.array(feed["x"]).shape for batch in loader() for feed in batch]
        [(3, 2)]
        """
        _check("DataLoader.from_generator", feed_list)
        return from_generator.from_generator(feed_list, capacity, use_double_buffer, iterable, return_list,
                                             use_multiprocess, drop_last)


class PyReader(from_generator.PyReader):
    """A DataLoader of a generator, by 1.x's older names: `decorate_batch_generator` and the like.

    >>> import numpy as np, proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program()):
    ...     x = fluid.data("x", [None, 2])
    ...     reader = fluid.io.PyReader([x], capacity=2)
    >>> reader.decorate_sample_generator(lambda: iter([([1, 2],), ([3, 4],)]), 2, places=fluid.CPUPlace())
    >>> [data[0]["x"].shape() for data in reader()]
    [[2, 2]]
    """

    def __init__(self, feed_list: Sequence[Any] | None = None, capacity: int | None = None,
                 use_double_buffer: bool = True, iterable: bool = True, return_list: bool = False):
        _check("PyReader", feed_list)
        super().__init__(feed_list, capacity, use_double_buffer, iterable, return_list)


__all__ = ["DataLoader", "PyReader", "default_collate_fn"]
__dir__ = listed(__name__)
