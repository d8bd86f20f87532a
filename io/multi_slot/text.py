"""The MultiSlot text format: lines to arrays, arrays to batches of LoD tensors.

`2 17 5 1 0.5` are two slots: one of the two values 17 and 5, one of the value 0.5. Which slots there are, with their
names and dtypes, the Variables say that a dataset is to fill.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterator, Sequence

import numpy as np

from ... import backend
from ...core.place import CPUPlace, Place
from ...static.ir.program import Variable
from ...static.run.lod_tensor import LoDTensor

Record = tuple[np.ndarray, ...]
_NUMBERS = {"int64": int, "float32": float}


@dataclasses.dataclass(frozen=True)
class Slot:
    """What a line has for one Variable: a sequence of values, or so many as fill the sizes behind the first one."""

    name: str
    dtype: str
    is_dense: bool
    shape: tuple[int, ...]

    @classmethod
    def of(cls, variable: Variable) -> Slot:
        """The slot of a Variable; ValueError for a dtype that the format does not have."""
        if variable.dtype.name not in _NUMBERS:
            raise ValueError(f"set_use_var(var_list): the text format has int64 and float32. Received "
                             f"{variable.name!r} of dtype {variable.dtype.name}.")
        return cls(variable.name, variable.dtype.name, variable.lod_level == 0, tuple(variable.shape))


def parse(line: str, slots: Sequence[Slot], where: str) -> Record:
    """The values of each slot of a line; ValueError, which names `where` and the slot, for a line that has them not."""
    words = line.split()
    at = 0
    found = []
    for slot in slots:
        count = _count(words, at, slot, where)
        at += 1
        found.append(_values(words[at:at + count], slot, where))
        at += count
    if at < len(words):
        warnings.warn(f"{where.rpartition(':')[0]}: what stands behind the last slot, {slots[-1].name!r}, is not read. "
                      "set_use_var takes a Variable for each slot of the file, in its order.", stacklevel=2)
    return tuple(found)


def _count(words: list[str], at: int, slot: Slot, where: str) -> int:
    word = words[at] if at < len(words) else ""
    count = int(word) if word.isdecimal() else 0
    if count < 1 or at + count >= len(words):
        what = f"{word!r} where the number of its values stands" if count < 1 else (
            f"{len(words) - at - 1} values, and {count} are announced")
        raise ValueError(f"{where}: the slot {slot.name!r} has {what or 'nothing'}. A line has for each slot how many "
                         "values there are, at least 1, and these: `2 17 5`. An empty sequence is written with a value "
                         "that stands for padding.")
    return count


def _values(words: list[str], slot: Slot, where: str) -> np.ndarray:
    try:
        numbers = [_NUMBERS[slot.dtype](word) for word in words]
    except ValueError:
        raise ValueError(f"{where}: the slot {slot.name!r} takes values of dtype {slot.dtype}. Received "
                         f"{' '.join(words)!r}.") from None
    if slot.dtype == "int64" and max(numbers) > np.iinfo("int64").max:  # hashes are written without a sign
        return np.array([n % 2**64 for n in numbers], "uint64").view("int64")
    return np.array(numbers, slot.dtype)


def without_zeros(record: Record, slots: Sequence[Slot]) -> Record:
    """The record as a dataset in memory keeps it: sequences lose their zeros, and an empty one becomes one zero."""
    return tuple(values if slot.is_dense else values[values != 0] if values.any() else values[:1]
                 for values, slot in zip(record, slots, strict=True))


def batches(records: Iterator[Record], slots: Sequence[Slot], size: int, drop_last: bool = False,
            place: Place | None = None) -> Iterator[dict[str, LoDTensor]]:
    """LoD tensors by name, of `size` records each; the last may have fewer, or is left out with `drop_last`."""
    group: list[Record] = []
    for record in records:
        group.append(record)
        if len(group) == size:
            yield _batch(group, slots, place or CPUPlace())
            group = []
    if group and not drop_last:
        yield _batch(group, slots, place or CPUPlace())


def _batch(records: list[Record], slots: Sequence[Slot], place: Place) -> dict[str, LoDTensor]:
    made = {}
    for slot, columns in zip(slots, zip(*records, strict=True), strict=True):
        packed = np.concatenate(columns)
        array = _dense(packed, slot, columns) if slot.is_dense else packed.reshape(-1, 1)
        tensor = made[slot.name] = LoDTensor(backend.as_place(array, place))
        if not slot.is_dense:
            tensor.set_recursive_sequence_lengths([[len(values) for values in columns]])
    return made


def _dense(packed: np.ndarray, slot: Slot, columns: tuple[np.ndarray, ...]) -> np.ndarray:
    row = slot.shape[1:]
    wanted = int(np.prod(row, dtype=int))
    sizes = {len(values) for values in columns}
    if -1 not in row and sizes == {wanted}:
        return packed.reshape(len(columns), *row)
    if list(row).count(-1) == 1 and len(sizes) == 1 and sizes.pop() % -wanted == 0:
        return packed.reshape(len(columns), *row)
    raise ValueError(f"The slot {slot.name!r} is a Variable of shape {list(slot.shape)} without LoD: each line must "
                     f"have {'values that fill it' if -1 in row else f'{wanted} values'}. Received lines with "
                     f"{sorted({len(values) for values in columns})}. Declare it with lod_level=1 for sequences.")
