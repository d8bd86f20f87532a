"""Statistics over dimensions: logsumexp, variance and the Euclidean norm, in few passes over what is in the cache."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import loops
from ..loops.names import log, parallel
from .arrays import bound, takes, takes_floats
from .reduce import plan_of, reduce_mean, sum_of_squares
from .reduce_functions import largest, squares_around, total_of
from .softmax import exp_total

LEAST = _LEAST = 1 << 9
_PART = 1 << 15


@loops.kernel
def _log_sums(x, out, size, n):
    for r in parallel((size + n - 1) // n, n):
        row = x + r * n
        width = min(n, size - r * n)
        top = largest(row, width)
        top = top if top - top == 0.0 else 0.0
        out[r] = log(exp_total(row, top, width)) + top


@loops.kernel
def _variances(x, out, rows, n, factor):
    for r in parallel(rows, max(1, n // 2)):
        row = x + r * n
        mean = 0.0
        mean = total_of(row, n) / n
        out[r] = squares_around(row, mean, n) * factor


@loops.kernel
def _squares_of_parts(x, middle, out, size, part):
    for p in parallel((size + part - 1) // part, max(1, part // 4)):
        out[p] = squares_around(x + p * part, middle[0], min(part, size - p * part))


_run_log_sums = bound(_log_sums, "T* T* i64 i64")
_run_variances = bound(_variances, "T* T* i64 i64 real")
_run_squares = bound(_squares_of_parts, "T* T* T* i64 i64")


def _rows_of(x: np.ndarray, dim: Sequence[int], keep_dim: bool, reduce_all: bool) -> Any:
    """Rows, their length, and the result's shape, where the last dimensions of a contiguous array go; else None."""
    plan = plan_of(x, dim, keep_dim, reduce_all)
    if plan is None or plan.order is not None or plan.fates not in ((True,), (False, True)):
        return None
    return (1, *plan.sizes, plan.shape) if len(plan.sizes) == 1 else (*plan.sizes, plan.shape)


def logsumexp(x: np.ndarray, *, axis: Sequence[int] = (), keepdim: bool = False, reduce_all: bool = False) -> Any:
    """log(sum(exp(x))) over the last dimensions."""
    found = _rows_of(x, axis, keepdim, reduce_all) if takes(x, _LEAST, _log_sums) else None
    if found is None:
        return NotImplemented
    rows, n, shape = found
    width = _PART if rows == 1 and n >= 2 * _PART else n  # so that threads can share a long row
    out = np.empty(-(-x.size // width), x.dtype)
    _run_log_sums(x.dtype, x, out, x.size, width)
    while out.size > rows:
        out, parts = np.empty(rows, x.dtype), out
        _run_log_sums(x.dtype, parts, out, parts.size, parts.size)
    return out.reshape(shape)


def variance(x: np.ndarray, *, dim: Sequence[int] = (), keep_dim: bool = False, reduce_all: bool = False,
             unbiased: bool = True) -> Any:
    """The mean squared distance from the mean over the last dimensions."""
    found = _rows_of(x, dim, keep_dim, reduce_all) if takes_floats(x, _LEAST, _variances) else None
    if found is None:
        return NotImplemented
    rows, n, shape = found
    factor = 1.0 / (n - 1 if unbiased and n > 1 else n)
    if rows == 1 and n >= 2 * _PART:
        middle, squares = reduce_mean(x, reduce_all=True), np.empty(-(-n // _PART), x.dtype)
        if middle is NotImplemented:
            return NotImplemented
        _run_squares(x.dtype, x, middle, squares, n, _PART)
        return (squares.sum() * x.dtype.type(factor)).reshape(shape)
    out = np.empty(rows, x.dtype)
    _run_variances(x.dtype, x, out, rows, n, factor)
    return out.reshape(shape)


def frobenius_norm(x: np.ndarray, *, dim: Sequence[int] = (), keep_dim: bool = False, reduce_all: bool = False) -> Any:
    """The square root of the sum of squares over dimensions."""
    found = sum_of_squares(x, dim, keep_dim, reduce_all)
    return found if found is NotImplemented else np.sqrt(found, out=found)


def p_norm(x: np.ndarray, *, porder: float = 2.0, axis: int = -1, epsilon: float = 1e-12, keepdim: bool = False,
           asvector: bool = False) -> Any:
    """The Euclidean norm along a dimension or of all elements; other norms are left alone."""
    if porder != 2:
        return NotImplemented
    found = frobenius_norm(x, dim=(axis,), keep_dim=keepdim, reduce_all=asvector)
    return found.reshape((1,) * x.ndim) if keepdim and asvector and found is not NotImplemented else found
