"""Losses of elements: those that give more than one array, which a formula cannot, or are worth a loop when small."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import loops
from ..loops.names import exp, log1p, parallel, sigmoid
from .arrays import bound, flat, takes, takes_floats

_LEAST = 1 << 11
_LEAST_OF_LOGITS = 1 << 9


@loops.kernel
def _huber(x, y, out, residual, n, delta, half):
    for i in parallel(n, 1):
        away = y[i] - x[i]
        size = abs(away)
        residual[i] = away
        out[i] = away * away * 0.5 if size <= delta else (size - half) * delta


@loops.kernel
def _logits(x, label, out, n, ignored):
    for i in parallel(n, 2):
        loss = max(x[i], 0.0) - x[i] * label[i] + log1p(exp(0.0 - abs(x[i])))
        out[i] = loss * (1.0 if label[i] != ignored else 0.0)


@loops.kernel
def _logits_grad(x, label, g, out, n, ignored):
    for i in parallel(n, 2):
        out[i] = g[i] * (sigmoid(x[i]) - label[i]) * (1.0 if label[i] != ignored else 0.0)


_call_logits = bound(_logits, "T* T* T* i64 real")
_call_logits_grad = bound(_logits_grad, "T* T* T* T* i64 real")
_call_huber = bound(_huber, "T* T* T* T* i64 real real")


def huber_loss(x: np.ndarray, y: np.ndarray, *, delta: float = 1.0) -> Any:
    """Half the square of y - x where that is at most delta, delta * (|y - x| - delta / 2) beyond; and y - x."""
    if not takes_floats(x, _LEAST, _huber) or not _alike(x, y):
        return NotImplemented
    out, residual = np.empty(x.shape, x.dtype), np.empty(x.shape, x.dtype)
    _call_huber(x.dtype, flat(x), flat(y), out, residual, x.size, delta, 0.5 * delta)
    return out, residual


def sigmoid_cross_entropy_with_logits(x: np.ndarray, label: np.ndarray, pos_weight: Any = None, *,
                                      normalize: bool = False, ignore_index: int = -100) -> Any:
    """max(x, 0) - x * label + log(1 + exp(-|x|)), and 0 where the label is to be ignored."""
    if normalize or pos_weight is not None or not takes(x, _LEAST_OF_LOGITS, _logits) or not _alike(x, label):
        return NotImplemented
    out = np.empty(x.shape, x.dtype)
    _call_logits(x.dtype, flat(x), flat(label), out, x.size, float(ignore_index))
    return out


def sigmoid_cross_entropy_with_logits_grad(x: np.ndarray, label: np.ndarray, g: np.ndarray, *,
                                           ignore_index: int = -100) -> Any:
    """g * (sigmoid(x) - label), and 0 where the label is to be ignored."""
    if not takes(x, _LEAST_OF_LOGITS, _logits_grad) or not _alike(x, label) or not _alike(x, g):
        return NotImplemented
    out = np.empty(x.shape, x.dtype)
    _call_logits_grad(x.dtype, flat(x), flat(label), flat(g), out, x.size, float(ignore_index))
    return out


def _alike(x: np.ndarray, y: np.ndarray) -> bool:
    return x.dtype is y.dtype and x.shape == y.shape
