"""Running sums, products, extremes and linear recurrences along a dimension: several rows at a time.

One row's result must wait for the one before; those of other rows need not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import loops
from ..loops.names import parallel
from .arrays import around, bound, flat, takes_floats

LEAST = _LEAST = 1 << 9
LEAST_OF_EXTREMES = _LEAST_OF_EXTREMES = 1 << 4  # without loops, each place along the dimension is several calls
_BLOCK = 1 << 10


@loops.kernel
def _rows(x, out, rows, n, begin, step):
    """From `begin` on in each row, by `step`: 1, or -1 from its end."""
    for q in parallel((rows + 3) // 4, n * 4):
        first = q * 4
        if first + 4 <= rows:
            a, b, c, d = 0.0, 0.0, 0.0, 0.0
            row = x + (first * n + begin)
            result = out + (first * n + begin)
            for j in range(n):
                i = j * step
                a = a + row[i]
                b = b + row[n + i]
                c = c + row[2 * n + i]
                d = d + row[3 * n + i]
                result[i] = a
                result[n + i] = b
                result[2 * n + i] = c
                result[3 * n + i] = d
        else:
            for r in range(first, rows):
                total = 0.0
                for j in range(n):
                    i = r * n + begin + j * step
                    total = total + x[i]
                    out[i] = total


@loops.kernel
def _columns(x, out, outer, n, inner, block, blocks, begin, step):
    for p in parallel(outer * blocks, n * block // 4):
        first = p % blocks * block
        width = min(block, inner - first)
        start = (p // blocks * n + begin) * inner + first
        for c in range(start, start + width):
            out[c] = x[c]
        for i in range(1, n):
            row = start + i * step * inner
            for c in range(row, row + width):
                out[c] = out[c - step * inner] + x[c]


_run_rows = bound(_rows, "T* T* i64 i64 i64 i64")
_run_columns = bound(_columns, "T* T* i64 i64 i64 i64 i64 i64 i64")


def cumsum(x: np.ndarray, *, axis: int = -1, flatten: bool = False, exclusive: bool = False,
           reverse: bool = False) -> Any:
    """The running sum along a dimension, or of x flattened, from its beginning, or in reverse from its end."""
    if exclusive or not takes_floats(x, _LEAST, _rows) or not x.ndim:
        return NotImplemented
    x = flat(x)
    outer, n, inner = (1, x.size, 1) if flatten else around(x.shape, axis)
    out = np.empty(x.size if flatten else x.shape, x.dtype)
    begin, step = (n - 1, -1) if reverse else (0, 1)
    if inner == 1:
        _run_rows(x.dtype, x, out, outer, n, begin, step)
    else:
        block = min(inner, _BLOCK)
        _run_columns(x.dtype, x, out, outer, n, inner, block, -(-inner // block), begin, step)
    return out


@loops.kernel
def _product_rows(x, out, rows, n, exclusive):
    for q in parallel((rows + 3) // 4, n * 4):
        first = q * 4
        if first + 4 <= rows:
            a, b, c, d = 1.0, 1.0, 1.0, 1.0
            row = x + first * n
            result = out + first * n
            for i in range(n):
                u = a * row[i]
                v = b * row[n + i]
                w = c * row[2 * n + i]
                z = d * row[3 * n + i]
                result[i] = a if exclusive > 0 else u
                result[n + i] = b if exclusive > 0 else v
                result[2 * n + i] = c if exclusive > 0 else w
                result[3 * n + i] = d if exclusive > 0 else z
                a, b, c, d = u, v, w, z
        else:
            for r in range(first, rows):
                total = 1.0
                for i in range(r * n, r * n + n):
                    behind = total * x[i]
                    out[i] = total if exclusive > 0 else behind
                    total = behind


@loops.kernel
def _product_columns(x, out, outer, n, inner, block, blocks, exclusive):
    for p in parallel(outer * blocks, n * block // 4):
        first = p % blocks * block
        width = min(block, inner - first)
        start = p // blocks * n * inner + first
        for c in range(start, start + width):
            out[c] = 1.0 if exclusive > 0 else x[c]
        for i in range(1, n):
            row = start + i * inner
            for c in range(row, row + width):
                out[c] = out[c - inner] * x[c - exclusive * inner]


_run_product_rows = bound(_product_rows, "T* T* i64 i64 i64")
_run_product_columns = bound(_product_columns, "T* T* i64 i64 i64 i64 i64 i64")


def _product(x: np.ndarray, axis: int, exclusive: int) -> Any:
    if not x.ndim or not takes_floats(x, _LEAST, _product_rows):
        return NotImplemented
    x = flat(x)
    outer, n, inner = around(x.shape, axis)
    out = np.empty(x.shape, x.dtype)
    if inner == 1:
        _run_product_rows(x.dtype, x, out, outer, n, exclusive)
    else:
        block = min(inner, _BLOCK)
        _run_product_columns(x.dtype, x, out, outer, n, inner, block, -(-inner // block), exclusive)
    return out


def cumprod(x: np.ndarray, *, dim: int) -> Any:
    """The running product along a dimension."""
    return _product(x, dim, 0)


def exclusive_cumprod(x: np.ndarray, *, axis: int) -> Any:
    """The product of the elements before each one along a dimension."""
    return _product(x, axis, 1)


@loops.exact_kernel
def _recurrent_rows(a, x, out, rows, n, first, step, ahead):
    """S[k] = a[k] + x[k + ahead] * S[k - step], from k = first on, by `step`; four rows at a time."""
    for q in parallel((rows + 3) // 4, n * 4):
        four = min(q * 4 + 4, rows)
        if q * 4 + 4 == four:
            row = q * 4 * n
            s0, s1, s2, s3 = a[row + first], a[row + n + first], a[row + 2 * n + first], a[row + 3 * n + first]
            out[row + first] = s0
            out[row + n + first] = s1
            out[row + 2 * n + first] = s2
            out[row + 3 * n + first] = s3
            for j in range(1, n):
                k = row + first + j * step
                s0 = x[k + ahead] * s0 + a[k]
                s1 = x[k + n + ahead] * s1 + a[k + n]
                s2 = x[k + 2 * n + ahead] * s2 + a[k + 2 * n]
                s3 = x[k + 3 * n + ahead] * s3 + a[k + 3 * n]
                out[k] = s0
                out[k + n] = s1
                out[k + 2 * n] = s2
                out[k + 3 * n] = s3
        else:
            for r in range(q * 4, rows):
                s = a[r * n + first]
                out[r * n + first] = s
                for j in range(1, n):
                    k = r * n + first + j * step
                    s = x[k + ahead] * s + a[k]
                    out[k] = s


@loops.exact_kernel
def _recurrent_columns(a, x, out, outer, n, inner, first, step, ahead):
    for p in parallel(outer, n * inner):
        start = (p * n + first) * inner
        for c in range(start, start + inner):
            out[c] = a[c]
        for j in range(1, n):
            row = start + j * step * inner
            for c in range(row, row + inner):
                out[c] = x[c + ahead * inner] * out[c - step * inner] + a[c]


_run_recurrent_rows = bound(_recurrent_rows, "T* T* T* i64 i64 i64 i64 i64")
_run_recurrent_columns = bound(_recurrent_columns, "T* T* T* i64 i64 i64 i64 i64 i64")


def recurrence(a: np.ndarray, x: np.ndarray, *, axis: int, reverse: bool) -> Any:
    """S[k] = A[k] + X[k] * S[k-1]; in reverse S[k] = A[k] + X[k+1] * S[k+1]."""
    if not a.ndim or a.shape != x.shape or a.dtype is not x.dtype or not takes_floats(a, _LEAST, _recurrent_rows):
        return NotImplemented
    a, x = flat(a), flat(x)
    outer, n, inner = around(a.shape, axis)
    out = np.empty(a.shape, a.dtype)
    way = (n - 1, -1, 1) if reverse else (0, 1, 0)
    if inner == 1:
        _run_recurrent_rows(a.dtype, a, x, out, outer, n, *way)
    else:
        _run_recurrent_columns(a.dtype, a, x, out, outer, n, inner, *way)
    return out


@loops.function
def is_extreme(x, best, sign):
    """Whether a running maximum, for a `sign` below 0 a minimum, goes on with x: the last of equal ones, or a NaN."""
    return (x >= best if sign > 0 else x <= best) or x != x


@loops.kernel
def _extreme_rows(x, values, places, rows, n, sign):
    for q in parallel((rows + 3) // 4, n * 8):
        first = q * 4 * n
        if q * 4 + 4 <= rows:
            a, b, c, d = x[first], x[first + n], x[first + 2 * n], x[first + 3 * n]
            at, bt, ct, dt = 0, 0, 0, 0
            for i in range(n):
                k = first + i
                at = i if is_extreme(x[k], a, sign) else at
                a = x[k] if is_extreme(x[k], a, sign) else a
                bt = i if is_extreme(x[k + n], b, sign) else bt
                b = x[k + n] if is_extreme(x[k + n], b, sign) else b
                ct = i if is_extreme(x[k + 2 * n], c, sign) else ct
                c = x[k + 2 * n] if is_extreme(x[k + 2 * n], c, sign) else c
                dt = i if is_extreme(x[k + 3 * n], d, sign) else dt
                d = x[k + 3 * n] if is_extreme(x[k + 3 * n], d, sign) else d
                values[k] = a
                values[k + n] = b
                values[k + 2 * n] = c
                values[k + 3 * n] = d
                places[k] = at
                places[k + n] = bt
                places[k + 2 * n] = ct
                places[k + 3 * n] = dt
        else:
            for r in range(q * 4, rows):
                best = x[r * n]
                place = 0
                for i in range(n):
                    is_new = is_extreme(x[r * n + i], best, sign)
                    place = i if is_new else place
                    best = x[r * n + i] if is_new else best
                    values[r * n + i] = best
                    places[r * n + i] = place


@loops.kernel
def _extreme_columns(x, values, places, outer, n, inner, sign):
    for p in parallel(outer, n * inner * 2):
        start = p * n * inner
        for c in range(start, start + inner):
            values[c] = x[c]
            places[c] = 0
        for i in range(1, n):
            row = start + i * inner
            for c in range(row, row + inner):
                is_new = is_extreme(x[c], values[c - inner], sign)
                values[c] = x[c] if is_new else values[c - inner]
                places[c] = i if is_new else places[c - inner]


_run_extreme_rows = bound(_extreme_rows, "T* T* i64* i64 i64 i64")
_run_extreme_columns = bound(_extreme_columns, "T* T* i64* i64 i64 i64 i64")


def _running_extremes(x: np.ndarray, axis: int, sign: int) -> Any:
    if not x.ndim or not takes_floats(x, _LEAST_OF_EXTREMES, _extreme_rows):
        return NotImplemented
    outer, n, inner = around(x.shape, axis)
    values, places = np.empty(x.shape, x.dtype), np.empty(x.shape, "int64")
    if inner == 1:
        _run_extreme_rows(x.dtype, flat(x), values, places, outer, n, sign)
    else:
        _run_extreme_columns(x.dtype, flat(x), values, places, outer, n, inner, sign)
    return values, places


def cummax(x: np.ndarray, *, axis: int = -1, dtype: Any) -> Any:
    """The running maximum along a dimension, and where it was found."""
    found = _running_extremes(x, axis, 1)
    return found if found is NotImplemented else (found[0], found[1].astype(dtype.dtype, copy=False))


def cummin(x: np.ndarray, *, axis: int = -1, dtype: Any) -> Any:
    """The running minimum along a dimension, and where it was found."""
    found = _running_extremes(x, axis, -1)
    return found if found is NotImplemented else (found[0], found[1].astype(dtype.dtype, copy=False))

