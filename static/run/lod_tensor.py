"""LoDTensor: an array with the offsets of the sequences that its rows are, as users hold it.

Where the two are put together and taken apart: what is fed and fetched, scopes, a predictor's inputs and outputs.
Inside of Programs they are values of their own (`ir/lod.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import backend
from ...core.dtype import DType, bfloat16, from_numpy_dtype
from ...core.place import CPUPlace, Place

Lod = list[list[int]]


def offsets_of_lengths(lengths: Sequence[Sequence[int]]) -> Lod:
    """The offsets of sequences of these lengths, level by level."""
    return [[0, *np.cumsum(np.asarray(level, "int64")).tolist()] for level in lengths]


def lengths_of_offsets(lod: Sequence[Sequence[int]]) -> Lod:
    """The lengths of sequences, level by level."""
    return [np.diff(np.asarray(level, "int64")).tolist() for level in lod]


def fault_in(lod: Sequence[Sequence[int]], rows: int | None) -> str:
    """What is wrong with offsets for so many rows (None: any); empty when nothing is."""
    for number, level in enumerate(lod):
        if len(level) < 2 or level[0] != 0:
            return f"level {number} must begin with 0 and have at least two offsets"
        if any(a > b for a, b in zip(level, level[1:], strict=False)):
            return f"the offsets of level {number} must not fall"
        inner = len(lod[number + 1]) - 1 if number + 1 < len(lod) else rows
        if inner is not None and level[-1] != inner:
            what = f"level {number + 1} has {inner} sequences" if number + 1 < len(lod) else f"there are {inner} rows"
            return f"level {number} ends at {level[-1]}, and {what}"
    return ""


def fitting(lod: Lod, array: Any) -> Lod:
    """The LoD of a value; none where that has another number of rows, as after a reshape.

    One row of empty sequences alone stands in place of none (`ctc_align`): it keeps its LoD.
    """
    rows = array.shape[0] if array.ndim else 0
    return [] if lod and fault_in(lod, 0 if rows == 1 and not lod[-1][-1] else rows) else lod


def innermost(levels: Sequence[Any], lod: Lod) -> list[tuple[Any, list[int]]]:
    """What stands for the levels of a value with its offsets, from the innermost level outwards."""
    return list(zip(levels[::-1], lod[::-1], strict=False))


class LoDTensor:
    """An array, and the LoD that divides its rows into sequences: `numpy.array(t)` reads the array.

    >>> import numpy, proa as paddle
    >>> from proa.static.run.lod_tensor import LoDTensor
    >>> t = LoDTensor()
    >>> t.set(numpy.zeros((5, 2), "float32"), paddle.CPUPlace())
    >>> t.set_recursive_sequence_lengths([[2, 3]])
    >>> t.lod()
    [[0, 2, 5]]
    """

    def __init__(self, array: Any = None, lod: Sequence[Sequence[int]] = (), name: str = ""):
        self._value, self._lod, self._name = array, [list(level) for level in lod], name
        self._awaited = [0]

    def set(self, array: Any, place: Place | None = None) -> None:
        """Replaces the array; the LoD stays. uint16 are the bits of bfloat16, as PaddlePaddle has them in NumPy."""
        given = np.array(array)
        if given.dtype == np.uint16:
            given = given.view(bfloat16.dtype)
        self._value = backend.as_place(given, place or CPUPlace())

    def lod(self) -> Lod:
        """The offsets, level by level: [[0, 2, 5]] are a sequence of two rows and one of three."""
        return [list(level) for level in self._lod]

    def set_lod(self, lod: Sequence[Sequence[int]]) -> None:
        """Replaces the offsets. ValueError for offsets that do not add up, or end at another number of rows."""
        offsets = [[int(offset) for offset in level] for level in lod]
        self._check(offsets, "set_lod(lod)", lod)
        self._lod = offsets

    def recursive_sequence_lengths(self) -> Lod:
        """The lengths of the sequences, level by level."""
        return lengths_of_offsets(self._lod)

    def set_recursive_sequence_lengths(self, recursive_sequence_lengths: Sequence[Sequence[int]]) -> None:
        """As `set_lod`, of lengths."""
        lod = offsets_of_lengths(recursive_sequence_lengths)
        self._check(lod, "set_recursive_sequence_lengths(lengths)", recursive_sequence_lengths)
        self._lod = lod

    def has_valid_recursive_sequence_lengths(self) -> bool:
        """Whether the LoD adds up to the number of rows."""
        return not fault_in(self._lod, self._rows())

    def _check(self, lod: Lod, what: str, received: Any) -> None:
        fault = fault_in(lod, self._rows())
        if fault:
            raise ValueError(f"{what}: {fault}. Received {received} for shape {self.shape()}.")

    def _rows(self) -> int | None:
        return None if self._value is None or not self._value.ndim else self._value.shape[0]

    def shape(self) -> list[int]:
        """The sizes; [0] while there is no array, or what `_set_dims` said."""
        return list(self._awaited) if self._value is None else list(self._value.shape)

    def _dtype(self) -> DType:
        """The element type."""
        return from_numpy_dtype(self._held().dtype)

    def _is_initialized(self) -> bool:
        return self._value is not None

    def _share_data_with(self, other: LoDTensor) -> None:
        self._value, self._lod = other._value, other.lod()

    def _copy(self, place: Place) -> LoDTensor:
        return LoDTensor(backend.as_place(self._held(), place).copy(), self._lod)

    def _clear(self) -> None:
        self._value, self._lod = None, []

    def _place(self) -> Place:
        """Where the array lies."""
        return backend.place_of(self._held())

    def _numel(self) -> int:
        """How many elements there are."""
        return int(self._held().size)

    def _set_dims(self, shape: Sequence[int]) -> None:
        """Gives the array another shape; without one that fits, what the next array is to have, which `shape` tells."""
        sizes = [int(size) for size in shape]
        if self._value is not None and self._value.size == math.prod(sizes):
            self._value = self._value.reshape(tuple(sizes))
        else:
            self._value, self._awaited = None, sizes

    def _alloc_int(self, place: Place) -> None:
        self._allocate(place, "int32")

    def _alloc_float(self, place: Place) -> None:
        self._allocate(place, "float32")

    def _alloc_double(self, place: Place) -> None:
        self._allocate(place, "float64")

    def _allocate(self, place: Place, dtype: str) -> None:
        """Zeros of the shape that it has, or is to have."""
        self._value = backend.as_place(np.zeros(self.shape(), dtype), place)

    def _get_element(self, index: int) -> Any:
        return self._held().reshape(-1)[index].item()

    def _set_element(self, index: int, value: Any) -> None:
        changed = backend.namespace_of([self._held()]).array(self._value)  # another one: a run knows values by arrays
        changed.reshape(-1)[index] = value
        self._value = changed

    _get_float_element = _get_double_element = _get_element
    _get_complex64_element = _get_complex128_element = _get_element
    _set_float_element = _set_double_element = _set_element
    _set_complex64_element = _set_complex128_element = _set_element

    def _held(self) -> Any:
        if self._value is None:
            what = f"The variable {self._name!r}" if self._name else "The LoDTensor"
            raise RuntimeError(f"{what} has no value yet: " + (
                "run the startup Program first." if self._name else "give it one with set(array, place)."))
        return self._value

    def __getitem__(self, index: Any) -> LoDTensor:
        array = self._held()
        places = index if isinstance(index, tuple) else (index,)
        array[index]  # an integer beyond the size is an error: as a range it would be empty
        return LoDTensor(array[tuple([_range_of_one(each) if isinstance(each, int) else each for each in places])])

    def __len__(self) -> int:
        return len(self._held())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = np.empty(0) if self._value is None else backend.to_numpy(self._value)  # without a value: as in Paddle
        return array.astype(dtype) if dtype is not None else array.copy()

    def __str__(self) -> str:
        from ..ir.program import Program  # who runs a plan that was kept needs none

        return _as_in_1(self) if Program.printed_as_in_files else _as_in_2(self)


def _range_of_one(index: int) -> slice:
    """An integer as a range, for as in Paddle no dimension is dropped: `tensor[0]` is a row in a matrix."""
    return slice(index, index + 1 or None)


def _as_in_2(tensor: LoDTensor) -> str:
    """What `print` of PaddlePaddle 2.6 shows: sizes, dtype, and all elements, in six digits."""
    parts = ([f"lod: {_braces(tensor.lod())}"] if tensor.lod() else []) + [f"shape: {tensor.shape()}", "layout: NCHW"]
    if not tensor._is_initialized():
        return "\n".join(f"  - {part}" for part in parts) + "\nuninited\n"
    parts += [f"place: {tensor._place()!r}", f"dtype: {tensor._held().dtype}", f"data: {_elements(tensor)}"]
    return "\n".join(f"  - {part}" for part in parts)


def _as_in_1(tensor: LoDTensor) -> str:
    """What `print` of Paddle 1.8 shows; where there is no value yet it fails, and this says so."""
    parts = [f"lod: {_braces(tensor.lod())}", "dim: " + ", ".join(map(str, tensor.shape())), "layout: NCHW"]
    if tensor._is_initialized():
        dtype = tensor._held().dtype.name
        parts += [f"dtype: {_NAMES_IN_1.get(dtype, dtype)}", f"data: {_elements(tensor)}"]
    return "".join(f"\t{part}\n" for part in (parts if tensor._is_initialized() else [*parts, "uninited"]))


_NAMES_IN_1 = {"float32": "float", "float64": "double", "int32": "int", "int8": "int8_t", "uint8": "uint8_t",
               "int16": "int16_t", "int64": "int64_t", "float16": "::paddle::platform::float16"}


def _braces(lod: Lod) -> str:
    return "{" + "".join("{" + ", ".join(map(str, level)) + "}" for level in lod) + "}"


def _elements(tensor: LoDTensor) -> str:
    array = backend.to_numpy(tensor._held())
    shown = "{:.6g}" if array.dtype.kind not in "iub" else "{:d}"
    return "[" + " ".join(shown.format(element) for element in array.reshape(-1).tolist()) + "]"


class LoDTensorArray(list):
    """A list of LoDTensors, as code fills one by hand.

    >>> import proa as paddle
    >>> values = paddle.base.LoDTensorArray()
    >>> values.append(paddle.base.LoDTensor())
    >>> len(values)
    1
    """
