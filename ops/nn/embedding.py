"""lookup_table_v2: rows of a table by number, and the operator of its gradient.

With `is_sparse` the gradient is a `SelectedRows`, which costs by the rows looked up: it is an array to everything that
meets it.
"""


from typing import Any

import numpy as np

from ...backend.engines import LOOPS
from ...backend.kernels import embedding as fast
from ...backend.selected_rows import SelectedRows
from ..array.full import full, full_of_shape
from ..array.gather import add_at, put_at_op
from ..array.gradient_shapes import reshape_to
from ..array.reshape import reshape, unsqueeze
from ..array.unknown_sizes import size_at
from ..core.kernels import by
from ..core.operator import Ints, Long, operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import cast, dtype_of
from ..math.comparison import not_equal

_AS_UNSIGNED = {np.dtype("int64"): np.dtype("uint64"), np.dtype("int32"): np.dtype("uint32")}


def _checked(xp: Any, ids: Any, rows: int, padding_idx: int) -> tuple[Any, Any]:
    """The numbers with 0 in place of the padding's, and the mask of the padding (None: there is none, as for -1)."""
    if not ids.size:
        return ids, None
    padding = None
    low, high = int(ids.min()), int(ids.max())
    if padding_idx != -1 and low <= padding_idx <= high:
        padding = ids == padding_idx
        ids = xp.where(padding, xp.zeros_like(ids), ids)
        low, high = int(ids.min()), int(ids.max())
    if low < 0 or high >= rows:
        raise ValueError(
            f"embedding(x, weight): numbers must lie in [0, {rows}), weight having {rows} rows. "
            f"Received numbers from {low} to {high}."
        )
    return ids, padding


def _lookup(xp, ids, w, *, is_sparse: bool = False, is_distributed: bool = False, padding_idx: Long = -1,
            remote_prefetch: bool = False):
    if padding_idx == -1 and xp is np and ids.dtype in _AS_UNSIGNED and ids.size and ids.flags.c_contiguous:
        if np.maximum.reduce(ids.view(_AS_UNSIGNED[ids.dtype]), None) < w.shape[0]:  # as unsigned ones, so none below 0
            return w.take(ids, 0)
    ids, padding = _checked(xp, ids, w.shape[0], padding_idx)
    result = w[ids]
    if padding is not None:
        result[padding] = 0
    return result


def _lookup_backward(xp, ids, g, *, shape: Ints, padding_idx: Long = -1, is_sparse: bool = False):
    ids, rows = ids.reshape(-1), g.reshape(-1, shape[-1])
    if padding_idx != -1:
        counted = ids != padding_idx
        ids, rows = ids[counted], rows[counted]
    if is_sparse:
        return SelectedRows(ids.astype("int64", copy=False), rows, shape[0])
    result = xp.zeros(tuple(shape), g.dtype)
    add_at(xp, result, ids, rows)
    return result


def _infer(ids, w, **_):
    if not ids.dtype.is_integer or w.rank != 2:
        raise TypeError(
            f"embedding(x, weight): x must hold integers and weight be a matrix. Received x.dtype={ids.dtype.name}, "
            f"weight.shape={list(w.shape)}."
        )
    return Spec((*ids.shape, w.shape[1]), w.dtype)


def table_gradient(g: Any, ids: Any, shape: Any, padding_idx: int, is_sparse: bool) -> Any:
    """The gradient of a table, of which only the shape is needed (a tuple, or the table where a size is not known)."""
    if type(shape) is tuple:
        return apply(lookup_backward_op, ids, g, shape=list(shape), padding_idx=padding_idx, is_sparse=is_sparse)
    places, rows = reshape(ids, [-1]), reshape(g, [-1, size_at(g, -1)])
    if padding_idx != -1:
        counted = not_equal(places, full([], padding_idx, dtype_of(places)))
        places, rows = places * cast(counted, dtype_of(places)), rows * cast(unsqueeze(counted, 1), dtype_of(g))
    return apply(put_at_op, full_of_shape(shape, 0.0, dtype_of(g)), places, rows, None, axis=0)


lookup_op = operator(
    "lookup_table_v2", "Ids, W -> Out", kernel=_lookup, engines=[by(LOOPS, fast.lookup)], infer=_infer,
    taped=lambda tape, ids, w, *, padding_idx=-1, **_: fast.taped_lookup(tape, ids, w, padding_idx), grad={
        "W": lambda g, Ids, W_shape, padding_idx, is_sparse: table_gradient(g, Ids, W_shape, padding_idx, is_sparse)},
    moves=True, fails="values", precision="slow", compiled="lookup")
lookup_backward_op = operator(
    "lookup_table_backward", "Ids, OutGrad -> WGrad", kernel=_lookup_backward,
    engines=[by(LOOPS, fast.lookup_grad)],
    infer=lambda ids, g, *, shape, **_: Spec(tuple(shape), g.dtype), grad={
        "OutGrad": lambda g, Ids, OutGrad_shape, padding_idx: reshape_to(  # numbers may have a last dimension of 1
            apply(lookup_op, Ids, g, padding_idx=padding_idx), OutGrad_shape)}, only_here=True, fails="values")
