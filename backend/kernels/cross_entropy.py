"""softmax_with_cross_entropy and its gradient over the last dimension, a row of logits at a time.

Labels are looked at by the loops themselves; where one is out of range, the kernel that knows how to say so takes over.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import loops
from ..loops.names import exp, i64, log, parallel
from .arrays import bound, flat, takes
from .softmax import below_largest, divided_by_total, rows_at_once, softmax_row

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
            loss[r] = log_total * 0.0 if i64(label[r]) == ignored else log_total - loss[r]


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
                result[i] = row[i] * 0.0
        elif chosen < 0 or chosen >= n:
            wrong[0] = 1
        else:
            factor = g[r]
            for i in range(n):
                result[i] = row[i] * factor
            result[chosen] = result[chosen] - factor


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
_call_of_distributions = bound(_of_distributions, "T* T* T* T* i64 i64")
_call_back_to_distributions = bound(_back_to_distributions, "T* T* T* T* i64 i64")


def _declines(logits: np.ndarray, label: np.ndarray, soft_label: bool, use_softmax: bool, axis: int,
              kernel: loops.Kernel) -> bool:
    if not use_softmax or not takes(logits, _LEAST, kernel) or axis not in (-1, logits.ndim - 1):
        return True
    if soft_label:
        return label.dtype is not logits.dtype or label.shape != logits.shape
    lead = logits.shape[:-1]
    return label.dtype not in _of_numbers_by or label.shape not in (lead, (*lead, 1))


def softmax_with_cross_entropy(logits: np.ndarray, label: np.ndarray, *, soft_label: bool = False,
                               use_softmax: bool = True, numeric_stable_mode: bool = True, ignore_index: int = -100,
                               axis: int = -1) -> Any:
    """The softmax, and the loss of each row."""
    if _declines(logits, label, soft_label, use_softmax, axis, _of_numbers):
        return NotImplemented
    x, label, dtype, lead = flat(logits), flat(label), logits.dtype, logits.shape[:-1]
    rows, n = math.prod(lead), logits.shape[-1]
    softmax, loss = np.empty(logits.shape, dtype), np.empty((*lead, 1), dtype)
    if soft_label:
        _call_of_distributions(dtype, x, label, softmax, loss, rows, n)
        return softmax, loss
    wrong = np.zeros(1, "uint8")
    _of_numbers_by[label.dtype](dtype, x, label, softmax, loss, wrong, rows, n, ignore_index, rows_at_once(n))
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
    dtype, lead = softmax.dtype, softmax.shape[:-1]
    if g.shape != (*lead, 1):
        return NotImplemented
    softmax, label, g, dx = flat(softmax), flat(label), flat(g), np.empty(softmax.shape, dtype)
    rows, n = math.prod(lead), softmax.shape[-1]
    if soft_label:
        _call_back_to_distributions(dtype, softmax, label, g, dx, rows, n)
        return dx
    wrong = np.zeros(1, "uint8")
    _back_to_numbers_by[label.dtype](dtype, softmax, label, g, dx, wrong, rows, n, ignore_index)
    return NotImplemented if wrong[0] else dx
