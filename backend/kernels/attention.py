"""What attention does with a tile of scores, on NumPy arrays of float32: products by oneDNN, the rest by loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import loops, onednn
from ..loops.names import exp, log, parallel
from .arrays import F32, bound


@loops.kernel
def _exponentials(x, totals, sums, rows, n):
    for r in parallel(rows, n * 10):
        row = x + r * n
        top = row[0]
        for i in range(n):
            top = max(top, row[i])
        total = 0.0
        for i in range(n):
            e = exp(row[i] - top)
            row[i] = e
            total += e
        sums[r] = total
        totals[r] = top + log(total)


@loops.kernel
def _weights(x, totals, rows, n):
    for r in parallel(rows, n * 10):
        row = x + r * n
        total = totals[r]
        for i in range(n):
            row[i] = exp(row[i] - total)


@loops.kernel
def _slopes(u, weights, shares, rows, n):
    for r in parallel(rows, n):
        row = u + r * n
        own = weights + r * n
        share = shares[r]
        for i in range(n):
            row[i] = (row[i] - share) * own[i]


_run_exponentials = bound(_exponentials, "T* T* T* i64 i64")
_run_weights = bound(_weights, "T* T* i64 i64")
_run_slopes = bound(_slopes, "T* T* T* i64 i64")


def takes(*arrays: Any) -> bool:
    """Whether both engines can be had for these arrays, of float32."""
    return all(a is None or a.dtype is F32 for a in arrays) and loops.is_ready() and onednn.is_ready()


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a @ b."""
    found = onednn.large_product(a, b)
    return np.matmul(a, b) if found is NotImplemented else found


def exponentials(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Makes exp(score - the row's largest) of contiguous scores; gives their sums, and those' logarithms plus it."""
    totals, sums = np.empty(scores.shape[:-1], scores.dtype), np.empty(scores.shape[:-1], scores.dtype)
    _run_exponentials(F32, scores, totals, sums, sums.size, scores.shape[-1])
    return sums, totals


def weights(scores: np.ndarray, totals: np.ndarray) -> None:
    """Makes exp(score - the row's total) of contiguous scores."""
    _run_weights(F32, scores, np.ascontiguousarray(totals), totals.size, scores.shape[-1])


def slopes(u: np.ndarray, weights: np.ndarray, shares: np.ndarray) -> None:
    """Makes (u - the row's share) * weight of contiguous u."""
    _run_slopes(F32, u, weights, np.ascontiguousarray(shares), shares.size, u.shape[-1])
