"""What users give a loader - generators of samples, of lists of samples, of batches - as readers of batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ....core.place import Place
from ....static.ir.variable import Variable
from ....static.run.lod_tensor import LoDTensor
from ...batch_sampler import batch
from .data_feeder import DataFeeder

Reader = Callable[[], Iterable[Any]]


def require_reader(where: str, reader: Any) -> Reader:
    """The reader, if it is a function; TypeError with what to give otherwise."""
    if not callable(reader):
        raise TypeError(f"{where}: must be a function without parameters that gives a generator (as a generator "
                        f"function does). Received {type(reader).__name__}.")
    return reader


def in_batches(where: str, reader: Any, batch_size: int, drop_last: bool) -> Reader:
    """A reader of lists of `batch_size` samples."""
    return batch(require_reader(where, reader), batch_size, drop_last)


def fed_by_samples(variables: Sequence[Variable], reader: Reader) -> Reader:
    """A reader of lists of LoD tensors, one a variable, of each list of samples."""
    feeder = DataFeeder(variables)
    return lambda: (list(feeder.feed(samples).values()) for samples in reader())


def columns(reader: Reader) -> Reader:
    """A reader of lists with a list for each field, of each list of samples: they are not converted to anything."""
    return lambda: ([list(column) for column in zip(*samples, strict=True)] for samples in reader())


def as_array(value: Any) -> np.ndarray:
    """An array of a batch's value; TypeError where that has rows of several lengths."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise TypeError(f"A batch of a batch generator has rows of several lengths, of which no array can be made. "
                        f"Make a LoD tensor of them with fluid.create_lod_tensor, or give samples to "
                        f"set_sample_list_generator, with a variable of lod_level=1. ({error})") from error
    if array.dtype == object:
        raise TypeError("A batch of a batch generator has values that are no numbers, or rows of several lengths: no "
                        "array can be made of them. Make a LoD tensor of rows with fluid.create_lod_tensor.")
    return array


def as_lod_tensors(where: str, names: Sequence[str], values: Any, place: Place) -> list[LoDTensor]:
    """A batch's values as LoD tensors, at a place; ValueError for another number of them than there are names."""
    if isinstance(values, dict):
        values = [values[name] for name in names]
    found = list(values)
    if len(found) != len(names):
        raise ValueError(f"{where}: a batch must have a value for each of the {len(names)} variables {list(names)}. "
                         f"Received {len(found)}.")
    return [_at(value, place) for value in found]


def _at(value: Any, place: Place) -> LoDTensor:
    if isinstance(value, LoDTensor):
        return value
    made = LoDTensor()
    made.set(as_array(value), place)
    return made


def groups(batches: Iterator[Any], count: int, drop_last: bool) -> Iterator[list[Any]]:
    """Lists of `count` batches, one a device; with `drop_last` without the last one that is shorter."""
    group: list[Any] = []
    for item in batches:
        group.append(item)
        if len(group) == count:
            yield group
            group = []
    if group and not drop_last:
        yield group
