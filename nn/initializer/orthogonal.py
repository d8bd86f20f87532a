"""Orthogonal matrices."""

from __future__ import annotations

import math
from typing import Any

from ...core.dtype import convert_dtype, float32, float64
from ...ops.array.diagonal import diagonal
from ...ops.array.reshape import reshape, transpose
from ...ops.linalg.qr_svd import qr
from ...ops.math.casting import cast
from ...ops.math.unary import sign
from ...ops.random.sampling import gaussian
from .initializer import Initializer


class Orthogonal(Initializer):
    """A matrix with orthonormal rows or columns, times `gain`; further dimensions count as columns.

    Saxe et al., Exact solutions to the nonlinear dynamics of learning in deep linear neural networks, 2014.

    >>> import proa as paddle
    >>> start = paddle.nn.initializer.Orthogonal()
    >>> w = paddle.nn.Linear(3, 3, weight_attr=start).weight
    >>> bool(paddle.allclose(w @ w.T, paddle.eye(3), atol=1e-5))
    True
    """

    def __init__(self, gain: float = 1.0, name: str | None = None):
        self.gain = gain

    def value(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """A value of this shape and dtype; ValueError for fewer than two dimensions."""
        if len(shape) < 2:
            raise ValueError(f"Orthogonal: a parameter has at least 2 dimensions. Received shape {list(shape)}.")
        rows, columns = shape[0], math.prod(shape[1:])
        wide = dtype if convert_dtype(dtype) in (float32, float64) else float32
        drawn = gaussian([max(rows, columns), min(rows, columns)], dtype=wide)
        q, r = qr(drawn)
        q = q * sign(diagonal(r)) * self.gain
        return cast(reshape(transpose(q, [1, 0]) if rows < columns else q, list(shape)), dtype)
