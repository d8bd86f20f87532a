"""The Transformer: an encoder and a decoder."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...core.dtype import get_default_dtype
from ...ops.array.full import full
from ...ops.array.triangles import triu
from ..layer import Layer
from .decoder import TransformerDecoder, TransformerDecoderLayer
from .encoder import TransformerEncoder, TransformerEncoderLayer
from .norm import LayerNorm

_LAYER_PARTS = {1: ((0, 0), (0, 0, 0)), 2: ((0, 1), (0, 0, 1)), 3: ((0, 2), (0, 1, 2))}


def _for_layers(attr: Any, what: str) -> tuple[Any, Any]:
    """What the encoder's and the decoder's layers get of an attr: lists for their parts, if it is a list."""
    if not isinstance(attr, (list, tuple)):
        return attr, attr
    if len(attr) not in _LAYER_PARTS:
        raise ValueError(f"Transformer({what}): a list must hold 1, 2 or 3: for all; for attention and linear maps; or "
                         f"for self-attention, attention to the memory and linear maps. Received {len(attr)}.")
    encoder, decoder = _LAYER_PARTS[len(attr)]
    return _chosen(attr, encoder), _chosen(attr, decoder)


def _chosen(attr: Sequence[Any], numbers: Sequence[int]) -> list[Any]:
    return [attr[n] for n in numbers]


class Transformer(Layer):
    """An encoder of the source and a decoder of the target, each with a LayerNorm at its end; no embeddings.

    The arguments are those of the layers; `weight_attr` and `bias_attr` may be lists of one, of two (attention, linear
    maps) or of three (self-attention, attention to the memory, linear maps). `custom_encoder` and `custom_decoder`
    take the place of those made here. Vaswani et al., Attention Is All You Need, 2017.

    >>> import proa as paddle
    >>> transformer = paddle.nn.Transformer(8, 2, 1, 1, 16)
    >>> transformer(paddle.randn([2, 5, 8]), paddle.randn([2, 3, 8])).shape
    [2, 3, 8]
    """

    def __init__(self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6, num_decoder_layers: int = 6,
                 dim_feedforward: int = 2048, dropout: float = 0.1, activation: str = "relu",
                 attn_dropout: float | None = None, act_dropout: float | None = None, normalize_before: bool = False,
                 weight_attr: Any = None, bias_attr: Any = None, custom_encoder: Layer | None = None,
                 custom_decoder: Layer | None = None):
        super().__init__()
        weights, biases = _for_layers(weight_attr, "weight_attr"), _for_layers(bias_attr, "bias_attr")
        settings = (d_model, nhead, dim_feedforward, dropout, activation, attn_dropout, act_dropout, normalize_before)
        if custom_encoder is None:
            layer = TransformerEncoderLayer(*settings, weights[0], biases[0])
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, LayerNorm(d_model))
        self.encoder = custom_encoder
        if custom_decoder is None:
            last = TransformerDecoderLayer(*settings, weights[1], biases[1])
            custom_decoder = TransformerDecoder(last, num_decoder_layers, LayerNorm(d_model))
        self.decoder = custom_decoder
        self.d_model, self.nhead = d_model, nhead

    def forward(self, src: Any, tgt: Any, src_mask: Any = None, tgt_mask: Any = None, memory_mask: Any = None) -> Any:
        """[batch, source length, d_model] and [batch, target length, d_model] to the target's shape.

        The masks are those of MultiHeadAttention; `memory_mask` is [batch, heads, target length, source length].
        """
        return self.decoder(tgt, self.encoder(src, src_mask), tgt_mask, memory_mask)

    def generate_square_subsequent_mask(self, length: Any) -> Any:
        """[length, length] to be added to scores: 0 on and before the diagonal, -inf behind it.

        >>> import proa as paddle
        >>> paddle.nn.Transformer(8, 2, 1, 1, 16).generate_square_subsequent_mask(2).tolist()
        [[0.0, -inf], [0.0, 0.0]]
        """
        return triu(full([length, length], -math.inf, get_default_dtype()), 1)
