"""What pooling computes, on arrays [N, C, *sizes]: largest elements, averages, and where their gradients go.

Windows of one size go over strided slices, one for each place in a window; adaptive windows of several sizes over
cells (largest) or by a matrix for each dimension (average). `pool.py` declares the operators.
"""


import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

from .gather import add_at
from .infer import product
from .windows import Pads, padded, resolve_pads, window_count, window_slices


class Plan(NamedTuple):
    """Windows of one size; `counts` of them along each dimension."""

    kernel: Sequence[int]
    strides: Sequence[int]
    pads: Pads
    counts: tuple[int, ...]


def make_plan(sizes: Sequence[int], ksize: Sequence[int], strides: Sequence[int], paddings: Sequence[int],
          algorithm: str = "EXPLICIT", ceil_mode: bool = False, global_pooling: bool = False,
          adaptive: bool = False) -> Plan | None:
    """None where adaptive windows differ in size."""
    rank = len(sizes)
    if global_pooling:
        return Plan(sizes, [1] * rank, [(0, 0)] * rank, (1,) * rank)
    if adaptive:
        if any(size < 0 or size % n for size, n in zip(sizes, ksize, strict=True)):
            return None
        kernel = [size // n for size, n in zip(sizes, ksize, strict=True)]
        return Plan(kernel, kernel, [(0, 0)] * rank, tuple(ksize))
    pads = resolve_pads(algorithm, paddings, sizes, ksize, strides)
    counts = tuple(window_count(*args, ceil=ceil_mode) for args in zip(sizes, ksize, strides, pads, strict=True))
    return Plan(ksize, strides, pads, counts)


def _bounds(size: int, n: int) -> list[tuple[int, int]]:
    """Where adaptive windows begin and end along a dimension."""
    return [(i * size // n, -(-(i + 1) * size // n)) for i in range(n)]


def channels_first(x: Any, data_format: str) -> Any:
    return x.transpose(0, x.ndim - 1, *range(1, x.ndim - 1)) if data_format[-1] == "C" else x


def in_format(x: Any, data_format: str) -> Any:
    return x.transpose(0, *range(2, x.ndim), 1) if data_format[-1] == "C" else x


def _lowest(xp: Any, dtype: Any) -> Any:
    return xp.finfo(dtype).min if dtype.kind == "f" else xp.iinfo(dtype).min


def behind(sizes: Sequence[int], plan: Plan) -> Pads:
    """The pads, with what the last windows need behind (ceil_mode) added."""
    return [(before, max(after, (n - 1) * s + k - size - before)) for (before, after), n, s, k, size in zip(
        plan.pads, plan.counts, plan.strides, plan.kernel, sizes, strict=True)]


def _windows(plan: Plan) -> Any:
    """For each place in a window, the index of the elements that stand there."""
    for offsets in itertools.product(*map(range, plan.kernel)):
        yield window_slices(offsets, plan.counts, plan.strides)


def _whole(plan: Plan, x: Any) -> bool:
    """True where one window covers everything."""
    return product(plan.counts) == 1 and tuple(plan.kernel) == x.shape[2:] and not any(map(any, plan.pads))


# largest

def largest(xp: Any, x: Any, plan: Plan) -> Any:
    if _whole(plan, x):
        return x.max(tuple(range(2, x.ndim)), keepdims=True)
    x = padded(xp, x, behind(x.shape[2:], plan), _lowest(xp, x.dtype))
    places = _windows(plan)
    first = x[next(places)]
    second = next(places, None)
    if second is None:
        return first.copy()
    result = xp.maximum(first, x[second])
    for place in places:
        xp.maximum(result, x[place], out=result)
    return result


def first_largest(xp: Any, x: Any, out: Any, plan: Plan) -> Any:
    """For each place in a window, its index and the mask of windows whose first largest element stands there."""
    x = padded(xp, x, behind(x.shape[2:], plan), _lowest(xp, x.dtype))
    open_ = None
    for place in _windows(plan):
        mask = x[place] == out
        if open_ is not None:
            mask &= open_
            open_ ^= mask
        else:
            open_ = ~mask
        yield place, mask


def largest_backward(xp: Any, x: Any, out: Any, g: Any, plan: Plan) -> Any:
    """g where each window of x has its first largest element, added up."""
    pads = behind(x.shape[2:], plan)
    result = xp.zeros(x.shape[:2] + tuple(n + a + b for n, (a, b) in zip(x.shape[2:], pads, strict=True)), g.dtype)
    for place, mask in first_largest(xp, x, out, plan):
        result[place] += g * mask
    return result[(..., *(slice(a, a + n) for n, (a, _) in zip(x.shape[2:], pads, strict=True)))]


def largest_pick(xp: Any, x: Any, out: Any, v: Any, plan: Plan) -> Any:
    """The elements of v that stand where each window of x has its first largest."""
    v = padded(xp, v, behind(x.shape[2:], plan))
    result = xp.zeros(out.shape, v.dtype)
    for place, mask in first_largest(xp, x, out, plan):
        result += v[place] * mask
    return result


# average

def _counts(xp: Any, sizes: Sequence[int], plan: Plan, exclusive: bool, dtype: Any) -> Any:
    """1 / the number of elements that each window counts, as [*counts]; windows are cut at the end of the padding."""
    result: Any = 1
    for axis, (size, k, s, (before, after), n) in enumerate(
            zip(sizes, plan.kernel, plan.strides, plan.pads, plan.counts, strict=True)):
        starts = [i * s - before for i in range(n)]
        ends = [min(start + k, size + after) for start in starts]
        if exclusive:
            starts, ends = [max(start, 0) for start in starts], [min(end, size) for end in ends]
        lengths = xp.asarray([1.0 / max(end - start, 1) for start, end in zip(starts, ends, strict=True)], dtype)
        result = result * lengths.reshape((-1,) + (1,) * (len(sizes) - 1 - axis))
    return result


def average(xp: Any, x: Any, plan: Plan, exclusive: bool) -> Any:
    if _whole(plan, x):
        return x.mean(tuple(range(2, x.ndim)), keepdims=True)
    factor = _counts(xp, x.shape[2:], plan, exclusive, x.dtype)
    x = padded(xp, x, behind(x.shape[2:], plan))
    places = _windows(plan)
    result = x[next(places)].copy()
    for place in places:
        result += x[place]
    result *= factor
    return result


def average_backward(xp: Any, g: Any, sizes: tuple[int, ...], plan: Plan, exclusive: bool) -> Any:
    g = g * _counts(xp, sizes, plan, exclusive, g.dtype)
    pads = behind(sizes, plan)
    if _whole_sizes(plan, sizes):
        return xp.broadcast_to(g, g.shape[:2] + sizes).copy()
    result = xp.zeros(g.shape[:2] + tuple(n + a + b for n, (a, b) in zip(sizes, pads, strict=True)), g.dtype)
    for place in _windows(plan):
        result[place] += g
    return result[(..., *(slice(a, a + n) for n, (a, _) in zip(sizes, pads, strict=True)))]


def _whole_sizes(plan: Plan, sizes: tuple[int, ...]) -> bool:
    return product(plan.counts) == 1 and tuple(plan.kernel) == tuple(sizes)


def averaging(xp: Any, size: int, n: int, dtype: Any) -> Any:
    """The matrix [n, size] that averages a dimension over adaptive windows."""
    matrix = xp.zeros((n, size), dtype)
    for row, (start, end) in enumerate(_bounds(size, n)):
        matrix[row, start:end] = 1.0 / (end - start)
    return matrix


def along_each(xp: Any, x: Any, matrices: Sequence[Any]) -> Any:
    """Each spatial dimension multiplied by its matrix."""
    for axis, matrix in enumerate(matrices):
        x = xp.moveaxis(xp.matmul(xp.moveaxis(x, axis + 2, -1), matrix.T), -1, axis + 2)
    return x


# largest, with its place in the plane

def max_with_index(xp: Any, x: Any, ksize: Sequence[int], plan: Plan | None) -> tuple[Any, Any]:
    sizes = x.shape[2:]
    places = xp.arange(product(sizes), dtype="int32").reshape(sizes)
    if plan is None:
        return _cells(xp, x, places, [_bounds(size, n) for size, n in zip(sizes, ksize, strict=True)])
    pads = behind(sizes, plan)
    out = largest(xp, x, plan)
    index = xp.full(out.shape, -1, "int32")
    numbers = padded(xp, places, pads, -1)
    for place, mask in first_largest(xp, x, out, plan):
        index = xp.where(mask, numbers[place], index)
    return out, index


def _cells(xp: Any, x: Any, places: Any, bounds: list) -> tuple[Any, Any]:
    counts = tuple(map(len, bounds))
    out, index = xp.empty(x.shape[:2] + counts, x.dtype), xp.empty(x.shape[:2] + counts, "int32")
    for cell in itertools.product(*map(range, counts)):
        part = tuple(slice(*bounds[axis][i]) for axis, i in enumerate(cell))
        window = x[(..., *part)].reshape(*x.shape[:2], -1)
        best = window.argmax(-1)
        index[(..., *cell)] = places[part].reshape(-1)[best]
        out[(..., *cell)] = window.max(-1)
    return out, index


def _planes(index: Any, xp: Any, plane: int) -> Any:
    """Places in planes as places in all planes, one behind the other."""
    rows = index.shape[0] * index.shape[1]
    return (index.reshape(rows, -1).astype("int64") + xp.arange(rows)[:, None] * plane).reshape(-1)


def max_with_index_backward(xp: Any, g: Any, index: Any, shape: tuple[int, ...]) -> Any:
    """Each element of g at its place in the planes of a new array of `shape`."""
    result = xp.zeros(product(shape), g.dtype)
    add_at(xp, result, _planes(index, xp, product(shape[2:])), g.reshape(-1))
    return result.reshape(shape)


def pick(xp: Any, v: Any, index: Any) -> Any:
    """The elements of v at these places in its planes."""
    return v.reshape(-1)[_planes(index, xp, product(v.shape[2:]))].reshape(index.shape)
