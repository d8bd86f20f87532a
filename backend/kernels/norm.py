"""The gradient that the normalizations share, by kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from .batch_norm import batch_norm_grad
from .group_norm import group_norm_grad
from .layer_norm import layer_norm_grad


def norm_grad(x: np.ndarray, scale: Any, mean: np.ndarray, spread: np.ndarray, g: np.ndarray, *, kind: str,
              data_format: str = "NCHW", begin: int = 1, groups: int = 1, epsilon: float, inverted: bool = False,
              constant: bool = False) -> Any:
    """The gradients of x, scale and bias; `spread` is 1 / deviation where `inverted`, the variance otherwise."""
    if kind == "layer":
        return NotImplemented if inverted else layer_norm_grad(x, scale, mean, spread, g, begin, epsilon)
    inverse = spread if inverted else 1 / np.sqrt(spread + epsilon)
    if kind == "batch":
        return batch_norm_grad(x, scale, mean, inverse, g, data_format, constant)
    if data_format[-1] == "C":
        return NotImplemented
    return group_norm_grad(x, scale, mean, inverse, g, x.shape[1] if kind == "instance" else groups)
