"""Negative log likelihood: what a label picks from each row of logarithms, its weight, and the sums of both."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import loops
from .arrays import bound, flat, takes_floats

LEAST = _LEAST = 1 << 8
_I64 = np.dtype("int64")


@loops.kernel
def _picked(x, label, weight, losses, sums, wrong, places, classes, inner, ignored, weighted):
    """Rows lie `inner` elements apart; without weights there is one, 1, for all."""
    lost = 0.0
    total = 0.0
    missing = 0
    for p in range(places):
        number = label[p]
        is_counted = number != ignored
        is_there = number >= 0 and number < classes
        at = number if is_there else 0
        share = weight[at * weighted] if is_counted and is_there else 0.0
        value = (0.0 - x[(p // inner * classes + at) * inner + p % inner]) * share if is_counted else 0.0
        losses[p] = value
        lost += value
        total += share
        missing += 1 if is_counted and not is_there else 0
    sums[0] = lost
    sums[1] = total
    wrong[0] = 1 if missing > 0 else 0


_run = bound(_picked, "T* i64* T* T* T* u8* i64 i64 i64 i64 i64")


def nll_loss(x: np.ndarray, label: np.ndarray, weight: np.ndarray | None = None, *, ignore_index: int = -100,
             reduction: str = "mean") -> Any:
    """The losses of x [N, C, ...], their sum or their weighted mean; and the sum of the weights."""
    if (label.dtype is not _I64 or label.shape != x.shape[:1] + x.shape[2:] or not label.size
            or not takes_floats(x, _LEAST, _picked)):
        return NotImplemented
    if weight is not None and (weight.dtype is not x.dtype or weight.size != x.shape[1]):
        return NotImplemented
    losses, sums, wrong = np.empty(label.shape, x.dtype), np.empty(2, x.dtype), np.empty(1, "uint8")
    factors = np.ones(1, x.dtype) if weight is None else flat(weight)
    _run(x.dtype, flat(x), flat(label), factors, losses, sums, wrong, label.size, x.shape[1], math.prod(x.shape[2:]),
         ignore_index, int(weight is not None))
    if wrong[0]:
        return NotImplemented
    lost, total = sums[0], np.asarray(sums[1])
    if reduction == "none":
        return losses, total
    return np.asarray(lost if reduction == "sum" else lost / total), total
