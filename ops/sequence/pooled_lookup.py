"""fused_embedding_seq_pool: the sums of sequences' rows of a table, without the rows themselves in the Program."""

from __future__ import annotations

from typing import Any

from ..core.operator import Long, operator
from ..core.spec import Spec
from ..core.trace import apply
from ..nn.embedding import _lookup, table_gradient
from .offsets import levels_of, without_last
from .pooling import _pool, rows_of_pooled_op

_WHAT = "fused_embedding_seq_pool(input)"


def _summed(xp, ids, w, lod, *, combiner: str = "sum", is_sparse: bool = False, padding_idx: Long = -1):
    return _pool(xp, _lookup(xp, ids.reshape(-1), w, padding_idx=padding_idx), lod, pooltype="SUM")[0]


def _infer(ids, w, lod, *, combiner="sum", **_):
    if combiner != "sum":
        raise ValueError(f"fused_embedding_seq_pool(combiner): must be 'sum'. Received {combiner!r}.")
    if not ids.dtype.is_integer or w.rank != 2 or ids.rank != 2 or ids.shape[1] not in (1, -1):
        raise ValueError(f"{_WHAT}: must be [N, 1] integers, and the table a matrix. Received {list(ids.shape)} of "
                         f"{ids.dtype.name}, a table of shape {list(w.shape)}.")
    levels_of(_WHAT, lod)
    return Spec((lod[-1].shape[0] - 1 if lod[-1].shape[0] > 0 else -1, w.shape[1]), w.dtype)


def _gradient(g: Any, Ids: Any, Ids_shape: Any, lod: Any, W_shape: Any, padding_idx: int, is_sparse: bool) -> Any:
    rows = apply(rows_of_pooled_op, g, None, lod, pooltype="SUM",
                 rows=Ids_shape[0] if isinstance(Ids_shape, tuple) else -1)
    return table_gradient(rows, Ids, W_shape, padding_idx, is_sparse)


fused_embedding_seq_pool_op = operator(
    "fused_embedding_seq_pool", "Ids, W, lod^Ids -> Out", kernel=_summed, infer=_infer, grad={"W": _gradient},
    fails="values", lod=without_last, precision="slow")
