"""sequence_softmax: the rows of each sequence, of one number each, as positive numbers that add up to 1."""

from __future__ import annotations

from typing import Any

from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from .offsets import last_of, lengths_of, levels_of, maxima, repeated, sums
from .pooling import rows_of_pooled_op, sequence_pool_op


def _softmax(xp, x, lod):
    offsets = last_of("sequence_softmax(input)", lod, len(x))
    lengths = lengths_of(offsets)
    weights = xp.exp(x - repeated(xp, maxima(xp, x, offsets), lengths, offsets))
    weights /= repeated(xp, sums(xp, weights, offsets), lengths, offsets)
    return weights


def _infer(x: Spec, lod: Any) -> Spec:
    levels_of("sequence_softmax(input)", lod)
    if any(size not in (1, -1) for size in x.shape[1:]):
        raise ValueError(f"sequence_softmax(input): must have one number a row, shape [N] or [N, 1]. Received "
                         f"{list(x.shape)}.")
    return x


def _gradient(g: Any, Out: Any, Out_shape: Any, lod: Any) -> Any:
    total = apply(sequence_pool_op, g * Out, lod, pooltype="SUM")[0]
    rows = Out_shape[0] if isinstance(Out_shape, tuple) else -1
    return (g - apply(rows_of_pooled_op, total, None, lod, pooltype="SUM", rows=rows)) * Out


sequence_softmax_op = operator("sequence_softmax", "X, lod^X -> Out", kernel=_softmax, infer=_infer,
                               grad={"X": _gradient}, fails="values", precision="black")
