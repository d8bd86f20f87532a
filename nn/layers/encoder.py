"""The Transformer's encoder, and what its layers share with the decoder's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...core.errors import AssertedError
from ...ops.math.casting import dtype_of
from .. import functional as F
from ..container import LayerList
from ..functional.attention import additive_mask
from ..layer import Layer
from .attention import Cache, MultiHeadAttention
from .common import Dropout, Linear
from .norm import LayerNorm


def parts_of(attr: Any, count: int, what: str) -> list[Any]:
    """One attr for each of `count` parts: those of a list, or the same for all."""
    if not isinstance(attr, (list, tuple)):
        return [attr] * count
    if len(attr) != count:
        raise ValueError(f"{what}: a list must hold {count}. Received {len(attr)}.")
    return list(attr)


def activation_called(name: str, owner: str) -> Callable[[Any], Any]:
    """The function of nn.functional with this name."""
    function = getattr(F, name, None) if isinstance(name, str) else None
    if function is None:
        raise ValueError(f"{owner}(activation): must name a function of nn.functional, such as 'relu' or 'gelu'. "
                         f"Received {name!r}.")
    return function


def repeated(layer: Layer, count: int) -> LayerList:
    """The layer and others made with the same settings: `count` in all."""
    settings = layer.__dict__.get("_config")
    if settings is None and count > 1:
        raise TypeError(f"{type(layer).__name__} cannot be repeated: it keeps no settings from which to make another. "
                        f"Derive it from TransformerEncoderLayer or TransformerDecoderLayer, with their arguments.")
    return LayerList([layer, *(type(layer)(**settings) for _ in range(count - 1))])  # type: ignore[arg-type]


class TransformerLayer(Layer):
    """What encoder and decoder layers share: blocks with a residual around them, the last of two linear maps.

    The others are attention, under the names of `attentions`. A block is normalized before it (`normalize_before`) or
    behind the residual sum.
    """

    def __init__(self, attentions: Sequence[str], d_model: int, nhead: int, dim_feedforward: int, dropout: float,
                 activation: str, attn_dropout: float | None, act_dropout: float | None, normalize_before: bool,
                 weight_attr: Any, bias_attr: Any):
        super().__init__()
        self._config = {
            "d_model": d_model, "nhead": nhead, "dim_feedforward": dim_feedforward, "dropout": dropout,
            "activation": activation, "attn_dropout": attn_dropout, "act_dropout": act_dropout,
            "normalize_before": normalize_before, "weight_attr": weight_attr, "bias_attr": bias_attr}
        self._check_sizes(d_model, nhead, dim_feedforward)
        owner, count = type(self).__name__, len(attentions) + 1
        weights = parts_of(weight_attr, count, f"{owner}(weight_attr)")
        biases = parts_of(bias_attr, count, f"{owner}(bias_attr)")
        self.normalize_before = normalize_before
        attn_dropout = dropout if attn_dropout is None else attn_dropout
        for name, weight, bias in zip(attentions, weights[:-1], biases[:-1], strict=True):
            setattr(self, name, MultiHeadAttention(d_model, nhead, attn_dropout, weight_attr=weight, bias_attr=bias))
        self.linear1 = Linear(d_model, dim_feedforward, weights[-1], biases[-1])
        self.dropout = Dropout(dropout if act_dropout is None else act_dropout, mode="upscale_in_train")
        self.linear2 = Linear(dim_feedforward, d_model, weights[-1], biases[-1])
        for number in range(1, count + 1):
            setattr(self, f"norm{number}", LayerNorm(d_model))
        for number in range(1, count + 1):
            setattr(self, f"dropout{number}", Dropout(dropout))
        self.activation = activation_called(activation, owner)

    def _check_sizes(self, d_model: int, nhead: int, dim_feedforward: int) -> None:
        if min(d_model, nhead, dim_feedforward) <= 0:
            raise AssertedError(f"{type(self).__name__}: d_model, nhead and dim_feedforward must be above 0. "
                             f"Received {d_model}, {nhead} and {dim_feedforward}.")

    def _entered(self, norm: Layer, x: Any) -> Any:
        """What a block is given."""
        return norm(x) if self.normalize_before else x

    def _left(self, norm: Layer, dropout: Layer, residual: Any, x: Any) -> Any:
        """What follows a block: dropout, the residual, and the norm unless it came before."""
        x = residual + dropout(x)
        return x if self.normalize_before else norm(x)

    def _feedforward(self, norm: Layer, dropout: Layer, x: Any) -> Any:
        inner = self.dropout(self.activation(self.linear1(self._entered(norm, x))))
        return self._left(norm, dropout, x, self.linear2(inner))


class TransformerEncoderLayer(TransformerLayer):
    """Self-attention, then two linear maps with an activation between them, each with dropout and a residual.

    `dropout` holds for all, unless `attn_dropout` (attention weights) or `act_dropout` (behind the activation) is
    given. `weight_attr` and `bias_attr` may be lists of two: for attention, for the linear maps.
    Vaswani et al., Attention Is All You Need, 2017.

    >>> import proa as paddle
    >>> layer = paddle.nn.TransformerEncoderLayer(8, 2, 16)
    >>> layer(paddle.randn([2, 5, 8])).shape
    [2, 5, 8]
    """

    def __init__(self, d_model: int, nhead: int, dim_feedforward: int, dropout: float = 0.1, activation: str = "relu",
                 attn_dropout: float | None = None, act_dropout: float | None = None, normalize_before: bool = False,
                 weight_attr: Any = None, bias_attr: Any = None):
        super().__init__(("self_attn",), d_model, nhead, dim_feedforward, dropout, activation, attn_dropout,
                         act_dropout, normalize_before, weight_attr, bias_attr)

    def forward(self, src: Any, src_mask: Any = None, cache: Any = None) -> Any:
        """[batch, length, d_model] to the same shape; with a cache the new cache as well.

        The mask is that of MultiHeadAttention.
        """
        entered = self._entered(self.norm1, src)
        x = self.self_attn(entered, entered, entered, src_mask, cache)
        if cache is not None:
            x, cache = x
        x = self._feedforward(self.norm2, self.dropout2, self._left(self.norm1, self.dropout1, src, x))
        return x if cache is None else (x, cache)

    def gen_cache(self, src: Any) -> Cache:
        """An empty cache, of the batch and dtype of [batch, length, d_model]."""
        return self.self_attn.gen_cache(src, type=Cache)


class TransformerEncoder(Layer):
    """`num_layers` layers: the one given and others made with its settings, then `norm` if there is one.

    >>> import proa as paddle
    >>> encoder = paddle.nn.TransformerEncoder(paddle.nn.TransformerEncoderLayer(8, 2, 16), 2)
    >>> encoder(paddle.randn([2, 5, 8])).shape
    [2, 5, 8]
    """

    def __init__(self, encoder_layer: Layer, num_layers: int, norm: Layer | None = None):
        super().__init__()
        self.layers = repeated(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(self, src: Any, src_mask: Any = None, cache: Sequence[Cache] | None = None) -> Any:
        """[batch, length, d_model] to the same shape; with the caches of all layers a list of the new ones as well."""
        mask, caches = additive_mask(src_mask, dtype_of(src)), []
        for number, layer in enumerate(self.layers):
            if cache is None:
                src = layer(src, mask)
            else:
                src, kept = layer(src, mask, cache[number])
                caches.append(kept)
        if self.norm is not None:
            src = self.norm(src)
        return src if cache is None else (src, caches)

    def gen_cache(self, src: Any) -> list[Cache]:
        """The layers' empty caches, of the batch and dtype of [batch, length, d_model]."""
        return [layer.gen_cache(src) for layer in self.layers]
