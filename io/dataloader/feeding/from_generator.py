"""GeneratorLoader: a user's generators as batches for the runs of a Program; PyReader, its older name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ....core.place import Place
from ....static.building.mode import default_main_program
from ....static.ir.variable import Variable
from ....static.run.places import as_places
from ...background import ReadAhead
from .epochs import EpochReader
from .generators import Reader, as_lod_tensors, fed_by_samples, groups, in_batches, require_reader
from .program_readers import read_by
from .tensor_lists import TensorListLoader


def from_generator(feed_list: Sequence[Variable] | None = None, capacity: int | None = None,
                   use_double_buffer: bool = True, iterable: bool = True, return_list: bool = False,
                   use_multiprocess: bool = False, drop_last: bool = True) -> GeneratorLoader | TensorListLoader:
    """A loader of what generators give: for Programs with a `feed_list`, for eager code without one."""
    if feed_list is None:
        return TensorListLoader(capacity, use_multiprocess)
    return GeneratorLoader(feed_list, capacity, use_double_buffer, iterable, return_list, drop_last)


class GeneratorLoader:
    """Batches of a user's generator for a Program, read up to `capacity` ahead by a background thread.

    - `feed_list`: the Variables that a batch fills.
    - `iterable`: the loader is iterated, and what it gives goes to `Executor.run(feed=…)`: for each of the `places` a
      dict of LoD tensors by name, in a list; with `return_list` lists of them in the order of `feed_list`.
      Otherwise the runs of the Program take their batches themselves: between `start()` and `reset()`, till
      `Executor.run` raises EOFException.
    - `drop_last`: batches that are left over at the end, too few for all places, are left out.
    - `use_double_buffer` stands in the Program; reading ahead, conversion and bringing to the place are done by the
      background thread in any case.

    What the generator raises is raised where the batch is taken, with the generator's own traceback. Leaving a loop
    half-way, or `reset()`, ends the thread.

    >>> import numpy as np, proa as paddle
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data("x", [None, 2]); total = x.sum()
    ...     loader = paddle.io.DataLoader.from_generator([x], capacity=2, iterable=False)
    >>> loader = loader.set_sample_generator(lambda: ((np.full(2, n, "float32"),) for n in range(4)), batch_size=2)
    >>> exe = paddle.static.Executor(paddle.CPUPlace())
    >>> loader.start(); [float(exe.run(main, fetch_list=[total])[0]) for _ in range(2)]
    [2.0, 10.0]
    >>> loader.reset()
    """

    def __init__(self, feed_list: Sequence[Variable], capacity: int | None = None, use_double_buffer: bool = True,
                 iterable: bool = True, return_list: bool = False, drop_last: bool = True):
        where = "DataLoader.from_generator"
        self._variables = list(feed_list)
        if not self._variables or not all(isinstance(v, Variable) for v in self._variables):
            raise TypeError(f"{where}(feed_list): a list of Variables, as static.data gives. Received {feed_list!r}.")
        if not capacity or int(capacity) < 1:
            raise ValueError(f"{where}(capacity): how many batches are read ahead, at least 1. Received {capacity!r}.")
        self._capacity, self._return_list, self._drop_last = int(capacity), return_list, drop_last
        self._names = [v.name for v in self._variables]
        self._places: list[Place] = []
        self._reader: Reader | None = None
        self._epoch = None if iterable else EpochReader("DataLoader", self._variables, self._capacity)
        if self._epoch is not None:
            read_by(self._epoch, default_main_program(), use_double_buffer, drop_last)

    @property
    def iterable(self) -> bool:
        """Whether the loader is iterated; otherwise the Program's runs take the batches."""
        return self._epoch is None

    def set_sample_generator(self, reader: Any, batch_size: int, drop_last: bool = True,
                             places: Any = None) -> GeneratorLoader:
        """Takes samples, tuples with a field a variable, from `reader()`: `batch_size` of them are a batch."""
        return self.set_sample_list_generator(in_batches("set_sample_generator(reader)", reader, batch_size, drop_last),
                                              places)

    def set_sample_list_generator(self, reader: Any, places: Any = None) -> GeneratorLoader:
        """Takes lists of samples, each list a batch, from `reader()`."""
        reader = require_reader("set_sample_list_generator(reader)", reader)
        return self.set_batch_generator(fed_by_samples(self._variables, reader), places)

    def set_batch_generator(self, reader: Any, places: Any = None) -> GeneratorLoader:
        """Takes batches, lists of arrays or LoD tensors, one a variable, from `reader()`."""
        self._reader = require_reader("set_batch_generator(reader)", reader)
        if self._epoch is None:
            self._places = as_places(places)
        else:
            self._epoch.reader = self._reader
        return self

    def __iter__(self) -> Iterator[Any]:
        """An epoch: what each run is to be fed."""
        if self._epoch is not None:
            raise RuntimeError("The DataLoader was made with iterable=False: call start(), and Executor.run without a "
                               "feed; or make it with iterable=True.")
        if self._reader is None:
            raise RuntimeError("The DataLoader has no data source. Call set_sample_generator, "
                               "set_sample_list_generator or set_batch_generator (decorate_… of a PyReader) first.")
        return self._fed(self._reader)

    def __call__(self) -> Iterator[Any]:
        """As `iter(loader)`."""
        return iter(self)

    def _fed(self, reader: Reader) -> Iterator[Any]:
        places = self._places
        ahead = ReadAhead(lambda: (as_lod_tensors("DataLoader", self._names, values, places[n % len(places)])
                                   for n, values in enumerate(reader())), self._capacity)
        try:
            for group in groups(ahead, len(places), self._drop_last):
                yield group if self._return_list else [dict(zip(self._names, batch, strict=True)) for batch in group]
        finally:
            ahead.close()

    def start(self) -> None:
        """Begins an epoch of a loader that is not iterable."""
        self._started("start").start()

    def reset(self) -> None:
        """Ends the epoch of a loader that is not iterable, wherever it is."""
        self._started("reset").reset()

    def _started(self, what: str) -> EpochReader:
        if self._epoch is None:
            raise RuntimeError(f"{what}() is for a DataLoader made with iterable=False; this one is iterated: "
                               "for data in loader().")
        return self._epoch


class PyReader:
    """As GeneratorLoader or, without a `feed_list`, TensorListLoader, by 1.x's older names. `paddle.fluid.io.PyReader`.

    >>> import numpy as np, proa as paddle
    >>> with paddle.static.program_guard(paddle.static.Program()):
    ...     x = paddle.static.data("x", [None, 2])
    ...     reader = paddle.fluid.io.PyReader([x], capacity=2)
    >>> reader.decorate_batch_generator(lambda: iter([[np.zeros([3, 2], "float32")]]), paddle.CPUPlace())
    >>> [data[0]["x"].shape() for data in reader()]
    [[3, 2]]
    """

    def __init__(self, feed_list: Sequence[Variable] | None = None, capacity: int | None = None,
                 use_double_buffer: bool = True, iterable: bool = True, return_list: bool = False):
        self._loader = from_generator(feed_list, capacity, use_double_buffer, iterable, return_list)

    @property
    def iterable(self) -> bool:
        """Whether it is iterated; otherwise the Program's runs take the batches."""
        return self._loader.iterable

    def __iter__(self) -> Iterator[Any]:
        return iter(self._loader)

    def __call__(self) -> Iterator[Any]:
        """As `iter(reader)`."""
        return iter(self._loader)

    def start(self) -> None:
        """Begins an epoch of a reader that is not iterable."""
        self._loader.start()

    def reset(self) -> None:
        """Ends the epoch of a reader that is not iterable, wherever it is."""
        self._loader.reset()

    def decorate_sample_generator(self, sample_generator: Any, batch_size: int, drop_last: bool = True,
                                  places: Any = None) -> None:
        """Takes samples from `sample_generator()`: `batch_size` of them are a batch."""
        self._loader.set_sample_generator(sample_generator, batch_size, drop_last, places)

    def decorate_sample_list_generator(self, reader: Any, places: Any = None) -> None:
        """Takes lists of samples, each list a batch, from `reader()`."""
        self._loader.set_sample_list_generator(reader, places)

    def decorate_batch_generator(self, reader: Any, places: Any = None) -> None:
        """Takes batches, lists of arrays or LoD tensors, from `reader()`."""
        self._loader.set_batch_generator(reader, places)
