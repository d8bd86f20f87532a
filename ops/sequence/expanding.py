"""Rows and sequences repeated as often as other sequences are long: sequence_expand, sequence_expand_as."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.dtype import int64
from ..array.full import full_of_shape
from ..array.gather import put_at_op
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import dtype_of
from .offsets import checked, lengths_of, levels_of, offset_specs, repeated, taken
from .pooling import sequence_pool_op


def _times(x_count: int, offsets: Any) -> Any:
    lengths = lengths_of(offsets)
    if lengths.size != x_count:
        raise ValueError(f"sequence_expand(x, y): x must have a sequence (or row, without a LoD) for each sequence of "
                         f"y. Received {x_count} and {lengths.size}.")
    return lengths


def _expanded(xp: Any, lod: Sequence[Any], times: Any) -> tuple[list[Any], Any]:
    return taken(xp, lod, repeated(xp, xp.arange(times.size), times))


def _expand(xp, x, y, lod, y_lod, *, ref_level: int = -1):
    offsets = y_lod[ref_level]
    if not lod:
        times = _times(len(x), offsets)
        return repeated(xp, x, times, offsets), []
    count = checked("sequence_expand(x)", lod[-1], len(x)).size - 1
    made, rows = _expanded(xp, lod, _times(count, offsets))
    return x[rows], made


def _infer_expand(x, y, lod, y_lod, *, ref_level=-1):
    levels = levels_of("sequence_expand(y)", y_lod)
    if not -1 <= ref_level < levels:
        raise ValueError(f"sequence_expand(ref_level): must be -1, or one of the {levels} levels of y from 0. Received "
                         f"{ref_level}.")
    levels_of("sequence_expand(x)", lod, 0, 1)
    return Spec((-1, *x.shape[1:]), x.dtype), offset_specs(len(lod))


expanded_rows_op = operator(
    "expanded_rows", "lod*, y_lod* -> Rows", infer=lambda lod, y_lod, *, ref_level=-1: Spec((-1,), int64),
    kernel=lambda xp, lod, y_lod, *, ref_level=-1: _expanded(xp, lod, lengths_of(y_lod[ref_level]))[1],
    only_here=True, lod="drop")
"""The rows of x that `sequence_expand` takes."""


def _expand_gradient(g: Any, X_shape: Any, lod: Any, y_lod: Any, ref_level: int) -> Any:
    if not lod:
        return apply(sequence_pool_op, g, [y_lod[ref_level]], pooltype="SUM")[0]
    rows = apply(expanded_rows_op, lod, y_lod, ref_level=ref_level)
    return apply(put_at_op, full_of_shape(X_shape, 0.0, dtype_of(g)), rows, g, None, axis=0)


sequence_expand_op = operator(
    "sequence_expand", "X, Y, lod^X, y_lod^Y -> Out, out_lod^Out", kernel=_expand, infer=_infer_expand,
    grad={"X": _expand_gradient}, moves=True, fails="values")


def _expand_as(xp, x, y, y_lod):
    offsets = checked("sequence_expand_as(y)", y_lod[0], len(y))
    return repeated(xp, x, _times(len(x), offsets), offsets)


def _infer_expand_as(x, y, y_lod):
    levels_of("sequence_expand_as(y)", y_lod, 1, 1)
    return Spec((y.shape[0] if y.shape else -1, *x.shape[1:]), x.dtype)


sequence_expand_as_op = operator(
    "sequence_expand_as", "X, Y, y_lod^Y -> Out", kernel=_expand_as, infer=_infer_expand_as,
    grad={"X": lambda g, y_lod: apply(sequence_pool_op, g, y_lod, pooltype="SUM")[0]}, moves=True, fails="values",
    lod=lambda lods, attrs: lods[1])
