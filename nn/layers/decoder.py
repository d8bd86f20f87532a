"""The Transformer's decoder."""

from __future__ import annotations

from typing import Any

from ..functional.attention import additive_mask
from ..layer import Layer
from .attention import Cache, StaticCache
from .encoder import TransformerLayer, repeated


class TransformerDecoderLayer(TransformerLayer):
    """Self-attention, attention to an encoder's output, then two linear maps, each with dropout and a residual.

    The arguments are those of TransformerEncoderLayer; `weight_attr` and `bias_attr` may be lists of three: for
    self-attention, for the attention to the memory, for the linear maps.
    Vaswani et al., Attention Is All You Need, 2017.

    >>> import proa as paddle
    >>> layer = paddle.nn.TransformerDecoderLayer(8, 2, 16)
    >>> layer(paddle.randn([2, 3, 8]), paddle.randn([2, 5, 8])).shape
    [2, 3, 8]
    """

    def __init__(self, d_model: int, nhead: int, dim_feedforward: int, dropout: float = 0.1, activation: str = "relu",
                 attn_dropout: float | None = None, act_dropout: float | None = None, normalize_before: bool = False,
                 weight_attr: Any = None, bias_attr: Any = None):
        super().__init__(("self_attn", "cross_attn"), d_model, nhead, dim_feedforward, dropout, activation,
                         attn_dropout, act_dropout, normalize_before, weight_attr, bias_attr)

    def forward(self, tgt: Any, memory: Any, tgt_mask: Any = None, memory_mask: Any = None, cache: Any = None) -> Any:
        """[batch, length, d_model] and the memory [batch, memory length, d_model] to tgt's shape.

        With a cache, as `gen_cache` makes it, also the new one. The masks are those of MultiHeadAttention.
        """
        entered = self._entered(self.norm1, tgt)
        x = self.self_attn(entered, entered, entered, tgt_mask, None if cache is None else cache[0])
        if cache is not None:
            x, growing = x
        tgt = self._left(self.norm1, self.dropout1, tgt, x)
        x = self.cross_attn(self._entered(self.norm2, tgt), memory, memory, memory_mask,
                            None if cache is None else cache[1])
        if cache is not None:
            x, fixed = x
        tgt = self._feedforward(self.norm3, self.dropout3, self._left(self.norm2, self.dropout2, tgt, x))
        return tgt if cache is None else (tgt, (growing, fixed))

    def gen_cache(self, memory: Any) -> tuple[Cache, StaticCache]:
        """An empty cache for self-attention, and that of the memory for the attention to it."""
        return (self.self_attn.gen_cache(memory, type=Cache),
                self.cross_attn.gen_cache(memory, memory, type=StaticCache))


class TransformerDecoder(Layer):
    """`num_layers` layers: the one given and others made with its settings, then `norm` if there is one.

    >>> import proa as paddle
    >>> decoder = paddle.nn.TransformerDecoder(paddle.nn.TransformerDecoderLayer(8, 2, 16), 2)
    >>> decoder(paddle.randn([2, 3, 8]), paddle.randn([2, 5, 8])).shape
    [2, 3, 8]
    """

    def __init__(self, decoder_layer: Layer, num_layers: int, norm: Layer | None = None):
        super().__init__()
        self.layers = repeated(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(self, tgt: Any, memory: Any, tgt_mask: Any = None, memory_mask: Any = None, cache: Any = None) -> Any:
        """[batch, length, d_model] and the memory to tgt's shape; with the layers' caches a list of new ones as well.

        `cache` is what `gen_cache` made (without do_zip), or the list that the step before returned.
        """
        tgt_mask, memory_mask = additive_mask(tgt_mask, tgt.dtype), additive_mask(memory_mask, memory.dtype)
        caches = []
        for number, layer in enumerate(self.layers):
            if cache is None:
                tgt = layer(tgt, memory, tgt_mask, memory_mask)
            else:
                tgt, kept = layer(tgt, memory, tgt_mask, memory_mask, cache[number])
                caches.append(kept)
        if self.norm is not None:
            tgt = self.norm(tgt)
        return tgt if cache is None else (tgt, caches)

    def gen_cache(self, memory: Any, do_zip: bool = False) -> list[tuple[Any, ...]]:
        """The layers' caches; with `do_zip` one tuple of all growing caches and one of all fixed ones instead."""
        caches = [layer.gen_cache(memory) for layer in self.layers]
        return list(zip(*caches, strict=True)) if do_zip else caches
