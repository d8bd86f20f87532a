"""Attention: the products of queries and keys that stand together, as OneFlow fuses them."""

from __future__ import annotations

from typing import Any

from ...ops.array.reshape import reshape, transpose
from ...ops.linalg.matrix_product import matmul
from ...ops.math.elementwise import scale


def fused_self_attention_query_mul_key_and_value(x: Any, head_size: int, alpha: float = 1.0,
                                                 name: str | None = None) -> tuple[Any, Any]:
    """(alpha * queries by keys [N, heads, S, S], values [N, heads, S, head_size]) of x [S, N, heads * 3 * head_size].

    What belongs to a head stands together in x: its query, its key, its value. ValueError when the sizes do not fit.

    >>> import proa.oneflow as flow
    >>> import proa as paddle
    >>> products, values = flow.nn.fused_self_attention_query_mul_key_and_value(paddle.ones([5, 2, 12]), head_size=4)
    >>> products.shape, values.shape
    ([2, 1, 5, 5], [2, 1, 5, 4])
    """
    if len(x.shape) != 3 or x.shape[2] % (3 * head_size):
        raise ValueError(f"fused_self_attention_query_mul_key_and_value(x): must be [steps, samples, heads * 3 * "
                         f"{head_size}]. Received x.shape={list(x.shape)}.")
    steps, samples, width = x.shape
    heads = transpose(reshape(x, [steps, samples, width // (3 * head_size), 3, head_size]), [3, 1, 2, 0, 4])
    query, key, value = heads[0], heads[1], heads[2]
    return scale(matmul(query, key, transpose_y=True), float(alpha)), value
