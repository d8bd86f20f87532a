"""One row for each sequence: sequence_pool, by its sum, mean, maximum, first or last row."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...backend.engines import LOOPS
from ...backend.kernels import sequences as fast
from ...core.dtype import int32
from ..array.take_along_axis import take_along_op
from ..core.kernels import by
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import cast, dtype_of
from .offsets import last_of, lengths_of, levels_of, maxima, repeated, sums, without_last

KINDS = ("AVERAGE", "SUM", "SQRT", "MAX", "LAST", "FIRST")
_WHAT = "sequence_pool(input)"


def _columns(x: Any, of: Any) -> Any:
    """A vector that multiplies the rows of x."""
    return x.astype(of.dtype).reshape(-1, *[1] * (of.ndim - 1))


def _divisors(xp: Any, offsets: Any, of: Any, pooltype: str) -> Any:
    """What the sums of sequences are divided by."""
    lengths = xp.maximum(lengths_of(offsets), 1)
    return _columns(xp.sqrt(lengths) if pooltype == "SQRT" else lengths, of)


def _first_maxima(xp: Any, x: Any, offsets: Any, out: Any) -> Any:
    """The rows in which the maxima stand first; -1 for an empty sequence."""
    lengths = lengths_of(offsets)
    rows = xp.arange(len(x), dtype="int32").reshape(-1, *[1] * (x.ndim - 1))
    behind = xp.where((x == repeated(xp, out, lengths, offsets)) | (x != x), -rows, xp.asarray(-len(x), "int32"))
    return -maxima(xp, behind, offsets, 1)


def _pool(xp, x, lod, *, pooltype: str = "AVERAGE", is_test: bool = False, pad_value: float = 0.0):
    offsets = last_of(_WHAT, lod, len(x))
    lengths = lengths_of(offsets)
    index = xp.zeros(0, "int32")
    if pooltype == "MAX":
        out = maxima(xp, x, offsets)
        if not is_test:
            index = _first_maxima(xp, x, offsets, out)
    elif pooltype in ("LAST", "FIRST"):
        rows = offsets[1:] - 1 if pooltype == "LAST" else offsets[:-1]
        out = x[xp.clip(rows, 0, max(len(x) - 1, 0))] if len(x) else xp.zeros((lengths.size, *x.shape[1:]), x.dtype)
    else:
        out = sums(xp, x, offsets)
        if pooltype != "SUM":
            out = (out / _divisors(xp, offsets, x, pooltype)).astype(x.dtype)
    empty = lengths == 0
    if bool(empty.any()):
        out[empty] = pad_value
    return out, index


def _pool_by_loops(x, lod, *, pooltype="AVERAGE", is_test=False, pad_value=0.0):
    offsets = last_of(_WHAT, lod, len(x))
    if pooltype in ("LAST", "FIRST"):
        return NotImplemented
    if pooltype == "MAX":
        found = fast.maxima(x, offsets)
    else:
        lengths = np.maximum(lengths_of(offsets), 1)
        divisors = np.ones(lengths.size) if pooltype == "SUM" else np.sqrt(lengths) if pooltype == "SQRT" else lengths
        found = fast.sums(x, offsets, divisors)
    if found is NotImplemented:
        return found
    out, index = found if pooltype == "MAX" else (found, None)
    if pad_value:
        out[lengths_of(offsets) == 0] = pad_value
    return out, index if pooltype == "MAX" and not is_test else np.zeros(0, "int32")


def _infer_pool(x, lod, *, pooltype="AVERAGE", is_test=False, pad_value=0.0):
    if pooltype not in KINDS:
        raise ValueError(f"sequence_pool(pool_type): must be one of {', '.join(KINDS).lower()}. Received "
                         f"{pooltype.lower()!r}.")
    levels_of(_WHAT, lod)
    sizes = lod[-1].shape[0]
    shape = (sizes - 1 if sizes > 0 else -1, *x.shape[1:])
    return Spec(shape, x.dtype), Spec(shape if pooltype == "MAX" and not is_test else (0,), int32)


def _pool_grad(xp, g, index, lod, *, pooltype: str = "AVERAGE", rows: int = -1):
    offsets = lod[-1]
    lengths, count = lengths_of(offsets), int(offsets[-1])
    if pooltype in ("SUM", "AVERAGE", "SQRT"):
        return repeated(xp, g if pooltype == "SUM" else g / _divisors(xp, offsets, g, pooltype), lengths, offsets)
    out = xp.zeros((count, *g.shape[1:]), g.dtype)
    filled = lengths > 0
    if pooltype == "MAX":
        flat, columns = out.reshape(count, -1), xp.arange(out[:1].size)
        flat[index[filled].reshape(-1, columns.size), columns] = g[filled].reshape(-1, columns.size)
    else:
        out[(offsets[1:] - 1 if pooltype == "LAST" else offsets[:-1])[filled]] = g[filled]
    return out


def _picked(g: Any, index: Any, lod: Any, pooltype: str) -> Any:
    """The elements of g that `_pool_grad` puts its gradient at."""
    if pooltype != "MAX":
        return apply(sequence_pool_op, g, lod, pooltype=pooltype)[0]
    there = index >= 0
    return apply(take_along_op, g, index * cast(there, index.dtype), Axis=0) * cast(there, dtype_of(g))


rows_of_pooled_op = operator(
    "rows_of_pooled", "G, MaxIndex?, lod* -> XGrad", kernel=_pool_grad, only_here=True,
    infer=lambda g, index, lod, *, pooltype="AVERAGE", rows=-1: Spec((rows, *g.shape[1:]), g.dtype),
    grad={"G": lambda g, MaxIndex, lod, pooltype: _picked(g, MaxIndex, lod, pooltype)}, fails="values", lod="drop")
"""The gradient of rows of which a sequence's row was made."""


def _pool_gradient(g: Any, MaxIndex: Any, X_shape: Any, lod: Any, pooltype: str) -> Any:
    rows = X_shape[0] if isinstance(X_shape, tuple) else -1
    return apply(rows_of_pooled_op, g, MaxIndex if pooltype == "MAX" else None, lod, pooltype=pooltype, rows=rows)


sequence_pool_op = operator(
    "sequence_pool", "X, lod^X -> Out, MaxIndex&", kernel=_pool, infer=_infer_pool, grad={"X": _pool_gradient},
    engines=[by(LOOPS, _pool_by_loops, fast.LEAST)], fails="values", lod=without_last)
