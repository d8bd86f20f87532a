"""Elements taken from places along a dimension (gather, take_along_axis), added to them (scatter_add) and put there.

Arrays are seen as [before, size, behind]. Either one row of places serves all of them (`along` 0: places [count]), or
each element has its own (`along` 1: places [before, count, behind]); one row of places may serve a group of `before`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import loops
from ..loops.names import parallel
from ..loops.tape import Declined, Tape, Value
from .arrays import around, bound, bound_plain, flat, takes_floats
from .copying import copied

LEAST = 1 << 10  # elements of what is taken or added
_BITS = {1: "i8", 4: "i32", 8: "i64"}


@loops.kernel
def _take(x, places, out, wrong, before, size, count, behind, group, along):
    chunks = (count + 63) // 64
    for q in parallel(before * chunks, 64 * behind * 2):
        b = q // chunks
        source = x + b * size * behind
        if behind == 1:
            own = places + b // group * count
            missing = 0
            for j in range(q % chunks * 64, min(count, q % chunks * 64 + 64)):
                row = own[j] + (size if own[j] < 0 else 0)
                is_there = row >= 0 and row < size
                missing += 0 if is_there else 1
                out[b * count + j] = source[row if is_there else 0]
            if missing > 0:
                wrong[0] = 1
        elif along == 0:
            own = places + b // group * count
            for j in range(q % chunks * 64, min(count, q % chunks * 64 + 64)):
                row = own[j] + (size if own[j] < 0 else 0)
                if row < 0 or row >= size:
                    wrong[0] = 1
                else:
                    target = out + (b * count + j) * behind
                    for k in range(behind):
                        target[k] = source[row * behind + k]
        else:
            each = places + b // group * count * behind
            for i in range(q % chunks * 64 * behind, min(count, q % chunks * 64 + 64) * behind):
                row = each[i] + (size if each[i] < 0 else 0)
                if row < 0 or row >= size:
                    wrong[0] = 1
                else:
                    out[b * count * behind + i] = source[row * behind + i % behind]


@loops.kernel
def _add(values, places, out, wrong, before, size, count, behind, group, along):
    blocks = (behind + 31) // 32
    for q in parallel(before * blocks, count * min(behind, 32) * 2):
        b = q // blocks
        first = q % blocks * 32
        wide = min(32, behind - first)
        target = out + (b * size * behind + first)
        source = values + (b * count * behind + first)
        if along == 0:
            own = places + b // group * count
            for j in range(count):
                row = own[j] + (size if own[j] < 0 else 0)
                if row < 0 or row >= size:
                    wrong[0] = 1
                else:
                    for k in range(wide):
                        target[row * behind + k] = target[row * behind + k] + source[j * behind + k]
        else:
            each = places + (b // group * count * behind + first)
            for j in range(count):
                for k in range(wide):
                    row = each[j * behind + k] + (size if each[j * behind + k] < 0 else 0)
                    if row < 0 or row >= size:
                        wrong[0] = 1
                    else:
                        target[row * behind + k] = target[row * behind + k] + source[j * behind + k]


@loops.kernel
def _put(values, places, out, wrong, before, size, count, behind):
    blocks = (behind + 31) // 32
    for q in parallel(before * blocks, count * min(behind, 32) * 2):
        b = q // blocks
        first = q % blocks * 32
        wide = min(32, behind - first)
        target = out + (b * size * behind + first)
        source = values + (b * count * behind + first)
        each = places + (b * count * behind + first)
        for j in range(count):
            for k in range(wide):
                row = each[j * behind + k] + (size if each[j * behind + k] < 0 else 0)
                if row < 0 or row >= size:
                    wrong[0] = 1
                else:
                    target[row * behind + k] = source[j * behind + k]


@loops.kernel
def _extreme(values, places, out, wrong, size, count, behind, largest):
    for b in parallel((behind + 31) // 32, count * min(behind, 32) * 2):
        first = b * 32
        wide = min(32, behind - first)
        for j in range(count):
            row = places[j]
            if row < 0 or row >= size:
                wrong[0] = 1
            else:
                target = out + (row * behind + first)
                source = values + (j * behind + first)
                if largest > 0:
                    for k in range(wide):
                        target[k] = source[k] if source[k] > target[k] or source[k] != source[k] else target[k]
                else:
                    for k in range(wide):
                        target[k] = source[k] if source[k] < target[k] or source[k] != source[k] else target[k]


@loops.kernel
def _copy_named(x, places, out, named, wrong, size, count, behind):
    for j in range(count):
        row = places[j] + (size if places[j] < 0 else 0)
        if row < 0 or row >= size:
            wrong[0] = 1
        else:
            named[row] = 1
    for i in range(size):
        if named[i] > 0:
            for k in range(behind):
                out[i * behind + k] = x[i * behind + k]


_NUMBERS = " ".join(["i64"] * 6)
_run_take = {size: bound_plain(_take, f"{kind}* i64* {kind}* u8* {_NUMBERS}") for size, kind in _BITS.items()}
_run_put = {size: bound_plain(_put, f"{kind}* i64* {kind}* u8* i64 i64 i64 i64") for size, kind in _BITS.items()}
_run_add = bound(_add, f"T* i64* T* u8* {_NUMBERS}")
_run_extreme = bound(_extreme, "T* i64* T* u8* i64 i64 i64 i64")


def _places(index: np.ndarray) -> Any:
    """Places as the loops read them; None for what are none."""
    if index.dtype.kind not in "iu" or not index.size:
        return None
    return flat(index.astype("int64", copy=False))


def _taken(x: np.ndarray, places: Any, shape: Sequence[int], sizes: Sequence[int]) -> Any:
    """`sizes` are before, size, count, behind, group, along."""
    out = np.empty(shape, x.dtype)
    if (places is None or out.size < LEAST or not x.size or x.itemsize not in _BITS or x.dtype.hasobject
            or not x.flags.aligned or not loops.is_ready() or not _take.is_due(out.size)):
        return NotImplemented
    wrong = np.zeros(1, "uint8")
    _run_take[x.itemsize](flat(x), places, out, wrong, *sizes)
    return NotImplemented if wrong[0] else out


def _own(x: np.ndarray) -> np.ndarray:
    """A copy of x whose elements lie in order, made by several threads where it is large."""
    copy = copied(x)
    return np.array(x, order="C") if copy is NotImplemented else copy


def _added(out: np.ndarray, places: Any, values: np.ndarray, sizes: Sequence[int]) -> Any:
    """`out`, which is nobody else's, with the values added."""
    if values.dtype != out.dtype:
        return NotImplemented
    wrong = np.zeros(1, "uint8")
    _run_add(out.dtype, flat(values), places, out, wrong, *sizes)
    return NotImplemented if wrong[0] else out


def taped_added(tape: Tape, x: Value, places: Value, values: Value) -> Value:
    """x with rows added at places [count], as steps of a tape, which a place outside of x ends."""
    if places.dtype != np.int64 or places.ndim != 1 or x.dtype.char not in "fd" or x.dtype != values.dtype:
        raise Declined
    if not places.size or not x.size or values.shape != (*places.shape, *x.shape[1:]):
        raise Declined
    out = tape.new(x.shape, x.dtype)
    tape.copy(x, out, 1, x.size, (0, 0), (0, 0))
    wrong = tape.filled((1,), np.dtype("int64"), 0)
    size = x.shape[0]
    tape.step(_add, values, places, out, wrong, 1, size, places.size, x.size // size, 1, 0)
    tape.stop_if(wrong)
    return out


def taped_zeros_between(tape: Tape, x: Value, places: Value) -> Value:
    """x with zeros in the rows that are not at places [count], as steps of a tape, which a place outside of x ends."""
    if places.dtype != np.int64 or places.ndim != 1 or not places.size or not x.size:
        raise Declined
    out, wrong = tape.filled(x.shape, x.dtype, 0), tape.filled((1,), np.dtype("int64"), 0)
    named, size = tape.filled((x.shape[0],), np.dtype("int64"), 0), x.shape[0]
    tape.step(_copy_named, x, places, out, named, wrong, size, places.size, x.size // size)
    tape.stop_if(wrong)
    return out


def _can_add(values: np.ndarray, places: Any) -> bool:
    return places is not None and values.flags.aligned and takes_floats(values, LEAST, _add)


def taken(x: np.ndarray, index: np.ndarray, axis: int) -> Any:
    """The slices of x at these positions along a dimension."""
    if index.ndim != 1 or not -x.ndim <= axis < x.ndim:
        return NotImplemented
    before, size, behind = around(x.shape, axis)
    shape = (*x.shape[:axis % x.ndim], index.size, *x.shape[axis % x.ndim + 1:])
    return _taken(x, _places(index), shape, (before, size, index.size, behind, before, 0))


def added(x: np.ndarray, index: np.ndarray, updates: np.ndarray, axis: int) -> Any:
    """x with slices added at positions along a dimension."""
    if not -x.ndim <= axis < x.ndim or updates.ndim != x.ndim:
        return NotImplemented
    axis, places = axis % x.ndim, _places(index)
    if not _can_add(updates, places) or updates.shape != (*x.shape[:axis], index.size, *x.shape[axis + 1:]):
        return NotImplemented
    before, size, behind = around(x.shape, axis)
    return _added(_own(x), places, updates, (before, size, index.size, behind, before, 0))


def sums_of_rows(rows: np.ndarray, index: np.ndarray, count: int) -> Any:
    """The sums of the rows that have one number [count, ...]; zeros where none has it."""
    places = _places(index)
    if index.shape != rows.shape[:1] or not _can_add(rows, places):
        return NotImplemented
    out = np.zeros((count, *rows.shape[1:]), rows.dtype)
    return _added(out, places, rows, (1, count, len(rows), rows.size // len(rows), 1, 0))


def extremes_of_rows(rows: np.ndarray, index: np.ndarray, count: int, largest: bool) -> Any:
    """The largest, or the smallest, of the rows that have one number; an infinity where none has it."""
    places = _places(index)
    if places is None or index.shape != rows.shape[:1] or not (
            rows.flags.aligned and takes_floats(rows, LEAST, _extreme)):
        return NotImplemented
    out, wrong = np.full((count, *rows.shape[1:]), -np.inf if largest else np.inf, rows.dtype), np.zeros(1, "uint8")
    _run_extreme(rows.dtype, flat(rows), places, out, wrong, count, len(rows), rows.size // len(rows), int(largest))
    return NotImplemented if wrong[0] else out


def added_by_coordinates(x: np.ndarray, index: np.ndarray, updates: np.ndarray) -> Any:
    """x with updates added at the places that the last dimension of `index` names; one number names a row."""
    depth = index.shape[-1]
    if not depth or depth > x.ndim or not _can_add(updates, index) or index.dtype.kind != "i":
        return NotImplemented
    if depth == 1:
        places, behind = _places(index.reshape(-1)), x.size // max(len(x), 1)
        if not behind or updates.size != places.size * behind:
            return NotImplemented
        return _added(_own(x), places, updates, (1, len(x), places.size, behind, 1, 0))
    rows: Any = None
    for n, size in enumerate(x.shape[:depth]):
        column = index[..., n]
        if not column.size or column.min() < -size or column.max() >= size:
            return NotImplemented
        column = np.where(column < 0, column + size, column) if column.min() < 0 else column
        rows = column if rows is None else rows * size + column
    places = flat(rows.reshape(-1).astype("int64", copy=False))
    count, behind = places.size, x[(0,) * depth].size if x.size else 0
    if updates.size != count * behind or not behind:
        return NotImplemented
    return _added(_own(x), places, updates, (1, x.size // behind, count, behind, 1, 0))


def _along_sizes(x: np.ndarray, index: np.ndarray, axis: int) -> Any:
    """The sizes for an index of as many dimensions, which are x's but for one; None where they are not."""
    if index.ndim != x.ndim or not -x.ndim <= axis < x.ndim:
        return None
    axis = axis % x.ndim
    if index.shape[:axis] != x.shape[:axis] or index.shape[axis + 1:] != x.shape[axis + 1:]:
        return None
    before, size, behind = around(x.shape, axis)
    return before, size, index.shape[axis], behind, 1, 1


def taken_along(x: np.ndarray, index: np.ndarray, *, Axis: int = 0) -> Any:
    """The elements of x at `index` along a dimension, each at its own place in the others."""
    sizes = _along_sizes(x, index, Axis)
    return NotImplemented if sizes is None else _taken(x, _places(index), index.shape, sizes)


def put_along(x: np.ndarray, index: np.ndarray, value: np.ndarray, *, Axis: int = 0, Reduce: str = "assign",
              Include_self: bool = True) -> Any:
    """x with values put or added at `index` along a dimension, each at its own place in the others.

    Of several that are put at one place the last one stays.
    """
    sizes, places = _along_sizes(x, index, Axis), _places(index)
    if Reduce == "assign":
        return NotImplemented if sizes is None or places is None else _assigned(x, places, value, index.shape, sizes)
    if Reduce != "add" or sizes is None or value.shape != index.shape or not _can_add(value, places):
        return NotImplemented
    return _added(_own(x), places, value, sizes)


def _assigned(x: np.ndarray, places: Any, value: np.ndarray, shape: tuple[int, ...], sizes: Sequence[int]) -> Any:
    if (value.shape != shape or value.dtype != x.dtype or value.size < LEAST or x.itemsize not in _BITS
            or x.dtype.hasobject or not value.flags.aligned or not loops.is_ready() or not _put.is_due(value.size)):
        return NotImplemented
    out, wrong = _own(x), np.zeros(1, "uint8")
    _run_put[x.itemsize](flat(value), places, out, wrong, *sizes[:4])
    return NotImplemented if wrong[0] else out


def taken_in_channels(x: np.ndarray, positions: np.ndarray) -> Any:
    """The elements of [N, C, *sizes] at flat positions in each channel, which may be the same in all: [N, 1, …]."""
    sizes = _channel_sizes(x.shape, positions)
    return NotImplemented if sizes is None else _taken(
        x, _places(positions), (*x.shape[:2], *positions.shape[2:]), sizes)


def _channel_sizes(shape: Sequence[int], positions: np.ndarray) -> Any:
    n, channels = shape[:2]
    if len(positions) != n or positions.shape[1] not in (1, channels) or not positions.size:
        return None
    group = channels if positions.shape[1] == 1 else 1
    return n * channels, around(tuple(shape), 1)[2], positions.size // (n * positions.shape[1]), 1, group, 0


def added_in_channels(g: np.ndarray, positions: np.ndarray, like: Any = None, *, size: Sequence[int] = ()) -> Any:
    """Zeros of these sizes with the elements of g added at flat positions in each channel."""
    shape = (*g.shape[:2], *(size if like is None else like.shape[2:]))
    sizes, places = _channel_sizes(shape, positions), _places(positions)
    if sizes is None or g.shape[2:] != positions.shape[2:] or not _can_add(g, places):
        return NotImplemented
    return _added(np.zeros(shape, g.dtype), places, g, sizes)
