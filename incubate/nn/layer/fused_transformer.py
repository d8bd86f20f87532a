"""Layers of a Transformer's encoder, each with its residual, dropout and normalization."""

from __future__ import annotations

from typing import Any

from ....nn import Layer
from ....nn.initializer import Constant
from .. import functional

__all__ = ["FusedBiasDropoutResidualLayerNorm", "FusedFeedForward", "FusedMultiHeadAttention",
           "FusedTransformerEncoderLayer"]


class _Normed(Layer):
    """A layer that makes scales and offsets of normalization."""

    def _norm(self, features: int, scale_attr: Any, bias_attr: Any) -> tuple[Any, Any]:
        return (self.create_parameter([features], scale_attr, default_initializer=Constant(1.0)),
                self.create_parameter([features], bias_attr, is_bias=True))


class FusedBiasDropoutResidualLayerNorm(_Normed):
    """layer_norm(residual + dropout(x + bias)).

    >>> import proa as paddle
    >>> layer = paddle.incubate.nn.FusedBiasDropoutResidualLayerNorm(4)
    >>> layer(paddle.ones([2, 3, 4]), paddle.ones([2, 3, 4])).shape
    [2, 3, 4]
    """

    def __init__(self, embed_dim: int, dropout_rate: float = 0.5, weight_attr: Any = None, bias_attr: Any = None,
                 epsilon: float = 1e-5, name: str | None = None):
        super().__init__()
        self.embed_dim, self.dropout_rate, self._epsilon, self.name = embed_dim, dropout_rate, epsilon, name
        self.linear_bias = self.create_parameter([embed_dim], bias_attr, is_bias=True)
        self.ln_scale, self.ln_bias = self._norm(embed_dim, weight_attr, bias_attr)

    def forward(self, x: Any, residual: Any) -> Any:
        """[batch, length, embed_dim] both."""
        return functional.fused_bias_dropout_residual_layer_norm(
            x, residual, self.linear_bias, self.ln_scale, self.ln_bias, self.dropout_rate, self._epsilon, self.training)

    def extra_repr(self) -> str:
        """The settings."""
        return f"embed_dim={self.embed_dim}, dropout_rate={self.dropout_rate}, epsilon={self._epsilon}"


class FusedMultiHeadAttention(_Normed):
    """x + dropout(linear(attention of x to itself)), normalized before or after.

    >>> import proa as paddle
    >>> paddle.incubate.nn.FusedMultiHeadAttention(4, 2)(paddle.ones([2, 3, 4])).shape
    [2, 3, 4]
    """

    def __init__(self, embed_dim: int, num_heads: int, dropout_rate: float = 0.5, attn_dropout_rate: float = 0.5,
                 kdim: int | None = None, vdim: int | None = None, normalize_before: bool = False,
                 need_weights: bool = False, qkv_weight_attr: Any = None, qkv_bias_attr: Any = None,
                 linear_weight_attr: Any = None, linear_bias_attr: Any = None, pre_ln_scale_attr: Any = None,
                 pre_ln_bias_attr: Any = None, ln_scale_attr: Any = None, ln_bias_attr: Any = None,
                 epsilon: float = 1e-5, nranks: int = 1, ring_id: int = -1, transpose_qkv_wb: bool = False,
                 name: str | None = None):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"FusedMultiHeadAttention(embed_dim): must be a multiple of num_heads, {num_heads}. "
                             f"Received {embed_dim}.")
        if need_weights:
            raise NotImplementedError("FusedMultiHeadAttention(need_weights): must be False. Use "
                                      "nn.MultiHeadAttention.")
        self.normalize_before, self._epsilon, self.transpose_qkv_wb = normalize_before, epsilon, transpose_qkv_wb
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.dropout_rate, self.attn_dropout_rate, self.name = dropout_rate, attn_dropout_rate, name
        qkv = [embed_dim, 3 * embed_dim] if transpose_qkv_wb else [3, num_heads, self.head_dim, embed_dim]
        self.qkv_weight = self.create_parameter(qkv, qkv_weight_attr)
        self.qkv_bias = self.create_parameter(qkv[1:] if transpose_qkv_wb else qkv[:3], qkv_bias_attr, is_bias=True)
        self.linear_weight = self.create_parameter([embed_dim, embed_dim], linear_weight_attr)
        self.linear_bias = self.create_parameter([embed_dim], linear_bias_attr, is_bias=True)
        self.pre_ln_scale = self.pre_ln_bias = self.ln_scale = self.ln_bias = None
        if normalize_before:
            self.pre_ln_scale, self.pre_ln_bias = self._norm(embed_dim, pre_ln_scale_attr, pre_ln_bias_attr)
        else:
            self.ln_scale, self.ln_bias = self._norm(embed_dim, ln_scale_attr, ln_bias_attr)

    def forward(self, query: Any, key: Any = None, value: Any = None, attn_mask: Any = None, cache: Any = None) -> Any:
        """[batch, length, embed_dim]; with a cache the result and the longer cache. `key` and `value` are the query."""
        return functional.fused_multi_head_attention(
            query, self.qkv_weight, self.linear_weight, self.normalize_before, self.pre_ln_scale, self.pre_ln_bias,
            self.ln_scale, self.ln_bias, self._epsilon, self.qkv_bias, self.linear_bias, cache, attn_mask,
            self.dropout_rate, self.attn_dropout_rate, self._epsilon, self.training, num_heads=self.num_heads,
            transpose_qkv_wb=self.transpose_qkv_wb)

    def extra_repr(self) -> str:
        """The settings."""
        return (f"embed_dim={self.embed_dim}, num_heads={self.num_heads}, dropout_rate={self.dropout_rate}, "
                f"attn_dropout_rate={self.attn_dropout_rate}, epsilon={self._epsilon}, "
                f"normalize_before={self.normalize_before}")


class FusedFeedForward(_Normed):
    """x + dropout(linear2(dropout(activation(linear1(x))))), normalized before or after.

    >>> import proa as paddle
    >>> paddle.incubate.nn.FusedFeedForward(4, 8)(paddle.ones([2, 3, 4])).shape
    [2, 3, 4]
    """

    def __init__(self, d_model: int, dim_feedforward: int, dropout_rate: float = 0.1, epsilon: float = 1e-5,
                 activation: str = "relu", act_dropout_rate: float | None = None, normalize_before: bool = False,
                 linear1_weight_attr: Any = None, linear1_bias_attr: Any = None, linear2_weight_attr: Any = None,
                 linear2_bias_attr: Any = None, ln1_scale_attr: Any = None, ln1_bias_attr: Any = None,
                 ln2_scale_attr: Any = None, ln2_bias_attr: Any = None, nranks: int = 1, ring_id: int = -1,
                 name: str | None = None):
        super().__init__()
        self._d_model, self._dim_feedforward = d_model, dim_feedforward
        self._dropout_rate, self._epsilon, self._act_method = dropout_rate, epsilon, activation
        self._act_dropout_rate = dropout_rate if act_dropout_rate is None else act_dropout_rate
        self._normalize_before, self.name = normalize_before, name
        self._linear1_weight = self.create_parameter([d_model, dim_feedforward], linear1_weight_attr)
        self._linear1_bias = self.create_parameter([dim_feedforward], linear1_bias_attr, is_bias=True)
        self._linear2_weight = self.create_parameter([dim_feedforward, d_model], linear2_weight_attr)
        self._linear2_bias = self.create_parameter([d_model], linear2_bias_attr, is_bias=True)
        self._ln1_scale = self._ln1_bias = self._ln2_scale = self._ln2_bias = None
        if normalize_before:
            self._ln1_scale, self._ln1_bias = self._norm(d_model, ln1_scale_attr, ln1_bias_attr)
        else:
            self._ln2_scale, self._ln2_bias = self._norm(d_model, ln2_scale_attr, ln2_bias_attr)

    def forward(self, src: Any, cache: Any = None) -> Any:
        """[batch, length, d_model]."""
        return functional.fused_feedforward(
            src, self._linear1_weight, self._linear2_weight, self._linear1_bias, self._linear2_bias, self._ln1_scale,
            self._ln1_bias, self._ln2_scale, self._ln2_bias, self._act_dropout_rate, self._dropout_rate,
            self._act_method, self._epsilon, self._epsilon, self._normalize_before, self.training)

    def extra_repr(self) -> str:
        """The settings."""
        return (f"d_model={self._d_model}, dim_feedforward={self._dim_feedforward}, "
                f"dropout_rate={self._dropout_rate}, epsilon={self._epsilon}, activation={self._act_method}, "
                f"act_dropout_rate={self._act_dropout_rate}, normalize_before={self._normalize_before}")


class FusedTransformerEncoderLayer(Layer):
    """A layer of a Transformer's encoder: attention, then two linear layers.

    >>> import proa as paddle
    >>> paddle.incubate.nn.FusedTransformerEncoderLayer(4, 2, 8)(paddle.ones([2, 3, 4])).shape
    [2, 3, 4]
    """

    def __init__(self, d_model: int, nhead: int, dim_feedforward: int, dropout_rate: float = 0.1,
                 activation: str = "relu", attn_dropout_rate: float | None = None,
                 act_dropout_rate: float | None = None, normalize_before: bool = False, weight_attr: Any = None,
                 bias_attr: Any = None):
        super().__init__()
        weights, biases = (_two(attr) for attr in (weight_attr, bias_attr))
        self.normalize_before = normalize_before
        self.fused_attn = FusedMultiHeadAttention(
            d_model, nhead, dropout_rate, dropout_rate if attn_dropout_rate is None else attn_dropout_rate,
            normalize_before=normalize_before, qkv_weight_attr=weights[0], qkv_bias_attr=biases[0],
            linear_weight_attr=weights[0], linear_bias_attr=biases[0], pre_ln_scale_attr=weights[0],
            pre_ln_bias_attr=biases[0], ln_scale_attr=weights[0], ln_bias_attr=biases[0])
        self.ffn = FusedFeedForward(
            d_model, dim_feedforward, dropout_rate, activation=activation, act_dropout_rate=act_dropout_rate,
            normalize_before=normalize_before, linear1_weight_attr=weights[1], linear1_bias_attr=biases[1],
            linear2_weight_attr=weights[1], linear2_bias_attr=biases[1])

    def forward(self, src: Any, src_mask: Any = None, cache: Any = None) -> Any:
        """[batch, length, d_model]; with a cache the result and the longer cache."""
        out = self.fused_attn(src, attn_mask=src_mask, cache=cache)
        out, longer = out if cache is not None else (out, None)
        out = self.ffn(out)
        return out if cache is None else (out, longer)


def _two(attr: Any) -> list[Any]:
    """Attributes for attention and for the linear layers: a list of two, or one for both."""
    return list(attr) if isinstance(attr, (list, tuple)) else [attr, attr]
