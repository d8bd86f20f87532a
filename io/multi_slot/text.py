"""The MultiSlot text format: lines to arrays, arrays to batches of LoD tensors.

`2 17 5 1 0.5` are two slots: one of the two values 17 and 5, one of the value 0.5. Which slots there are, with their
names and dtypes, the Variables say that a dataset is to fill.
"""

from __future__ import annotations

import dataclasses
import itertools
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ... import backend
from ...core.place import CPUPlace, Place
from ...static.ir.variable import Variable
from ...static.run.lod_tensor import LoDTensor

Record = tuple[tuple[Any, ...], ...]  # of numbers: what holds nothing else costs the garbage collector nothing
_NUMBERS: dict[str, Callable[[str], Any]] = {"int64": int, "float32": float}


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


def parser(slots: Sequence[Slot], words_ahead: int = 0) -> Callable[[str, str, int], Record]:
    """A function that gives the values of each slot of a line, which is that of a number in a file.

    Before the slots stand so many words, each as `1 word`, that are left aside. It raises ValueError, naming file, line
    and slot, for a line that has them not.
    """
    numbers = [_NUMBERS[slot.dtype] for slot in slots]

    def parse(line: str, path: str, row: int) -> Record:
        words, at, found = _behind(line.split(), words_ahead, f"{path}:{row}"), 0, []
        try:
            for number in numbers:
                begin = at + 1
                at = begin + int(words[at])
                found.append(tuple(map(number, words[begin:at])))
                if not begin < at <= len(words):
                    raise _fault(words, slots, f"{path}:{row}")
        except (ValueError, IndexError):
            raise _fault(words, slots, f"{path}:{row}") from None
        if at < len(words):
            warnings.warn(f"{path}: what stands behind the last slot, {slots[-1].name!r}, is not read. set_use_var "
                          "takes a Variable for each slot of the file, in its order.", stacklevel=2)
        return tuple(found)

    return parse


def _behind(words: list[str], count: int, where: str) -> list[str]:
    """What stands behind so many words that are announced one by one."""
    if any(word != "1" for word in words[:2 * count:2]) or len(words) < 2 * count:
        raise ValueError(f"{where}: a line begins with {count} of an id, a text and a key, each with the number 1 "
                         f"before it: `1 id`. Received {' '.join(words[:2 * count])!r}.")
    return words[2 * count:]


def _fault(words: list[str], slots: Sequence[Slot], where: str) -> ValueError:
    """What is wrong with a line."""
    for slot in slots:
        count = int(words[0]) if words and words[0].isdecimal() else 0
        values = words[1:count + 1]
        if not values or len(values) < count:
            what = f"{words[0] if words else 'nothing'!r} where the number of its values stands" if count < 1 else (
                f"{len(values)} values, and {count} are announced")
            return ValueError(
                f"{where}: the slot {slot.name!r} has {what}. A line has for each slot how many values there are, at "
                "least 1, and these: `2 17 5`. An empty sequence is written with a value that stands for padding.")
        try:
            list(map(_NUMBERS[slot.dtype], values))
        except ValueError:
            return ValueError(f"{where}: the slot {slot.name!r} takes values of dtype {slot.dtype}. Received "
                              f"{' '.join(values)!r}.")
        words = words[count + 1:]
    return ValueError(f"{where}: the line cannot be read.")


def without_zeros(record: Record, slots: Sequence[Slot]) -> Record:
    """The record as a dataset in memory keeps it: sequences lose their zeros, and an empty one becomes one zero."""
    return tuple(values if slot.is_dense or 0 not in values else tuple(filter(None, values)) or values[:1]
                 for values, slot in zip(record, slots, strict=True))


def batches(records: Iterable[Record], slots: Sequence[Slot], size: int, drop_last: bool = False,
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
        packed = _array(list(itertools.chain.from_iterable(columns)), slot.dtype)
        array = _dense(packed, slot, columns) if slot.is_dense else packed.reshape(-1, 1)
        tensor = made[slot.name] = LoDTensor(backend.as_place(array, place))
        if not slot.is_dense:
            tensor.set_recursive_sequence_lengths([list(map(len, columns))])
    return made


def _array(values: list[Any], dtype: str) -> np.ndarray:
    try:
        return np.array(values, dtype)
    except OverflowError:  # hashes are written without a sign
        return np.array([value % 2**64 for value in values], "uint64").view("int64")


def _dense(packed: np.ndarray, slot: Slot, columns: Sequence[Sequence[Any]]) -> np.ndarray:
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
