"""Softmax over the entries of a sparse tensor along a dimension: places without an entry do not count."""


from typing import Any

from ..array.creation import arange
from ..core.infer import normalize_axis
from ..core.trace import apply
from ..graph.messages import send_recv_op
from ..math.unary import exp
from ..nn.softmax import softmax as dense_softmax
from .values import check_sparse, index_rows, merged, numbered, scattered, sparse_sizes, taken


def softmax(x: Any, axis: int = -1, name: str | None = None) -> Any:
    """exp(x) / sum(exp(x)) along `axis` over the entries that there are; of a csr tensor along the last dimension.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_csr_tensor([0, 2, 3], [0, 2, 1], [1.0, 1.0, 5.0], [2, 3])
    >>> paddle.sparse.nn.functional.softmax(x).to_dense().tolist()
    [[0.5, 0.0, 0.5], [0.0, 1.0, 0.0]]
    """
    what = "paddle.sparse.nn.functional.softmax(x, axis)"
    check_sparse("nn.functional.softmax(x)", x)
    axis = normalize_axis(what, axis, len(x.shape))
    if x.is_sparse_csr() and axis != len(x.shape) - 1:
        raise NotImplementedError(f"{what}: of a csr tensor axis must be the last one, -1. Received {axis}. "
                                  "x.to_sparse_coo(sparse_dim) takes any.")
    sizes = sparse_sizes(x)
    if axis >= len(sizes):
        return x.with_values(dense_softmax(x.values(), axis - len(sizes) + 1))
    if not x.nnz():
        return x
    rows = index_rows(x)
    del rows[axis], sizes[axis]
    lines, which = merged(numbered(rows, sizes) if rows else index_rows(x)[0] * 0)
    return x.with_values(softmax_by_group(x.values(), which, lines.shape[0]))


def softmax_by_group(values: Any, which: Any, count: int) -> Any:
    """Softmax of the rows of values that belong to one of `count` groups, each row to group `which`."""
    entries = arange(which.shape[0], dtype="int64")
    most = apply(send_recv_op, values.detach(), entries, which, None, reduce_op="MAX", out_size=[count])[0]
    weights = exp(values - taken(most, which))
    return weights / taken(scattered(weights, which, count), which)
