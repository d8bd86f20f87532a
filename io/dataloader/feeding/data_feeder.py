"""DataFeeder: samples, as readers give them, become one LoD tensor a variable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from .... import backend
from ....core.dtype import convert_dtype
from ....core.place import CPUPlace, CUDAPlace, Place
from ....static.building.mode import default_main_program
from ....static.ir.variable import Variable
from ....static.run.lod_tensor import LoDTensor
from ....static.run.places import cpu_places, cuda_places

Samples = Iterable[Sequence[Any]]


class DataToLoDTensorConverter:
    """Collects what the samples of a batch have for one variable, and makes a LoD tensor of it.

    - `lod_level` 0: each sample's array is one row. Level 1: each sample is a list of rows, level 2: a list of such
      lists. The rows of all of them are packed, and the lists' lengths are the LoD.
    - `shape`: the variable's; where the rows have another number of dimensions they get this one, so that a label that
      is a number becomes a row of [N, 1]. With more than one unknown size they stay as they are.
    - `dtype`: what they are converted to.

    >>> from proa.base.data_feeder import DataToLoDTensorConverter
    >>> sequences = DataToLoDTensorConverter(None, 1, [-1, 1], "int64")
    >>> sequences.feed([5, 6]); sequences.feed([7])
    >>> made = sequences.done()
    >>> made.recursive_sequence_lengths(), made.shape()
    ([[2, 1]], [3, 1])
    """

    def __init__(self, place: Place | None, lod_level: int, shape: Sequence[int], dtype: Any, name: str = ""):
        self.place, self.lod_level, self.dtype, self.name = place or CPUPlace(), lod_level, convert_dtype(dtype), name
        self.shape = list(shape) if sum(size < 0 for size in shape) <= 1 else None
        self.data: list[Any] = []
        self.lod: list[list[int]] = []
        self._reset()

    def _reset(self) -> None:
        self.data, self.lod = [], [[] for _ in range(self.lod_level)]

    def feed(self, data: Any) -> None:
        """Adds what one sample has."""
        self._add(data, 0)

    def _add(self, data: Any, level: int) -> None:
        if level == self.lod_level:
            self.data.append(data)
            return
        try:
            self.lod[level].append(len(data))
        except TypeError:
            raise TypeError(f"{self._what()} is a sequence of sequences, {self.lod_level} deep (lod_level="
                            f"{self.lod_level}). Received {type(data).__name__} at depth {level}: give each sample a "
                            "list of its rows, or declare the variable with a smaller lod_level.") from None
        for part in data:
            self._add(part, level + 1)

    def _what(self) -> str:
        return f"DataFeeder: the variable {self.name!r}" if self.name else "DataToLoDTensorConverter: the value"

    def done(self) -> LoDTensor:
        """The LoD tensor of what was added since the last one; ValueError for rows that do not fit together."""
        made = LoDTensor(backend.as_place(self._shaped(self._packed()), self.place))
        if self.lod_level:
            made.set_recursive_sequence_lengths(self.lod)
        self._reset()
        return made

    def _packed(self) -> np.ndarray:
        dtype = self.dtype.dtype
        try:
            return np.array(self.data, dtype)
        except (ValueError, TypeError) as error:
            shapes = sorted({np.shape(row) for row in self.data}, key=str) if self._are_regular() else None
            sizes = f" The rows' shapes: {', '.join(str(list(s)) for s in shapes)}." if shapes else ""
            raise type(error)(
                f"{self._what()} takes rows of one shape, with elements of dtype {self.dtype.name}.{sizes} Rows of "
                f"several lengths: declare it with lod_level={self.lod_level + 1}, or make them equally long. "
                f"({error})") from error

    def _are_regular(self) -> bool:
        try:
            return all(np.shape(row) is not None for row in self.data)
        except ValueError:
            return False

    def _shaped(self, array: np.ndarray) -> np.ndarray:
        if not self.shape or array.ndim == len(self.shape):
            return array
        try:
            return array.reshape(self.shape)
        except ValueError:
            raise ValueError(f"{self._what()} is declared with shape {self.shape}, and the samples give "
                             f"{list(array.shape)}, which cannot be brought into it.") from None


def _converter(variable: Variable, place: Place | None) -> DataToLoDTensorConverter:
    return DataToLoDTensorConverter(place, variable.lod_level, variable.shape, variable.dtype, variable.name)


def _add_sample(slots: Sequence[DataToLoDTensorConverter], sample: Any) -> None:
    if not isinstance(sample, (list, tuple, np.ndarray)) or len(sample) != len(slots):
        fields = f"{len(sample)} fields" if isinstance(sample, (list, tuple, np.ndarray)) else type(sample).__name__
        raise ValueError(
            f"A sample must be a tuple with a field for each of the {len(slots)} variables "
            f"{[slot.name for slot in slots]}. Received {fields}. One field alone is a tuple too: (data,).")
    for slot, field in zip(slots, sample, strict=True):
        slot.feed(field)


class DataFeeder:
    """Makes batches, lists of samples, into what `Executor.run` takes as `feed`. `paddle.fluid.DataFeeder`.

    - `feed_list`: Variables, or names of variables of `program` (the default main one). A sample is a tuple with a
      field for each: see `DataToLoDTensorConverter` for how it is converted to the variable's dtype, shape and LoD.
    - `place`: where the tensors are to be.

    Raises TypeError for an item of `feed_list` that is no variable, ValueError for a name that the Program does not
    have.

    >>> import proa as paddle
    >>> with paddle.static.program_guard(paddle.static.Program()):
    ...     x = paddle.static.data("x", [None, 2]); label = paddle.static.data("label", [None, 1], "int64")
    ...     feeder = paddle.base.DataFeeder([x, label], paddle.CPUPlace())
    >>> batch = feeder.feed([([1, 2], 0), ([3, 4], 1), ([5, 6], 0)])
    >>> {name: value.shape() for name, value in batch.items()}
    {'x': [3, 2], 'label': [3, 1]}
    """

    def __init__(self, feed_list: Sequence[Variable | str], place: Place | None = None, program: Any = None):
        block = (program or default_main_program()).global_block()
        found = [block.var(item) if isinstance(item, str) else item for item in feed_list]
        for item in found:
            if not isinstance(item, Variable):
                raise TypeError(f"DataFeeder(feed_list): Variables or names of variables. Received "
                                f"{type(item).__name__}.")
        self._variables = found
        self.place = place or CPUPlace()
        self.feed_names = [v.name for v in found]
        self.feed_dtypes = [v.dtype for v in found]
        self.feed_shapes = [v.shape for v in found]
        self.feed_lod_level = [v.lod_level for v in found]

    def feed(self, iterable: Samples) -> dict[str, LoDTensor]:
        """The LoD tensors by variable, of the samples of one batch."""
        return self._fed(iterable, self.place)

    def _fed(self, batch: Samples, place: Place) -> dict[str, LoDTensor]:
        slots = [_converter(variable, place) for variable in self._variables]
        for sample in batch:
            _add_sample(slots, sample)
        return {slot.name: slot.done() for slot in slots}

    def feed_parallel(self, iterable: Sequence[Samples], num_places: int | None = None) -> Iterator[dict[str, Any]]:
        """For each device what `feed` gives of one of as many batches."""
        places = self._places(num_places)
        batches = list(iterable)
        if len(batches) != len(places):
            raise ValueError(f"feed_parallel(iterable): a batch for each of the {len(places)} devices. "
                             f"Received {len(batches)}.")
        return (self._fed(batch, place) for place, batch in zip(places, batches, strict=True))

    def _places(self, count: int | None) -> Sequence[Place]:
        if isinstance(self.place, CUDAPlace):
            return cuda_places() if count is None else [CUDAPlace(index) for index in range(int(count))]
        return cpu_places(None if count is None else int(count))

    def decorate_reader(self, reader: Callable[[], Iterable[Samples]], multi_devices: bool,
                        num_places: int | None = None, drop_last: bool = True) -> Callable[[], Iterator[Any]]:
        """A reader of what `feed` gives of each batch of `reader`.

        With `multi_devices` it gives lists, with a batch for each device. Batches that are left over at the end are
        dropped, or with `drop_last=False` raise ValueError.
        """
        def decorated() -> Iterator[Any]:
            if not multi_devices:
                yield from map(self.feed, reader())
                return
            count = len(self._places(num_places))
            group: list[Samples] = []
            for batch in reader():
                group.append(batch)
                if len(group) == count:
                    yield list(self.feed_parallel(group, count))
                    group = []
            if group and not drop_last:
                raise ValueError(f"DataFeeder.decorate_reader: {len(group)} batches are left over, too few for {count} "
                                 "devices. Drop them with drop_last=True.")

        return decorated
