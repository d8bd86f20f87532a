"""Attention over the keys that a sparse pattern gives each query."""


import math
from typing import Any

from ..array.reshape import reshape, transpose
from ..array.where import where
from ..math.comparison import equal
from ..math.elementwise import scale
from .products import masked_matmul, matmul
from .softmax import softmax
from .values import check_sparse, index_rows, numbered, taken


def attention(query: Any, key: Any, value: Any, sparse_mask: Any, key_padding_mask: Any = None,
              attn_mask: Any = None, name: str | None = None) -> Any:
    """softmax(query · keyᵀ / √d) · value over the keys that a pattern gives each query; all [B, H, N, d].

    `sparse_mask` is csr, [B * H, N, N], with as many entries in each of its matrices; its values do not count. Where
    `key_padding_mask` [B, N] or `attn_mask` [N, N] is 0 a key is not seen.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[[[1.0], [2.0]]]])
    >>> mask = paddle.sparse.sparse_csr_tensor([0, 1, 2], [1, 0], [1.0, 1.0], [1, 2, 2])
    >>> paddle.sparse.nn.functional.attention(x, x, x, mask).tolist()
    [[[[2.0], [1.0]]]]
    """
    what = "nn.functional.attention(sparse_mask)"
    check_sparse(what, sparse_mask)
    if len(query.shape) != 4 or not sparse_mask.is_sparse_csr():
        raise ValueError(f"paddle.sparse.{what}: must be csr, [B * H, N, N], and the others [B, H, N, d]. Received "
                         f"{list(sparse_mask.shape)} and query.shape={list(query.shape)}.")
    batch, heads, length, depth = query.shape
    q, k, v = (reshape(part, [batch * heads, -1, depth]) for part in (query, key, value))
    scores = masked_matmul(scale(q, 1 / math.sqrt(max(depth, 1))), transpose(k, [0, 2, 1]), sparse_mask)
    values, hidden = scores.values(), None
    matrices, rows, cols = index_rows(sparse_mask)
    for mask, places, sizes in ((key_padding_mask, [matrices // heads, cols], [batch, length]),
                                (attn_mask, [rows, cols], [length, length])):
        if mask is not None:
            zero = equal(taken(reshape(mask, [-1]), numbered(places, sizes)), 0)
            hidden = zero if hidden is None else hidden.logical_or(zero)
    if hidden is not None:
        values = where(hidden, values.full_like(-1e30), values)
    weights = softmax(scores.with_values(values))
    if hidden is not None:
        weights = weights.with_values(where(hidden, values.zeros_like(), weights.values()))
    return reshape(matmul(weights, v), [batch, heads, length, depth])
