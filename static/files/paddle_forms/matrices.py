"""Matrices and spectra."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....ops.array.creation import eye, full_like
from ....ops.array.full import constant, full
from ....ops.array.reshape import reshape, unsqueeze
from ....ops.array.where import where_op
from ....ops.core.trace import apply
from ....ops.math.casting import cast, dtype_of
from ....ops.math.comparison import equal, logical_and, not_equal
from .registry import form


@form("over_gaps", "X, W -> Out")
def _over_gaps(x: Any, w: Any) -> Any:
    if dtype_of(x).is_complex or x.shape[-1] < 0:
        raise NotImplementedError("complex numbers are not compared, or the size of the matrices is not known")
    zero, one = full_like(x, 0.0), full_like(x, 1.0)
    apart = equal(eye(x.shape[-1], dtype=x.dtype), full([x.shape[-1]] * 2, 0.0, x.dtype))
    divided = logical_and(not_equal(x, zero), apart)
    gaps = apply(where_op, divided, one * (unsqueeze(w, -2) - unsqueeze(w, -1)), one)
    return apply(where_op, divided, x / gaps, zero)


@form("scale_paired", "X, Whole? -> Out")
def _scaled_pairs(x: Any, whole: Any, *, axis: int, size: int, factor: float) -> Any:
    size, count = size if whole is None else whole.shape[axis], x.shape[axis]
    if -1 in (size, count):
        raise NotImplementedError("how long the spectrum is is not known")
    weights = [1.0, *[factor] * (count - 1)]
    if size % 2 == 0:
        weights[size // 2:] = [1.0] * (count - size // 2)
    shape = [count, *[1] * (len(x.shape) - 1 - axis % len(x.shape))]
    return x * cast(reshape(constant(np.array(weights, "float32")), shape), x.dtype)
