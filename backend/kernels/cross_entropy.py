"""softmax_with_cross_entropy and its gradient along a dimension: a row of logits at a time where that is the last one,
else a block of neighbouring columns.

Labels are looked at by the loops themselves; where one is out of range, the kernel that knows how to say so takes over.
Of a row that is ignored nothing passes on, NaN neither.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import loops
from ..loops.names import exp, i64, log, parallel
from .arrays import around, bound, flat, takes
from .softmax import below_largest, column_blocks, divided_by_total, rows_at_once, softmax_row

_LEAST = 1 << 5


@loops.kernel
def _of_numbers(x, label, softmax, loss, wrong, rows, n, ignored, some):
    for b in parallel((rows + some - 1) // some, n * some):
        first = b * some
        count = min(rows - first, some)
        stretch = softmax + first * n
        below_largest(x + first * n, stretch, count, n)
        for r in range(first, first + count):
            chosen = i64(label[r])
            if chosen != ignored:
                if chosen < 0 or chosen >= n:
                    wrong[0] = 1
                else:
                    loss[r] = softmax[r * n + chosen]
        for i in range(count * n):
            stretch[i] = exp(stretch[i])
        for r in range(first, first + count):
            log_total = log(divided_by_total(softmax + r * n, n))
            loss[r] = 0.0 if i64(label[r]) == ignored else log_total - loss[r]


@loops.kernel
def _of_numbers_in_columns(x, label, softmax, loss, work, wrong, outer, n, inner, block, blocks, ignored):
    for p in parallel(outer * blocks, n * block):
        first = p % blocks * block
        width = min(block, inner - first)
        start = x + p // blocks * n * inner + first
        result = softmax + p // blocks * n * inner + first
        chosen = label + p // blocks * inner + first
        losses = loss + p // blocks * inner + first
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
        missing = 0
        for c in range(width):
            row = i64(chosen[c])
            missing += 1 if row != ignored and (row < 0 or row >= n) else 0
            at = row if row >= 0 and row < n else 0
            losses[c] = start[at * inner + c] - tops[c]
        if missing > 0:
            wrong[0] = 1
        for c in range(width):
            log_total = log(totals[c])
            losses[c] = 0.0 if i64(chosen[c]) == ignored else log_total - losses[c]
            totals[c] = 1.0 / totals[c]
        for i in range(n):
            for c in range(width):
                result[i * inner + c] = result[i * inner + c] * totals[c]


@loops.kernel
def _of_distributions(x, label, softmax, loss, rows, n):
    for r in parallel(rows, n):
        row = x + r * n
        weights = label + r * n
        top, total = softmax_row(row, softmax + r * n, n)
        log_total = log(total)
        found = 0.0
        for i in range(n):
            found += weights[i] * (log_total - (row[i] - top))
        loss[r] = found


@loops.kernel
def _back_to_numbers(softmax, label, g, dx, wrong, rows, n, ignored):
    for r in parallel(rows, max(1, n // 2)):
        row = softmax + r * n
        result = dx + r * n
        chosen = i64(label[r])
        if chosen == ignored:
            for i in range(n):
                result[i] = 0.0
        elif chosen < 0 or chosen >= n:
            wrong[0] = 1
        else:
            factor = g[r]
            for i in range(n):
                result[i] = row[i] * factor
            result[chosen] = result[chosen] - factor


@loops.kernel
def _back_to_numbers_in_columns(softmax, label, g, dx, work, wrong, outer, n, inner, block, blocks, ignored):
    for p in parallel(outer * blocks, max(1, n * block // 2)):
        first = p % blocks * block
        width = min(block, inner - first)
        start = softmax + p // blocks * n * inner + first
        result = dx + p // blocks * n * inner + first
        chosen = label + p // blocks * inner + first
        given = g + p // blocks * inner + first
        factors = work + p * block
        for c in range(width):
            factors[c] = 0.0 if i64(chosen[c]) == ignored else given[c]
        for i in range(n):
            for c in range(width):
                result[i * inner + c] = start[i * inner + c] * factors[c]
        for c in range(width):
            row = i64(chosen[c])
            if row == ignored:
                for i in range(n):
                    result[i * inner + c] = 0.0
            elif row >= 0 and row < n:
                result[row * inner + c] = result[row * inner + c] - factors[c]
            else:
                wrong[0] = 1


@loops.kernel
def _back_to_distributions(softmax, label, g, dx, rows, n):
    for r in parallel(rows, max(1, n // 2)):
        row = softmax + r * n
        weights = label + r * n
        result = dx + r * n
        factor = g[r]
        total = 0.0
        for i in range(n):
            total += weights[i]
        for i in range(n):
            result[i] = (row[i] * total - weights[i]) * factor


_I64, _I32 = np.dtype("int64"), np.dtype("int32")
_of_numbers_by = {label: bound(_of_numbers, f"T* {kind} T* T* u8* i64 i64 i64 i64")
                  for label, kind in ((_I64, "i64*"), (_I32, "i32*"))}
_back_to_numbers_by = {label: bound(_back_to_numbers, f"T* {kind} T* T* u8* i64 i64 i64")
                       for label, kind in ((_I64, "i64*"), (_I32, "i32*"))}
_of_numbers_in_columns_by = {
    label: bound(_of_numbers_in_columns, f"T* {kind} T* T* T* u8* i64 i64 i64 i64 i64 i64")
    for label, kind in ((_I64, "i64*"), (_I32, "i32*"))}
_back_to_numbers_in_columns_by = {
    label: bound(_back_to_numbers_in_columns, f"T* {kind} T* T* T* u8* i64 i64 i64 i64 i64 i64")
    for label, kind in ((_I64, "i64*"), (_I32, "i32*"))}
_call_of_distributions = bound(_of_distributions, "T* T* T* T* i64 i64")
_call_back_to_distributions = bound(_back_to_distributions, "T* T* T* T* i64 i64")


def _declines(logits: np.ndarray, label: np.ndarray, soft_label: bool, use_softmax: bool, axis: int,
              kernel: loops.Kernel) -> bool:
    if not use_softmax or not takes(logits, _LEAST, kernel) or not -logits.ndim <= axis < logits.ndim:
        return True
    axis %= logits.ndim
    if soft_label:
        return label.dtype is not logits.dtype or label.shape != logits.shape or axis != logits.ndim - 1
    lead, behind = logits.shape[:axis], logits.shape[axis + 1:]
    return label.dtype not in _of_numbers_by or label.shape not in ((*lead, *behind), (*lead, 1, *behind))


def _shape_of_losses(logits: np.ndarray, axis: int) -> tuple[int, ...]:
    return tuple([1 if n == axis % logits.ndim else size for n, size in enumerate(logits.shape)])


def softmax_with_cross_entropy(logits: np.ndarray, label: np.ndarray, *, soft_label: bool = False,
                               use_softmax: bool = True, numeric_stable_mode: bool = True, ignore_index: int = -100,
                               axis: int = -1) -> Any:
    """The softmax, and the loss of each row."""
    if _declines(logits, label, soft_label, use_softmax, axis, _of_numbers):
        return NotImplemented
    x, label, dtype = flat(logits), flat(label), logits.dtype
    rows, n, inner = around(logits.shape, axis)
    softmax, loss = np.empty(logits.shape, dtype), np.empty(_shape_of_losses(logits, axis), dtype)
    if soft_label:
        _call_of_distributions(dtype, x, label, softmax, loss, rows, n)
        return softmax, loss
    wrong = np.zeros(1, "uint8")
    if inner == 1:
        _of_numbers_by[label.dtype](dtype, x, label, softmax, loss, wrong, rows, n, ignore_index, rows_at_once(n))
    else:
        block, blocks = column_blocks(inner)
        work = np.empty(rows * blocks * block * 2, dtype)
        _of_numbers_in_columns_by[label.dtype](dtype, x, label, softmax, loss, work, wrong, rows, n, inner, block,
                                               blocks, ignore_index)
    return NotImplemented if wrong[0] else (softmax, loss)


def cross_entropy_mean(logits: np.ndarray, label: np.ndarray, *, use_softmax: bool = True, ignore_index: int = -100,
                       axis: int = -1) -> Any:
    """The mean loss of the rows that count, the softmax, the losses, and how many count (at least 1)."""
    found = softmax_with_cross_entropy(logits, label, use_softmax=use_softmax, ignore_index=ignore_index, axis=axis)
    if found is NotImplemented:
        return NotImplemented
    softmax, losses = found
    count = np.asarray(max(np.count_nonzero(label != ignore_index), 1), losses.dtype)
    return np.asarray(losses.sum() / count), softmax, losses, count


def cross_entropy_backward(logits: np.ndarray, softmax: np.ndarray, label: np.ndarray, g: np.ndarray, *,
                           soft_label: bool = False, use_softmax: bool = True, ignore_index: int = -100,
                           axis: int = -1) -> Any:
    """(softmax - label) * g, and 0 for rows whose label is ignored."""
    if _declines(softmax, label, soft_label, use_softmax, axis, _back_to_numbers) or g.dtype is not softmax.dtype:
        return NotImplemented
    dtype = softmax.dtype
    if g.shape != _shape_of_losses(softmax, axis):
        return NotImplemented
    softmax, label, g, dx = flat(softmax), flat(label), flat(g), np.empty(softmax.shape, dtype)
    rows, n, inner = around(softmax.shape, axis)
    if soft_label:
        _call_back_to_distributions(dtype, softmax, label, g, dx, rows, n)
        return dx
    wrong = np.zeros(1, "uint8")
    if inner == 1:
        _back_to_numbers_by[label.dtype](dtype, softmax, label, g, dx, wrong, rows, n, ignore_index)
    else:
        block, blocks = column_blocks(inner)
        work = np.empty(rows * blocks * block, dtype)
        _back_to_numbers_in_columns_by[label.dtype](dtype, softmax, label, g, dx, work, wrong, rows, n, inner, block,
                                                    blocks, ignore_index)
    return NotImplemented if wrong[0] else dx
