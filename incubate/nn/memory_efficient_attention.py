"""`paddle.incubate.nn.memory_efficient_attention`: attention with biases of several kinds."""

from __future__ import annotations

from typing import Any

from ...nn.functional.attention import attend
from ...ops.array.reshape import transpose
from ...ops.math.elementwise import scale as multiplied
from .attn_bias import LowerTriangularMask, LowerTriangularMaskWithTensorBias

__all__ = ["memory_efficient_attention"]


def memory_efficient_attention(query: Any, key: Any, value: Any, attn_bias: Any = None, p: float = 0.0,
                               scale: float | None = None, training: bool = True) -> Any:
    """softmax(scale · query · keyᵀ + attn_bias) · value: [batch, length, heads, head_dim] in and out.

    `attn_bias` is a tensor that broadcasts to [batch, heads, queries, keys], a mask of `attn_bias`, or None; `scale` is
    1 / sqrt(head_dim) by default. In training weights are dropped with probability `p`. After "Self-attention Does
    Not Need O(n²) Memory" (Rabe and Staats, 2021).

    >>> import proa as paddle
    >>> from proa.incubate.nn.memory_efficient_attention import memory_efficient_attention
    >>> x = paddle.ones([2, 5, 4, 8])
    >>> memory_efficient_attention(x, x, x).shape
    [2, 5, 4, 8]
    """
    causal = isinstance(attn_bias, LowerTriangularMask)
    mask = attn_bias._bias if isinstance(attn_bias, LowerTriangularMaskWithTensorBias) else attn_bias
    q, k, v = (transpose(x, [0, 2, 1, 3]) for x in (query, key, value))
    if scale is not None and scale > 0:
        q = multiplied(q, scale * q.shape[-1] ** 0.5)
    return transpose(attend(q, k, v, None if isinstance(mask, LowerTriangularMask) else mask, p, training, causal),
                     [0, 2, 1, 3])
