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
