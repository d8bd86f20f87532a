"""Orthogonal matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.random import default_generator
from ...ops.creation import to_tensor
from .initializer import Initializer


class Orthogonal(Initializer):
    """A matrix with orthonormal rows or columns, times `gain`; further dimensions count as columns.

    Saxe et al., Exact solutions to the nonlinear dynamics of learning in deep linear neural networks, 2014.
    """

    def __init__(self, gain: float = 1.0, name: str | None = None):
        self.gain = gain

    def value(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """A value of this shape and dtype; ValueError for fewer than two dimensions."""
        if len(shape) < 2:
            raise ValueError(f"Orthogonal: a parameter has at least 2 dimensions. Received shape {list(shape)}.")
        rows, columns = shape[0], int(np.prod(shape[1:]))
        drawn = default_generator().numpy.standard_normal((max(rows, columns), min(rows, columns)))
        q, r = np.linalg.qr(drawn)
        q *= np.sign(np.diagonal(r))
        return to_tensor((self.gain * (q.T if rows < columns else q)).reshape(shape), dtype)
