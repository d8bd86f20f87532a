"""The two halves of a Transformer's layer, with their residuals, dropout and normalization; attention by lengths."""

from __future__ import annotations

from typing import Any

from ....nn import functional as F
from ....nn.functional.attention import additive_mask
from ....ops.array.concat_split import concat, stack
from ....ops.array.creation import arange
from ....ops.array.full import value_of
from ....ops.array.unknown_sizes import size_at
from ....ops.array.where import where
from ....ops.core.infer import check_rank, shape_in
from ....ops.linalg.matrix_product import matmul

__all__ = ["fused_feedforward", "fused_multi_head_attention", "variable_length_memory_efficient_attention"]


def fused_feedforward(x: Any, linear1_weight: Any, linear2_weight: Any, linear1_bias: Any = None,
                      linear2_bias: Any = None, ln1_scale: Any = None, ln1_bias: Any = None, ln2_scale: Any = None,
                      ln2_bias: Any = None, dropout1_rate: float = 0.5, dropout2_rate: float = 0.5,
                      activation: str = "relu", ln1_epsilon: float = 1e-5, ln2_epsilon: float = 1e-5,
                      pre_layer_norm: bool = False, training: bool = True, mode: str = "upscale_in_train",
                      ring_id: int = -1, add_residual: bool = True, name: str | None = None) -> Any:
    """x + dropout2(linear2(dropout1(activation(linear1(x))))), normalized before (by ln1) or after (by ln2).

    [batch, length, features] in and out. `add_residual` says whether x is added; `ring_id` changes nothing.

    >>> import proa as paddle
    >>> f = paddle.incubate.nn.functional.fused_feedforward
    >>> f(paddle.ones([1, 2, 4]), paddle.ones([4, 8]), paddle.ones([8, 4])).shape
    [1, 2, 4]
    """
    features = shape_in(x)[-1:]
    out = F.layer_norm(x, features, ln1_scale, ln1_bias, ln1_epsilon) if pre_layer_norm else x
    if not hasattr(F, activation):
        raise ValueError("fused_feedforward(activation): must be a function of nn.functional. "
                         f"Received {activation!r}.")
    out = getattr(F, activation)(F.linear(out, linear1_weight, linear1_bias))
    out = F.linear(F.dropout(out, dropout1_rate, training=training, mode=mode), linear2_weight, linear2_bias)
    out = F.dropout(out, dropout2_rate, training=training, mode=mode)
    out = x + out if add_residual else out
    return out if pre_layer_norm else F.layer_norm(out, features, ln2_scale, ln2_bias, ln2_epsilon)


def fused_multi_head_attention(x: Any, qkv_weight: Any, linear_weight: Any, pre_layer_norm: bool = False,
                               pre_ln_scale: Any = None, pre_ln_bias: Any = None, ln_scale: Any = None,
                               ln_bias: Any = None, pre_ln_epsilon: float = 1e-5, qkv_bias: Any = None,
                               linear_bias: Any = None, cache_kv: Any = None, attn_mask: Any = None,
                               dropout_rate: float = 0.5, attn_dropout_rate: float = 0.5, ln_epsilon: float = 1e-5,
                               training: bool = True, mode: str = "upscale_in_train", ring_id: int = -1,
                               add_residual: bool = True, num_heads: int = -1, transpose_qkv_wb: bool = False,
                               name: str | None = None) -> Any:
    """x + dropout(linear(attention of x to itself)), normalized before or after; [batch, length, features].

    `qkv_weight` is [3, heads, head_dim, features] with a bias [3, heads, head_dim], or where `transpose_qkv_wb`
    [features, 3 · features] with a bias [3 · features] and `num_heads`. With `cache_kv` [2, batch, heads, cached,
    head_dim], keys and values that come first, the result is (out, the longer cache). `attn_mask` is added to the
    scores; False or 0 hides a position.

    >>> import proa as paddle
    >>> f = paddle.incubate.nn.functional.fused_multi_head_attention
    >>> f(paddle.ones([1, 5, 4]), paddle.ones([3, 2, 2, 4]), paddle.ones([4, 4])).shape
    [1, 5, 4]
    """
    features = shape_in(x)[-1:]
    out = F.layer_norm(x, features, pre_ln_scale, pre_ln_bias, pre_ln_epsilon) if pre_layer_norm else x
    q, k, v = _projected(out, qkv_weight, qkv_bias, num_heads, transpose_qkv_wb)
    if cache_kv is not None:
        k, v = concat([cache_kv[0], k], 2), concat([cache_kv[1], v], 2)
    scores = matmul(q * q.shape[-1] ** -0.5, k, transpose_y=True)
    mask = additive_mask(attn_mask, scores.dtype)
    weights = F.softmax(scores if mask is None else scores + mask)
    out = matmul(F.dropout(weights, attn_dropout_rate, training=training, mode=mode), v)
    out = F.linear(out.transpose([0, 2, 1, 3]).reshape([0, 0, -1]), linear_weight, linear_bias)
    out = F.dropout(out, dropout_rate, training=training, mode=mode)
    out = x + out if add_residual else out
    out = out if pre_layer_norm else F.layer_norm(out, features, ln_scale, ln_bias, ln_epsilon)
    return out if cache_kv is None else (out, stack([k, v], 0))


def _projected(x: Any, weight: Any, bias: Any, num_heads: int, transposed: bool) -> tuple[Any, Any, Any]:
    """Queries, keys and values, [batch, heads, length, head_dim] each."""
    check_rank("fused_multi_head_attention(qkv_weight)", weight, 2 if transposed else 4)
    heads = num_heads if transposed else weight.shape[1]
    matrix = weight if transposed else weight.reshape([-1, weight.shape[-1]]).t()
    out = F.linear(x, matrix, bias if bias is None else bias.reshape([-1]))
    parts = out.reshape([0, 0, 3, heads, -1]).transpose([2, 0, 3, 1, 4])
    return parts[0], parts[1], parts[2]


def variable_length_memory_efficient_attention(query: Any, key: Any, value: Any, seq_lens: Any, kv_seq_lens: Any,
                                               mask: Any = None, scale: float | None = None, causal: bool = False,
                                               pre_cache_length: int = 0) -> Any:
    """softmax(scale · query · keyᵀ + mask) · value, [batch, heads, length, head_dim], each as long as it says.

    `seq_lens` and `kv_seq_lens` [batch, 1] are the numbers of queries and keys; results beyond them are 0. With
    `causal` a query sees keys up to its own place, and the first `pre_cache_length` ones. `scale` is 1 / sqrt(head_dim)
    by default.

    >>> import proa as paddle
    >>> x, lengths = paddle.ones([1, 1, 2, 4]), paddle.to_tensor([[1]])
    >>> f = paddle.incubate.nn.functional.variable_length_memory_efficient_attention
    >>> f(x, x, x, lengths, lengths).tolist()
    [[[[1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0]]]]
    """
    for what, given in (("query", query), ("key", key)):
        check_rank(f"variable_length_memory_efficient_attention({what})", given, 4)
    queries, keys = size_at(query, 2), size_at(key, 2)
    scores = matmul(query, key, transpose_y=True) * (query.shape[-1] ** -0.5 if scale is None else scale)
    if mask is not None:
        scores = scores + value_of(mask)[..., :queries, :keys].astype(scores.dtype)
    place = arange(keys).reshape([1, 1, 1, -1])
    seen = place < value_of(kv_seq_lens).astype("int64").reshape([-1, 1, 1, 1])
    if causal:
        seen = seen & (place <= arange(queries).reshape([1, 1, -1, 1]) + pre_cache_length)
    weights = F.softmax(where(seen, scores, (scores * 0) - 1e9))
    there = arange(queries).reshape([1, 1, -1, 1]) < value_of(seq_lens).astype("int64").reshape([-1, 1, 1, 1])
    return matmul(weights, value) * there.astype(query.dtype)
