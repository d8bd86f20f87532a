"""Descriptions of how arrays lie in memory: their shape, element type, and strides or blocks."""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .library import Library, Unimplemented

_ANY = 1  # the format tag that leaves the choice to a primitive
_MOST = 12  # dimensions that a description may have
_FARTHEST = 2**16  # a stride, a dilation, padding before or behind, a window's size: no honest one is as large
_KEPT = 1024  # descriptions that are kept, for the next operation whose operands lie alike
_INT = 2**31  # oneDNN's code for windows computes with ints of C in between, and divides by what overflows there
_QUERY_STRIDES, _QUERY_PADDED, _QUERY_BLOCK_COUNT, _QUERY_BLOCKS, _QUERY_BLOCK_INDICES = 14, 260, 263, 264, 265
_NUMBERS = {"float16": 1, "bfloat16": 2, "float32": 3, "int32": 4, "int8": 5, "uint8": 6}

Dims = ctypes.c_int64 * _MOST


@functools.cache
def type_number(dtype: np.dtype) -> int | None:
    """oneDNN's number of an element type; None for one that it does not compute with."""
    return _NUMBERS.get(dtype.name) if dtype.isnative else None


def dims(values: Sequence[int]) -> Any:
    """Integers as the library takes them."""
    return Dims(*values)


@functools.lru_cache(_KEPT)
def window_dims(values: tuple[int, ...], least: int = 0) -> Any:
    """Strides, gaps, padding or sizes of windows, a number a dimension; Unimplemented where code would overflow."""
    if len(values) > _MOST or min(values) < least or max(values) > _FARTHEST or math.prod(values) >= _INT:
        raise Unimplemented("windows too large")
    return Dims(*values)


def image_dims(shape: Sequence[int]) -> Sequence[int]:
    """The shape of an image that windows slide over, or of their results; Unimplemented for one too large for them."""
    if max(shape) >= _INT:
        raise Unimplemented("an image too large")
    return shape


class Description:
    """How one operand lies in memory; compares equal to one that lies alike."""

    __slots__ = ("_library", "handle", "_destroy", "_owner")

    def __init__(self, library: Library, handle: int, owner: Any = None):
        self._library, self.handle = library, handle
        self._owner = owner  # keeps alive what the handle belongs to; None when it belongs to this object
        self._destroy = None if owner is not None else library.ask

    def __del__(self) -> None:
        if self._destroy is not None:
            self._destroy("memory_desc_destroy", self.handle)

    def __eq__(self, other: object) -> bool:
        return self is other or isinstance(other, Description) and bool(
            self._library.ask("memory_desc_equal", self.handle, other.handle))

    __hash__ = None  # type: ignore[assignment]

    @property
    def size(self) -> int:
        """Its bytes."""
        return self._library.ask("memory_desc_get_size", self.handle)

    def layout(self, rank: int) -> tuple:
        """What tells it from others of its shape: strides, padded sizes and blocks."""
        count = ctypes.c_int()
        self._library.do("memory_desc_query", self.handle, _QUERY_BLOCK_COUNT, ctypes.byref(count))
        parts = []
        for what, length in ((_QUERY_STRIDES, rank), (_QUERY_PADDED, rank), (_QUERY_BLOCKS, count.value),
                             (_QUERY_BLOCK_INDICES, count.value)):
            numbers = ctypes.POINTER(ctypes.c_int64)()
            self._library.do("memory_desc_query", self.handle, what, ctypes.byref(numbers))
            parts.append(tuple(numbers[:length]))
        return tuple(parts)


def strided(library: Library, shape: Sequence[int], strides: Sequence[int], type_number: int) -> Description:
    """An operand of given strides, counted in elements. Nobody changes a description: equal ones are one object."""
    return _strided(library, tuple(shape), tuple(strides), type_number)


@functools.lru_cache(_KEPT)
def _strided(library: Library, shape: tuple[int, ...], strides: tuple[int, ...], type_number: int) -> Description:
    return Description(library, library.call("memory_desc_create_with_strides", len(shape), dims(shape), type_number,
                                             dims(strides)))


@functools.lru_cache(_KEPT)
def free(library: Library, shape: tuple[int, ...], type_number: int) -> Description:
    """An operand whose layout a primitive shall choose."""
    return Description(library, library.call("memory_desc_create_with_tag", len(shape), dims(shape), type_number, _ANY))


@functools.lru_cache(_KEPT)
def image_last(library: Library, shape: tuple[int, ...], type_number: int) -> Description:
    """An image that windows slide over, with its channels side by side; Unimplemented for one too large for them."""
    return strided(library, image_dims(shape), channels_last_strides(shape), type_number)


def dense_strides(shape: Sequence[int]) -> list[int]:
    """The strides of a C-contiguous array, in elements."""
    result, step = [], 1
    for size in reversed(shape):
        result.append(step)
        step *= size
    return result[::-1]


def channels_last_strides(shape: Sequence[int]) -> list[int]:
    """The strides, in elements, of an array [n, c, *sizes] whose channels lie side by side."""
    n, c, *sizes = shape
    inner = dense_strides([n, *sizes, c])
    return [inner[0], inner[-1], *inner[1:-1]]


def element_strides(array: np.ndarray) -> list[int] | None:
    """The strides of an array in elements; None where oneDNN cannot read it: repeated, reversed or unaligned ones.

    Nor does it read dimensions whose rows reach into the next ones' (`x[..., ::2, ::2]` of an odd size), even where no
    element lies in both. Along a dimension of size 1 the stride means nothing, and is made a plain one.
    """
    size, result, plain = array.itemsize, [], 1
    for length, stride in zip(reversed(array.shape), reversed(array.strides), strict=True):
        if length == 1:
            stride = plain * size
        if stride <= 0 or stride % size:
            return None
        result.append(stride // size)
        plain *= length
    result.reverse()
    reach = 0
    for step, length in sorted((step, length) for step, length in zip(result, array.shape, strict=True) if length > 1):
        if step < reach:
            return None
        reach = step * length
    return result


def channels_last(shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
    """An empty array [n, c, *sizes] whose channels lie side by side."""
    if len(shape) == 4:
        n, c, h, w = shape
        return np.empty((n, h, w, c), dtype).transpose(0, 3, 1, 2)
    return np.moveaxis(np.empty((shape[0], *shape[2:], shape[1]), dtype), -1, 1)
