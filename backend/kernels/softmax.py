"""softmax, log_softmax and their gradients along a dimension, in one pass over rows that stay in the cache.

Where the dimension is not the last, several neighbouring columns are computed at a time: a `block` of them, whose
maxima and sums stand in `work`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import loops
from ..loops.names import exp, log, parallel
from ..loops.tape import LARGEST_OF_FUNCTIONS, Declined, Tape, Value
from .arrays import F32, around, bound, flat, takes
from .reduce_functions import largest

_LEAST = 1 << 5
_BLOCK = 64
_STRETCH = 1 << 11  # elements, which stay in the fastest cache
_LOWEST = -3.4028234663852886e38


@loops.function
def softmax_row(row, result, n):
    """Writes the softmax of a row; gives its largest element and the sum of exp(x - largest)."""
    top = largest(row, n)
    total = 0.0
    for i in range(n):
        e = exp(row[i] - top)
        result[i] = e
        total += e
    factor = 1.0 / total
    for i in range(n):
        result[i] = result[i] * factor
    return top, total


@loops.function
def exp_total(row, top, n):
    """The sum of exp(x - top)."""
    total = 0.0
    for i in range(n):
        total += exp(row[i] - top)
    return total


@loops.function
def below_largest(x, out, count, n):
    """x - largest of so many rows."""
    for r in range(count):
        row = x + r * n
        result = out + r * n
        top = largest(row, n)
        for i in range(n):
            result[i] = row[i] - top


@loops.function
def divided_by_total(row, n):
    """Divides a row by its sum, and gives that."""
    total = 0.0
    for i in range(n):
        total += row[i]
    factor = 1.0 / total
    for i in range(n):
        row[i] = row[i] * factor
    return total


@loops.kernel
def _softmax_rows(x, out, rows, n, some):
    for b in parallel((rows + some - 1) // some, n * some):
        start = b * some * n
        count = min(rows - b * some, some)
        result = out + start
        below_largest(x + start, result, count, n)
        for i in range(count * n):
            result[i] = exp(result[i])
        for r in range(count):
            divided_by_total(result + r * n, n)


@loops.kernel
def _log_softmax_rows(x, out, work, rows, n, some):
    for b in parallel((rows + some - 1) // some, n * some):
        start = b * some * n
        count = min(rows - b * some, some)
        result = out + start
        powers = work + start
        below_largest(x + start, result, count, n)
        for i in range(count * n):
            powers[i] = exp(result[i])
        for r in range(count):
            row = result + r * n
            terms = powers + r * n
            total = 0.0
            for i in range(n):
                total += terms[i]
            shift = log(total)
            for i in range(n):
                row[i] = row[i] - shift


@loops.kernel
def _softmax_grad_rows(y, g, out, rows, n):
    for r in parallel(rows, max(1, n // 2)):
        row = y + r * n
        back = g + r * n
        result = out + r * n
        total = 0.0
        for i in range(n):
            total += row[i] * back[i]
        for i in range(n):
            result[i] = row[i] * (back[i] - total)


@loops.kernel
def _log_softmax_grad_rows(y, g, out, rows, n):
    for r in parallel(rows, n):
        row = y + r * n
        back = g + r * n
        result = out + r * n
        total = 0.0
        for i in range(n):
            total += back[i]
        for i in range(n):
            result[i] = back[i] - exp(row[i]) * total


@loops.kernel
def _softmax_columns(x, out, work, outer, n, inner, block, blocks, logarithm):
    for p in parallel(outer * blocks, n * block):
        first = p % blocks * block
        width = min(block, inner - first)
        start = x + p // blocks * n * inner + first
        result = out + p // blocks * n * inner + first
        tops = work + p * 2 * block
        totals = work + p * 2 * block + block
        for c in range(width):
            tops[c] = start[c]
            totals[c] = 0.0
        for i in range(1, n):
            for c in range(width):
                tops[c] = max(tops[c], start[i * inner + c])
        for i in range(n):
            for c in range(width):
                e = exp(start[i * inner + c] - tops[c])
                result[i * inner + c] = e
                totals[c] = totals[c] + e
        if logarithm > 0:
            for c in range(width):
                totals[c] = log(totals[c])
            for i in range(n):
                for c in range(width):
                    result[i * inner + c] = start[i * inner + c] - tops[c] - totals[c]
        else:
            for c in range(width):
                totals[c] = 1.0 / totals[c]
            for i in range(n):
                for c in range(width):
                    result[i * inner + c] = result[i * inner + c] * totals[c]


@loops.kernel
def _softmax_grad_columns(y, g, out, work, outer, n, inner, block, blocks, logarithm):
    for p in parallel(outer * blocks, n * block):
        first = p % blocks * block
        width = min(block, inner - first)
        start = p // blocks * n * inner + first
        row = y + start
        back = g + start
        result = out + start
        totals = work + p * block
        for c in range(width):
            totals[c] = 0.0
        if logarithm > 0:
            for i in range(n):
                for c in range(width):
                    totals[c] = totals[c] + back[i * inner + c]
            for i in range(n):
                for c in range(width):
                    result[i * inner + c] = back[i * inner + c] - exp(row[i * inner + c]) * totals[c]
        else:
            for i in range(n):
                for c in range(width):
                    totals[c] = totals[c] + row[i * inner + c] * back[i * inner + c]
            for i in range(n):
                for c in range(width):
                    result[i * inner + c] = row[i * inner + c] * (back[i * inner + c] - totals[c])


_rows = bound(_softmax_rows, "T* T* i64 i64 i64")
_log_rows = bound(_log_softmax_rows, "T* T* T* i64 i64 i64")
_grad_rows_of = {False: bound(_softmax_grad_rows, "T* T* T* i64 i64"),
                 True: bound(_log_softmax_grad_rows, "T* T* T* i64 i64")}
_columns = bound(_softmax_columns, "T* T* T* i64 i64 i64 i64 i64 i64")
_grad_columns = bound(_softmax_grad_columns, "T* T* T* T* i64 i64 i64 i64 i64 i64")


def column_blocks(inner: int) -> tuple[int, int]:
    """The width of a block of columns, and how many there are."""
    width = min(inner, _BLOCK)
    return width, -(-inner // width)


def rows_at_once(n: int) -> int:
    """How many rows of n are taken as one stretch: exp of all of them leaves one end that no vector covers."""
    some = _STRETCH // n
    return some // 8 * 8 or max(some, 1)


def _forward(x: np.ndarray, axis: int, logarithm: bool) -> Any:
    if not takes(x, _LEAST, _softmax_rows):
        return NotImplemented
    x, out = flat(x), np.empty(x.shape, x.dtype)
    outer, n, inner = around(x.shape, axis)
    if inner == 1:
        if logarithm:
            _log_rows(x.dtype, x, out, np.empty(x.size, x.dtype), outer, n, rows_at_once(n))
        else:
            _rows(x.dtype, x, out, outer, n, rows_at_once(n))
    else:
        block, blocks = column_blocks(inner)
        work = np.empty(outer * blocks * block * 2, x.dtype)
        _columns(x.dtype, x, out, work, outer, n, inner, block, blocks, int(logarithm))
    return out


def _backward(y: np.ndarray, g: np.ndarray, axis: int, logarithm: bool) -> Any:
    if not takes(y, _LEAST, _softmax_grad_rows) or g.dtype is not y.dtype or g.shape != y.shape:
        return NotImplemented
    y, g, out = flat(y), flat(g), np.empty(y.shape, y.dtype)
    outer, n, inner = around(y.shape, axis)
    if inner == 1:
        _grad_rows_of[logarithm](y.dtype, y, g, out, outer, n)
    else:
        block, blocks = column_blocks(inner)
        work = np.empty(outer * blocks * block, y.dtype)
        _grad_columns(y.dtype, y, g, out, work, outer, n, inner, block, blocks, int(logarithm))
    return out


def softmax(x: np.ndarray, *, axis: int = -1, is_test: bool = False, data_format: str = "AnyLayout") -> Any:
    """exp(x) / sum(exp(x)) along a dimension."""
    return _forward(x, axis, False)


def log_softmax(x: np.ndarray, *, axis: int = -1) -> Any:
    """x - log(sum(exp(x))) along a dimension."""
    return _forward(x, axis, True)


def softmax_grad(out: np.ndarray, g: np.ndarray, *, axis: int = -1) -> Any:
    """out * (g - sum(out * g)) along a dimension."""
    return _backward(out, g, axis, False)


def log_softmax_grad(out: np.ndarray, g: np.ndarray, *, axis: int = -1) -> Any:
    """g - exp(out) * sum(g) along a dimension."""
    return _backward(out, g, axis, True)


def _rows_of(x: Value, axis: int) -> tuple[int, int]:
    """How many rows of how many elements; `Declined` where these do not lie side by side."""
    if x.dtype is not F32 or not x.shape or not x.size or axis % x.ndim != x.ndim - 1:
        raise Declined
    return x.size // x.shape[-1], x.shape[-1]


def taped(tape: Tape, x: Value, axis: int, logarithm: bool) -> Value:
    """`softmax`, or its logarithm, as a step of a tape."""
    rows, n = _rows_of(x, axis)
    out = tape.new(x.shape, x.dtype, LARGEST_OF_FUNCTIONS)
    if logarithm:
        tape.step(_log_softmax_rows, x, out, tape.new(x.shape, x.dtype, LARGEST_OF_FUNCTIONS), rows, n, rows_at_once(n))
    else:
        tape.step(_softmax_rows, x, out, rows, n, rows_at_once(n))
    return out


def taped_grad(tape: Tape, out: Value, g: Value, axis: int, logarithm: bool) -> Value:
    """The gradient of these as a step of a tape."""
    rows, n = _rows_of(out, axis)
    if g.shape != out.shape or g.dtype != out.dtype:
        raise Declined
    result = tape.new(out.shape, out.dtype, LARGEST_OF_FUNCTIONS)
    tape.step(_log_softmax_grad_rows if logarithm else _softmax_grad_rows, out, g, result, rows, n)
    return result
