"""What attention does with a tile of scores, on NumPy arrays of float32: large products by oneDNN, the rest by loops.

The functions are those of an arithmetic of `ops/nn/attention_kernels.py`. Scores are contiguous, [batch, heads,
queries, keys]; a mask is of their shape, in any order. With `first` at least 0, query r of the tile sees the keys up to
number `first + r`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import loops, onednn, products
from ..loops.names import exp, log, parallel
from .arrays import F32, bound
from .reduce_functions import largest_scaled


@loops.function
def seen(first, number, n):
    """How many of n keys the query of this number sees."""
    count = first + number + 1
    return n if first < 0 or count > n else count


@loops.kernel
def _normalize(x, totals, rows, n, queries, first, scale):
    for r in parallel(rows, n * 10):
        row = x + r * n
        count = seen(first, r % queries, n)
        top = largest_scaled(row, scale, count)
        total = 0.0
        for i in range(count):
            e = exp(row[i] * scale - top)
            row[i] = e
            total += e
        for i in range(count):
            row[i] = row[i] / total
        for i in range(count, n):
            row[i] = 0.0
        totals[r] = top + log(total)


@loops.function
def is_far(total):
    """Whether the logarithm has too few digits for the sum, as at -1e9: weights are divided by what they add up to."""
    return total > 64.0 or total < -64.0


@loops.kernel
def _weights(x, totals, rows, n, queries, first, scale):
    for r in parallel(rows, n * 10):
        row = x + r * n
        count = seen(first, r % queries, n)
        total = totals[r]
        added = 0.0
        for i in range(count):
            e = exp(row[i] * scale - total)
            row[i] = e
            added += e
        if is_far(total):
            for i in range(count):
                row[i] = row[i] / added
        for i in range(count, n):
            row[i] = 0.0


@loops.kernel
def _slopes(u, weights, rows, n, factor):
    for r in parallel(rows, n * 2):
        row = u + r * n
        own = weights + r * n
        share = 0.0
        for i in range(n):
            share += row[i] * own[i]
        for i in range(n):
            row[i] = (row[i] - share) * own[i] * factor


@loops.kernel
def _add_mask(x, mask, rows, n, queries, heads, across, down, along, scale):
    for r in parallel(rows, n * 2):
        row = x + r * n
        added = mask + (r // (heads * queries) * across + r // queries % heads * down + r % queries * along)
        for i in range(n):
            row[i] = row[i] * scale + added[i]


_run_normalize = bound(_normalize, "T* T* i64 i64 i64 i64 real")
_run_weights = bound(_weights, "T* T* i64 i64 i64 i64 real")
_run_slopes = bound(_slopes, "T* T* i64 i64 real")
_run_add_mask = bound(_add_mask, "T* T* i64 i64 i64 i64 i64 i64 i64 real")


def takes(q: Any, k: Any, *others: Any) -> bool:
    """Whether loops can be had for these arrays, of float32 and not empty; the scores are of q and k."""
    if not all(a is None or (a.dtype is F32 and a.size) for a in (q, k, *others)) or not loops.is_ready():
        return False
    return _normalize.is_due(q.size // q.shape[-1] * k.shape[-2])


def product(a: np.ndarray, b: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """a @ b, in `out` where that is given, which may lie in any order; contiguous otherwise, whatever a and b are."""
    if max(a.size * b.shape[-1], b.size * a.shape[-2]) > onednn.LARGE and onednn.is_ready():
        found = onednn.matmul(a, b, out)
        if found is not NotImplemented:
            return found
    found = products.matmul(np, a, b, out)
    return np.ascontiguousarray(found) if out is None else found


def normalize(scores: np.ndarray, scale: float, mask: np.ndarray | None, first: int) -> np.ndarray:
    """Makes weights, the softmax of scale * score + mask, of scores; gives the logarithms of the sums."""
    totals = np.empty(scores.shape[:-1], scores.dtype)
    scale = _with_mask(scores, scale, mask)
    _run_normalize(F32, scores, totals, totals.size, scores.shape[-1], scores.shape[-2], first, scale)
    return totals


def weights(scores: np.ndarray, scale: float, mask: np.ndarray | None, first: int, totals: np.ndarray) -> None:
    """Makes the weights of scores again, from the logarithms of the sums."""
    scale = _with_mask(scores, scale, mask)
    _run_weights(F32, scores, np.ascontiguousarray(totals), totals.size, scores.shape[-1], scores.shape[-2], first,
                 scale)


def slopes(u: np.ndarray, weights: np.ndarray, factor: float) -> None:
    """Makes (u - the row's sum of u * weight) * weight * factor of u."""
    _run_slopes(F32, u, weights, u.size // max(u.shape[-1], 1), u.shape[-1], factor)


def _with_mask(scores: np.ndarray, scale: float, mask: np.ndarray | None) -> float:
    """Makes scale * score + mask of scores where there is a mask; gives the scale that is left to do."""
    if mask is None:
        return scale
    _, heads, queries, n = scores.shape
    if mask.strides[-1] != 4 or any(step % 4 for step in mask.strides):
        mask = np.ascontiguousarray(mask)
    across, down, along = (step // 4 for step in mask.strides[:3])
    _run_add_mask(F32, scores, mask, scores.size // max(n, 1), n, queries, heads, across, down, along, scale)
    return 1.0
