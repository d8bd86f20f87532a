"""Sums, products and extremes at indices of an array (`scatter_add` and kin), and whether indices are within bounds.

Knows arrays only. NumPy's ufuncs do it for every dtype; a device does it by atomic operations, for few of them, and has
none for products. Here every dtype and function goes on every device.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .devices import device_type_with

#: dtypes that CuPy adds atomically, and those whose extremes it finds so.
_ADDED = frozenset({"int32", "uint32", "uint64", "float16", "float32", "float64"})
_COMPARED = _ADDED - {"float16", "float64"}
_WIDER = {"bool": "int32", "int8": "int32", "int16": "int32", "uint8": "int32", "uint16": "int32",
          "float16": "float32", "bfloat16": "float32"}


def within_bounds(xp: Any, shape: tuple[int, ...], index: tuple) -> tuple:
    """The index of an array of this shape: slices, and arrays of integers or bools. IndexError for a place outside.

    NumPy refuses it itself. A device's library goes round to the other end and says nothing, so the places are looked
    at before: one wait for the device for each array of integers.
    """
    if xp is np:
        return index
    axis = 0
    for part in index:
        if isinstance(part, slice) or part.dtype.kind != "b":
            size = shape[axis]
            if not isinstance(part, slice) and bool(((part < -size) | (part >= size)).any()):
                worst = int(part.max()) if int(part.max()) >= size else int(part.min())
                raise IndexError(f"index {worst} is out of bounds for axis {axis} with size {size}")
            axis += 1
        else:
            axis += part.ndim
    return index


def add_at(xp: Any, target: Any, index: Any, values: Any) -> None:
    """target[index] += values in place, where each place gets all that is meant for it."""
    if xp is np:
        np.add.at(target, index, values)
    elif target.dtype.kind == "c":
        values = xp.asarray(values, target.dtype)
        add_at(xp, target.real, index, values.real)
        add_at(xp, target.imag, index, values.imag)
    elif target.dtype == np.int64:  # two's complement: the sum of the bits is the sum
        bits = xp.asarray(values, target.dtype).view("uint64")
        device_type_with(xp).scatter_add(target.view("uint64"), index, bits)
    elif target.dtype.name in _ADDED:
        device_type_with(xp).scatter_add(target, index, xp.asarray(values, target.dtype))
    else:
        wide = target.astype(_WIDER[target.dtype.name])
        add_at(xp, wide, index, xp.asarray(values, target.dtype).astype(wide.dtype))
        target[...] = wide.astype(target.dtype)


def assign_at(xp: Any, target: Any, index: Any, values: Any) -> None:
    """target[index] = values in place, where the last of several values for one place stays, as in NumPy.

    Of `index` each part is an array; a device alone would store any of the values.
    """
    if xp is not np:
        places = xp.arange(target.size).reshape(target.shape)[index].reshape(-1)
        turns = xp.arange(places.size)
        last = xp.full(target.size, -1)
        maximum_at(xp, last, places, turns)
        values = xp.broadcast_to(xp.asarray(values, target.dtype), target[index].shape).reshape(-1)
        values = values[last[places]].reshape(target[index].shape)
    target[index] = values


def maximum_at(xp: Any, target: Any, index: Any, values: Any) -> None:
    """target[index] = maximum(target[index], values) in place, over all values that are meant for a place."""
    if xp is np:
        np.maximum.at(target, index, values)
    else:
        _extreme_at(xp, "scatter_max", target, index, values)


def minimum_at(xp: Any, target: Any, index: Any, values: Any) -> None:
    """target[index] = minimum(target[index], values) in place, over all values that are meant for a place."""
    if xp is np:
        np.minimum.at(target, index, values)
    else:
        _extreme_at(xp, "scatter_min", target, index, values)


def _extreme_at(xp: Any, scatter: str, target: Any, index: Any, values: Any) -> None:
    values = xp.asarray(values, target.dtype)
    if target.dtype.kind == "f":  # a device passes NaN over, which NumPy keeps
        nans = xp.isnan(target).astype("int32")
        device_type_with(xp).scatter_add(nans, index, xp.isnan(values).astype("int32"))
    _extreme_of_numbers_at(xp, scatter, target, index, values)
    if target.dtype.kind == "f":
        target[...] = xp.where(nans > 0, xp.asarray(np.nan, target.dtype), target)


def _extreme_of_numbers_at(xp: Any, scatter: str, target: Any, index: Any, values: Any) -> None:
    if target.dtype.name in _COMPARED:
        getattr(device_type_with(xp), scatter)(target, index, values)
        return
    if target.dtype == np.int64:  # with the sign's bit turned the bits are in the order of the numbers
        sign = np.uint64(1 << 63)
        wide, values = target.view("uint64") ^ sign, values.view("uint64") ^ sign
        _extreme_of_numbers_at(xp, scatter, wide, index, values)
        target[...] = (wide ^ sign).view("int64")
    elif target.dtype == np.float64:  # CuPy's own compares in float32
        numbers = _in_order_of_numbers(target.view("int64"))
        _extreme_of_numbers_at(xp, scatter, numbers, index, _in_order_of_numbers(values.view("int64")))
        target[...] = _in_order_of_numbers(numbers).view("float64")
    else:
        wide = target.astype(_WIDER[target.dtype.name])
        _extreme_of_numbers_at(xp, scatter, wide, index, values.astype(wide.dtype))
        target[...] = wide.astype(target.dtype)


def _in_order_of_numbers(bits: Any) -> Any:
    """The bits of float64, as int64, so that they are in the order of the numbers; the same again turns them back."""
    return bits ^ ((bits >> 63) & np.int64(2**63 - 1))


def multiply_at(xp: Any, target: Any, index: Any, values: Any) -> None:
    """target[index] *= values in place, where each place is multiplied by all that is meant for it."""
    if xp is np:
        np.multiply.at(target, index, values)
        return
    places = xp.arange(target.size).reshape(target.shape)[index]
    values = xp.broadcast_to(xp.asarray(values, target.dtype), places.shape).reshape(-1)
    order = xp.argsort(places.reshape(-1))
    places, values = places.reshape(-1)[order], values[order]
    turns = xp.arange(places.size) - xp.searchsorted(places, places, side="left")
    flat = target.reshape(-1)
    for turn in range(int(turns.max()) + 1 if turns.size else 0):  # the first of each place, then the second…
        now = turns == turn
        flat[places[now]] = flat[places[now]] * values[now]
    target[...] = flat.reshape(target.shape)
