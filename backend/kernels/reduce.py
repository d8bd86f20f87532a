"""Sums, sums of squares, means, products and extremes over dimensions of large arrays.

The array is seen as (outer, n, inner), the middle being reduced: rows where nothing lies behind, columns otherwise.
Long columns are cut into parts, whose results NumPy puts together. Sums are taken in parts as well, which keeps them
accurate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import loops
from ..loops.names import parallel
from .arrays import bound, own_axis, takes_floats
from .reduce_functions import largest, product_of, smallest, squares_of, total_of

LEAST = 1 << 10  # of all of them
_LEAST = 1 << 13
LEAST_OF_PRODUCTS = _LEAST_OF_PRODUCTS = 1 << 10
_LEAST_OF_EXTREMES = 1 << 17  # NumPy finds them as fast on one thread
_PART = 1 << 15  # elements of a part of what is reduced
_NARROW = 64  # fewer columns than half of these are taken several rows at a time
_BLOCK = 1 << 12  # columns that are reduced at a time: their results stay in the cache


def _rows_by(x, out, rows, n, *, total):
    for r in parallel(rows, max(1, n // 4)):
        out[r] = total(x + r * n, n)


@loops.kernel
def _sum_columns(x, out, outer, n, inner, parts, block, blocks):
    for p in parallel(outer * parts * blocks, max(1, n // parts * block // 4)):
        first = p % blocks * block
        width = min(block, inner - first)
        part = p // blocks % parts
        result = out + p // blocks * inner + first
        start = x + p // blocks // parts * n * inner + first
        begin = part * n // parts
        end = (part + 1) * n // parts
        fours = begin + (end - begin) // 4 * 4
        for c in range(width):
            result[c] = 0.0
        for i in range(begin, fours, 4):
            a = start + i * inner
            for c in range(width):
                result[c] = result[c] + ((a[c] + a[inner + c]) + (a[inner * 2 + c] + a[inner * 3 + c]))
        for i in range(fours, end):
            for c in range(width):
                result[c] = result[c] + start[i * inner + c]


def _columns_by(x, out, outer, n, inner, parts, block, blocks, *, alone, joined):
    for p in parallel(outer * parts * blocks, max(1, n // parts * block // 4)):
        first = p % blocks * block
        width = min(block, inner - first)
        part = p // blocks % parts
        result = out + p // blocks * inner + first
        start = x + p // blocks // parts * n * inner + first
        begin = part * n // parts
        for c in range(width):
            result[c] = alone(start[begin * inner + c])
        for i in range(begin + 1, (part + 1) * n // parts):
            for c in range(width):
                result[c] = joined(result[c], start[i * inner + c])


@loops.function
def itself(x):  # noqa: D103
    return x


@loops.function
def square(x):  # noqa: D103
    return x * x


@loops.function
def plus_square(total, x):  # noqa: D103
    return total + x * x


@loops.function
def times(total, x):  # noqa: D103
    return total * x


class _Reduction(NamedTuple):
    """The loops over rows and over columns, and NumPy's own for the results of parts."""

    kernel: loops.Kernel  # the one over rows, which counts for both
    rows: Callable[..., None]
    columns: Callable[..., None]
    together: Callable[..., Any]
    alone: Callable[[np.ndarray], np.ndarray] = np.asarray  # what elements are that are reduced with no others


def _reduction(total: Callable[..., Any], columns: loops.Kernel, *functions: Callable[..., Any]) -> _Reduction:
    rows = loops.kernel_with(_rows_by, total=total)
    return _Reduction(rows, bound(rows, "T* T* i64 i64"), bound(columns, "T* T* i64 i64 i64 i64 i64 i64"), *functions)


def _columns_of(joined: Callable[..., Any], alone: Callable[..., Any] = itself) -> loops.Kernel:
    return loops.kernel_with(_columns_by, joined=joined, alone=alone)


_SUM = _reduction(total_of, _sum_columns, np.add.reduce)
_SQUARES = _reduction(squares_of, _columns_of(plus_square, square), np.add.reduce, np.square)
_PRODUCT = _reduction(product_of, _columns_of(times), np.multiply.reduce)
_MAX = _reduction(largest, _columns_of(max), np.maximum.reduce)
_MIN = _reduction(smallest, _columns_of(min), np.minimum.reduce)


def sums_of_parts(x: np.ndarray, outer: int, n: int, inner: int, parts: int) -> np.ndarray:
    """The sums [outer, parts, inner] of so many parts of each column of an array (outer, n, inner) in order."""
    found = np.empty((outer, parts, inner), x.dtype)
    _SUM.columns(x.dtype, x, found, outer, n, inner, parts, inner, 1)
    return found


def _rows(kind: _Reduction, x: np.ndarray, rows: int, n: int) -> np.ndarray:
    if rows == 1 and n >= 2 * _PART:  # so that threads can share it
        parts = n // _PART
        found = np.empty(parts, x.dtype)
        kind.rows(x.dtype, x, found, parts, _PART)
        rest = x.reshape(-1)[parts * _PART:]
        return kind.together(np.concatenate((found, kind.alone(rest))) if rest.size else found, keepdims=True)
    found = np.empty(rows, x.dtype)
    kind.rows(x.dtype, x, found, rows, n)
    return found


def _columns(kind: _Reduction, x: np.ndarray, outer: int, n: int, inner: int) -> np.ndarray:
    fold = _NARROW // inner
    if outer == 1 and fold > 1 and n >= 2 * fold:  # several rows as one, which is long enough for vectors
        wide = _columns(kind, x, 1, n // fold, fold * inner).reshape(fold, inner)
        rest = x.reshape(n, inner)[n // fold * fold:]
        return kind.together(np.concatenate((wide, kind.alone(rest))) if len(rest) else wide, axis=0)
    block = min(inner, _BLOCK)
    blocks = -(-inner // block)
    parts = max(1, min(n // 4, n * block // _PART))
    found = np.empty((outer, parts, inner), x.dtype)
    kind.columns(x.dtype, x, found, outer, n, inner, parts, block, blocks)
    return kind.together(found, axis=1) if parts > 1 else found


class Plan(NamedTuple):
    """How an array is reduced: the order in which its dimensions lie (None: as they do), and as what it is seen."""

    order: tuple[int, ...] | None
    fates: tuple[bool, ...]  # of runs of dimensions, whether they are reduced
    sizes: tuple[int, ...]
    shape: tuple[int, ...]  # of the result


def _runs(shape: Sequence[int], reduced: Sequence[bool]) -> list[tuple[bool, int]]:
    """Neighbouring dimensions of one fate as one; those of size 1 have none."""
    runs: list[tuple[bool, int]] = []
    for size, gone in zip(shape, reduced, strict=True):
        if size == 1:
            continue
        if runs and runs[-1][0] == gone:
            runs[-1] = gone, runs[-1][1] * size
        else:
            runs.append((gone, size))
    return runs


def _planned(x: np.ndarray, reduced: Sequence[bool], shape: tuple[int, ...]) -> Plan | None:
    """The plan for a dense array whose kept dimensions lie in their order; else None."""
    order = None
    if not x.flags.c_contiguous:
        order = tuple(sorted(range(x.ndim), key=lambda d: -x.strides[d]))
        kept = [d for d in order if not reduced[d] and x.shape[d] != 1]
        if not x.transpose(order).flags.c_contiguous or kept != sorted(kept):
            return None
    lying = order or range(x.ndim)
    runs = _runs([x.shape[d] for d in lying], [reduced[d] for d in lying])
    return Plan(order, tuple([gone for gone, _ in runs]), tuple([size for _, size in runs]), shape)


_plans: dict[tuple, Plan | None] = {}
_KEPT_PLANS = 1024


def plan_of(x: np.ndarray, dim: Sequence[int], keep_dim: bool, reduce_all: bool) -> Plan | None:
    """The plan for a reduction over dimensions (none: all); None for what loops are not good at."""
    key = x.shape, x.strides, x.itemsize, tuple(dim), keep_dim, reduce_all  # strides are in bytes
    try:
        return _plans[key]
    except KeyError:
        pass
    if reduce_all or not len(dim):
        reduced = [True] * x.ndim
    else:
        axes = {own_axis(axis, x.ndim) for axis in dim}
        reduced = [axis in axes for axis in range(x.ndim)]
    shape = tuple([1 if gone else size for size, gone in zip(x.shape, reduced, strict=True) if keep_dim or not gone])
    if len(_plans) >= _KEPT_PLANS:
        _plans.clear()
    plan = _plans[key] = _planned(x, reduced, shape)
    return plan


def _run(kind: _Reduction, x: np.ndarray, plan: Plan) -> Any:
    """The results, in their shape."""
    fates, sizes = plan.fates, plan.sizes
    x = x if plan.order is None else x.transpose(plan.order)
    if fates == (True,):
        found = _rows(kind, x, 1, sizes[0])
    elif fates == (False, True):
        found = _rows(kind, x, *sizes)
    elif fates == (True, False):
        found = _columns(kind, x, 1, *sizes)
    elif fates == (False, True, False):
        found = _columns(kind, x, *sizes)
    elif fates == (True, False, True):
        first, kept, last = sizes
        found = _columns(_SUM if kind is _SQUARES else kind, _rows(kind, x, first * kept, last), 1, first, kept)
    else:
        return NotImplemented
    return found.reshape(plan.shape)


def _over(kind: _Reduction, x: np.ndarray, dim: Sequence[int], keep_dim: bool, reduce_all: bool, least: int) -> Any:
    if not takes_floats(x, least, kind.kernel):
        return NotImplemented
    plan = plan_of(x, dim, keep_dim, reduce_all)
    return NotImplemented if plan is None else _run(kind, x, plan)


def sum_of_squares(x: np.ndarray, dim: Sequence[int], keep_dim: bool, reduce_all: bool) -> Any:
    """The sum of squares over dimensions."""
    return _over(_SQUARES, x, dim, keep_dim, reduce_all, _LEAST_OF_PRODUCTS)


def reduce_prod(x: np.ndarray, *, dim: Sequence[int] = (), keep_dim: bool = False, reduce_all: bool = False,
                in_dtype: Any = None, out_dtype: Any = None) -> Any:
    """The product over dimensions."""
    if out_dtype is not None:
        return NotImplemented
    return _over(_PRODUCT, x, dim, keep_dim, reduce_all, _LEAST_OF_PRODUCTS)


def reduce_sum(x: np.ndarray, *, dim: Sequence[int] = (), keep_dim: bool = False, reduce_all: bool = False,
               in_dtype: Any = None, out_dtype: Any = None) -> Any:
    """The sum over dimensions."""
    return NotImplemented if out_dtype is not None else _over(_SUM, x, dim, keep_dim, reduce_all, _LEAST)


def reduce_mean(x: np.ndarray, *, dim: Sequence[int] = (), keep_dim: bool = False, reduce_all: bool = False,
                in_dtype: Any = None, out_dtype: Any = None) -> Any:
    """The mean over dimensions."""
    found = NotImplemented if out_dtype is not None else _over(_SUM, x, dim, keep_dim, reduce_all, _LEAST)
    if found is not NotImplemented:
        found /= x.size / found.size
    return found


def reduce_max(x: np.ndarray, *, dim: Sequence[int] = (), keep_dim: bool = False, reduce_all: bool = False,
               in_dtype: Any = None, out_dtype: Any = None) -> Any:
    """The largest over dimensions, or NaN where there is one."""
    return NotImplemented if out_dtype is not None else _over(_MAX, x, dim, keep_dim, reduce_all, _LEAST_OF_EXTREMES)


def reduce_min(x: np.ndarray, *, dim: Sequence[int] = (), keep_dim: bool = False, reduce_all: bool = False,
               in_dtype: Any = None, out_dtype: Any = None) -> Any:
    """The smallest over dimensions, or NaN where there is one."""
    return NotImplemented if out_dtype is not None else _over(_MIN, x, dim, keep_dim, reduce_all, _LEAST_OF_EXTREMES)


def mean(x: np.ndarray) -> Any:
    """The mean of all elements."""
    return reduce_mean(x, reduce_all=True)


def sum_to(x: np.ndarray, shape: tuple[int, ...]) -> Any:
    """The sum over the dimensions along which an array of this shape was broadcast to that of x."""
    if x.shape == shape or not takes_floats(x, _LEAST, _SUM.kernel):
        return NotImplemented
    extra = x.ndim - len(shape)
    reduced = [n < extra or (shape[n - extra] == 1 and size != 1) for n, size in enumerate(x.shape)]
    plan = _planned(x, reduced, shape)
    return NotImplemented if plan is None else _run(_SUM, x, plan)
