"""Attention to some keys only: sparse_attention."""

from __future__ import annotations

from typing import Any

from ...ops.array.reshape import unsqueeze
from ...ops.array.unknown_sizes import size_at
from ...ops.core.infer import shape_in
from ...ops.core.trace import apply
from ...ops.linalg.matrix_product import matmul
from ...ops.math.casting import cast
from ...ops.math.elementwise import multiply
from ...ops.nn.masked_softmax import csr_mask_op
from .activation import softmax

__all__ = ["sparse_attention"]

_NEVER = -1e9


def sparse_attention(query: Any, key: Any, value: Any, sparse_csr_offset: Any, sparse_csr_columns: Any,
                     key_padding_mask: Any = None, attn_mask: Any = None, name: str | None = None) -> Any:
    """softmax(query · keyᵀ / √d) · value over the keys that a sparse pattern gives each query; all [B, H, N, d].

    The pattern is in compressed rows: of batch b and head h, query i sees the keys
    sparse_csr_columns[b, h, offset[i]:offset[i + 1]] with offset = sparse_csr_offset[b, h]. Where key_padding_mask
    [B, N] or attn_mask [N, N] is 0 a key is not seen either; a query that sees none gives zeros. It computes as a dense
    product with a mask: correct everywhere, and no faster than dense attention.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[[[1.0], [2.0]]]])
    >>> offset, columns = paddle.to_tensor([[[0, 1, 2]]], "int32"), paddle.to_tensor([[[1, 0]]], "int32")
    >>> paddle.nn.functional.sparse_attention(x, x, x, offset, columns).tolist()
    [[[[2.0], [1.0]]]]
    """
    ranks = [len(shape_in(x)) for x in (query, sparse_csr_offset, sparse_csr_columns)]
    if ranks != [4, 3, 3]:
        raise ValueError("sparse_attention(query, sparse_csr_offset, sparse_csr_columns): must be [B, H, N, d], "
                         f"[B, H, N + 1] and [B, H, entries]. Received {list(query.shape)}, "
                         f"{list(sparse_csr_offset.shape)} and {list(sparse_csr_columns.shape)}.")
    if key.shape[2] < 0:
        raise ValueError("sparse_attention(key): the number of positions must be known. Declare that size of key.")
    seen = cast(apply(csr_mask_op, sparse_csr_offset, sparse_csr_columns, size=key.shape[2]), query.dtype)
    if key_padding_mask is not None:
        seen = multiply(seen, unsqueeze(cast(key_padding_mask != 0, query.dtype), [1, 2]))
    if attn_mask is not None:
        seen = multiply(seen, cast(attn_mask != 0, query.dtype))
    scores = matmul(query * (1.0 / size_at(query, -1)) ** 0.5, key, transpose_y=True)
    weights = multiply(softmax(scores * seen + (seen - 1.0) * -_NEVER), seen)
    return matmul(weights, value)
