"""lookup_table, one_hot and top_k as Paddle 1.x writes them: numbers have a last dimension of one."""

from ...core import dtype as dt
from ...core.dtype import DType
from ..array.sorting import _put_back, _topk
from ..core.operator import Long, operator
from ..core.spec import Spec
from ..nn.embedding import _lookup, table_gradient


def _rows(xp, ids, w, *, is_sparse: bool = False, is_distributed: bool = False, padding_idx: Long = -1,
          remote_prefetch: bool = False):
    return _lookup(xp, ids.reshape(ids.shape[:-1]), w, padding_idx=padding_idx)


def _infer_rows(ids, w, **_):
    if not ids.dtype.is_integer or w.rank != 2 or not ids.rank or ids.shape[-1] not in (1, -1):
        raise ValueError(
            f"embedding(input): must hold integers and have a last dimension of 1, and the table be a matrix. Received "
            f"input.shape={list(ids.shape)} of {ids.dtype.name}, a table of shape {list(w.shape)}. fluid.embedding "
            "takes numbers without that dimension.")
    return Spec((*ids.shape[:-1], w.shape[1]), w.dtype)


lookup_table_op = operator(
    "lookup_table", "Ids, W -> Out", kernel=_rows, infer=_infer_rows, grad={
        "W": lambda g, Ids, W_shape, padding_idx, is_sparse: table_gradient(g, Ids, W_shape, padding_idx, is_sparse)},
    moves=True, fails="values", precision="slow")


def _one_hot(xp, x, depth_tensor=None, *, depth: int = 1, dtype: DType = dt.float32, allow_out_of_range: bool = False):
    count = depth if depth_tensor is None else int(depth_tensor.reshape(-1)[0])
    numbers = x.reshape(x.shape[:-1])
    if not allow_out_of_range and numbers.size and not 0 <= int(numbers.min()) <= int(numbers.max()) < count:
        raise ValueError(f"one_hot(input, depth): numbers must lie in [0, {count}). Received numbers from "
                         f"{int(numbers.min())} to {int(numbers.max())}. allow_out_of_range=True gives zeros.")
    return (numbers[..., None] == xp.arange(count)).astype(dtype.dtype)


def _infer_one_hot(x, depth_tensor=None, *, depth=1, dtype=dt.float32, **_):
    if x.rank < 2 or x.shape[-1] not in (1, -1):
        raise ValueError(f"one_hot(input): must have a last dimension of 1. Received shape {list(x.shape)}. "
                         "fluid.one_hot takes numbers without that dimension.")
    return Spec((*x.shape[:-1], depth if depth_tensor is None else -1), dtype)


one_hot_op = operator("one_hot", "X, depth_tensor? -> Out", kernel=_one_hot, infer=_infer_one_hot, fails="values")


def _top(xp, x, count=None, *, k: int = 1):
    return _topk(xp, x, count, k=k, axis=-1)


def _infer_top(x, count=None, *, k=1):
    if count is None and -1 < x.shape[-1] < k:
        raise ValueError(f"topk(input, k): must not exceed the {x.shape[-1]} elements of the last dimension. "
                         f"Received k={k}.")
    shape = (*x.shape[:-1], k if count is None else -1)
    return Spec(shape, x.dtype), Spec(shape, dt.int64)


top_k_op = operator("top_k", "X, K? -> Out, Indices", kernel=_top, infer=_infer_top, grad={
    "X": lambda g, Indices, X_shape: _put_back(g, Indices, X_shape, -1)})

__all__ = ["lookup_table_op", "one_hot_op", "top_k_op"]
