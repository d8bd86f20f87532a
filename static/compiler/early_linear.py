"""Products with frozen weights as these lie, before they are packed: bringing them into form takes a third as long.

oneDNN's plain product (`backend/onednn/products.py`) is as fast as that with a packed weight. What follows is no part
of it, so that with an activation that takes long the weight is brought into its form.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...backend import onednn
from ...backend.kernels.elementwise import relu_in_place
from ...backend.loops.kernel import is_at_once
from ...ops.core.operator import find


def early_linear(x: np.ndarray, y: np.ndarray, bias: Any, residual: Any, activation: str) -> Any:
    """activation(x @ y + bias + residual); NotImplemented where the weight is better brought into its form."""
    if is_at_once() or activation not in ("", "relu") or type(y) is not np.ndarray or y.ndim != 2 or x.ndim < 2:
        return NotImplemented
    result = onednn.matmul(x.reshape(-1, x.shape[-1]), y)
    if result is NotImplemented:
        return NotImplemented
    result = result.reshape(*x.shape[:-1], y.shape[1])
    for added in (bias, residual):
        if added is not None:
            result += added
    return relu_in_place(result) if activation else result


def early_rows(x: np.ndarray, y: np.ndarray, bias: Any, residual: Any, activation: str) -> np.ndarray:
    """The same of a row or two by NumPy, in parts that its BLAS leaves to one thread.

    Neither oneDNN nor its code is needed until a loop is due (`row_product`).
    """
    rows, count = x.reshape(-1, x.shape[-1]), y.shape[1]
    result, width = np.empty((len(rows), count), np.float32), max(onednn.LARGE // rows.size, 1)
    for begin in range(0, count, width):
        part = slice(begin, begin + width)
        np.matmul(rows, y[:, part], out=result[:, part])
    result = result.reshape(*x.shape[:-1], count)
    for added in (bias, residual):
        if added is not None:
            result += added
    if activation == "hard_swish":  # by itself: importing all activations takes longer
        return result * (np.clip(result + np.float32(3), 0, 6) * np.float32(1 / 6))
    return find(activation).kernel_for(np)(np, result) if activation else result
