"""Scaled dot-product attention as a function, and the masks of attention."""

from __future__ import annotations

from typing import Any

from ...core.dtype import float16
from ...ops.array.reshape import transpose
from ...ops.array.unknown_sizes import size_at
from ...ops.core.infer import shape_in
from ...ops.linalg.matrix_product import matmul
from ...ops.math.casting import cast
from ...ops.math.elementwise import scale
from ...ops.nn.attention import attention, attention_weights
from .common import dropout

__all__ = ["scaled_dot_product_attention"]

_HIDDEN = -1e9  # what is added to the score of a position that a mask of bools or integers hides
_HIDDEN_IN_HALF = -6e4  # float16 has nothing below -65504: a query of which all is hidden would be NaN


def additive_mask(mask: Any, dtype: Any) -> Any:
    """A mask as what is added to scores of `dtype`: floats as they are; 0 for True or 1, -1e9 (-6e4) for False or 0.

    None stays None.
    """
    if mask is None or mask.dtype is dtype:
        return mask
    if mask.dtype.is_floating:
        return cast(mask, dtype)
    hidden = _HIDDEN_IN_HALF if dtype is float16 else _HIDDEN
    return scale(scale(cast(mask, dtype), bias=-1.0), -hidden)


def attend(q: Any, k: Any, v: Any, mask: Any, dropout_p: float, training: bool, causal: bool = False) -> Any:
    """softmax(q · kᵀ / sqrt(head_dim) + mask) · v of [batch, heads, length, head_dim], weights dropped in training."""
    if dropout_p and training:
        return attend_with_weights(q, k, v, mask, dropout_p, training, causal)[0]
    q, factor = _scaled(q)
    return attention(q, k, v, mask, factor, causal)


def attend_with_weights(q: Any, k: Any, v: Any, mask: Any, dropout_p: float, training: bool,
                        causal: bool = False) -> tuple[Any, Any]:
    """As `attend`, and the weights [batch, heads, queries, keys], after dropout."""
    q, factor = _scaled(q)
    weights = dropout(attention_weights(q, k, mask, factor, causal), dropout_p, training=training)
    return matmul(weights, v), weights


def _scaled(q: Any) -> tuple[Any, float]:
    """q, and what its products are multiplied by: 1 / sqrt(head_dim), in q already where only the run knows it."""
    if q.shape[-1] >= 0:
        return q, float(max(q.shape[-1], 1)) ** -0.5
    return q * cast(size_at(q, -1), q.dtype) ** -0.5, 1.0


def scaled_dot_product_attention(query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
                                 is_causal: bool = False, training: bool = True, name: str | None = None) -> Any:
    """softmax(query · keyᵀ / sqrt(head_dim) + attn_mask) · value: [batch, length, heads, head_dim] in and out.

    `attn_mask` broadcasts to [batch, heads, queries, keys]: floats are added to the scores; False, or the integer 0,
    hides a position. With `is_causal` a position sees those up to itself, for which there must be as many keys as
    queries. In training weights are dropped with probability `dropout_p`. Raises ValueError for shapes that do not
    agree and TypeError for dtypes that differ. After "Attention Is All You Need" (Vaswani et al., 2017).

    >>> import proa as paddle
    >>> x = paddle.ones([2, 5, 4, 8])
    >>> paddle.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True).shape
    [2, 5, 4, 8]
    """
    for what, given in (("query", query), ("key", key), ("value", value)):
        if len(shape_in(given)) != 4:
            raise ValueError(f"scaled_dot_product_attention({what}): must be [batch, length, heads, head_dim]. "
                             f"Received shape {list(given.shape)}.")
    q, k, v = (transpose(x, [0, 2, 1, 3]) for x in (query, key, value))
    mask = additive_mask(attn_mask, query.dtype)
    return transpose(attend(q, k, v, mask, dropout_p, training, is_causal), [0, 2, 1, 3])
