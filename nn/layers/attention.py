"""Multi-head attention, and what a decoder keeps of it from step to step."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...core.errors import AssertedError
from ...ops.array.assign import shape
from ...ops.array.concat_split import concat
from ...ops.array.full import full
from ...ops.array.reshape import reshape, transpose
from ..functional.attention import additive_mask, attend, attend_with_weights
from ..layer import Layer
from .common import Linear


class Cache(NamedTuple):
    """Keys and values of the positions so far, [batch, heads, length, head_dim], which grow step by step."""

    k: Any
    v: Any


class StaticCache(NamedTuple):
    """Keys and values [batch, heads, length, head_dim] that stay as they are: those of an encoder's output."""

    k: Any
    v: Any


class MultiHeadAttention(Layer):
    """Attention of `num_heads` heads, each embed_dim / num_heads wide, between four linear maps.

    Called with `query` [batch, m, embed_dim], `key` and `value` [batch, n, …] (the query, where they are None) and
    `attn_mask`, which broadcasts to [batch, heads, m, n]: a float mask is added to the scores, a boolean one is true
    where one may look. Keys have kdim features and values vdim, both embed_dim unless told otherwise. `dropout` is the
    probability with which weights fall out in training; with `need_weights` the weights are returned as well. Vaswani
    et al., Attention Is All You Need, 2017.

    >>> import proa as paddle
    >>> attention = paddle.nn.MultiHeadAttention(8, num_heads=2)
    >>> x = paddle.randn([2, 5, 8])
    >>> before = paddle.tril(paddle.ones([5, 5], "bool"))  # each position sees itself and what comes before it
    >>> attention(x, attn_mask=before).shape
    [2, 5, 8]
    """

    Cache = Cache
    StaticCache = StaticCache

    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, kdim: int | None = None,
                 vdim: int | None = None, need_weights: bool = False, weight_attr: Any = None, bias_attr: Any = None):
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0 or embed_dim % num_heads:
            raise AssertedError("MultiHeadAttention(embed_dim, num_heads): both must be above 0, and embed_dim "
                                f"divisible by num_heads. Received {embed_dim} and {num_heads}.")
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.dropout, self.need_weights = dropout, need_weights
        self.q_proj = Linear(embed_dim, embed_dim, weight_attr, bias_attr)
        self.k_proj = Linear(self.kdim, embed_dim, weight_attr, bias_attr)
        self.v_proj = Linear(self.vdim, embed_dim, weight_attr, bias_attr)
        self.out_proj = Linear(embed_dim, embed_dim, weight_attr, bias_attr)

    def _heads(self, x: Any) -> Any:
        """[batch, length, embed_dim] as [batch, heads, length, head_dim]."""
        return transpose(reshape(x, [0, 0, self.num_heads, self.head_dim]), [0, 2, 1, 3])

    def compute_kv(self, key: Any, value: Any) -> tuple[Any, Any]:
        """Keys [batch, length, kdim] and values [batch, length, vdim] as heads see them."""
        return self._heads(self.k_proj(key)), self._heads(self.v_proj(value))

    def gen_cache(self, key: Any, value: Any = None, type: Any = Cache) -> Any:
        """A cache for `forward`.

        `StaticCache`: what `compute_kv` makes of key and value (key for both, without a value). `Cache`: key and value
        as they are, both [batch, heads, length, head_dim]; without a value an empty cache, of key's batch and dtype.
        """
        if type is StaticCache:
            return StaticCache(*self.compute_kv(key, key if value is None else value))
        if type is not Cache:
            raise TypeError(f"MultiHeadAttention.gen_cache(type): Cache or StaticCache. Received {type!r}.")
        if value is not None:
            return Cache(key, value)
        batch = key.shape[0] if key.shape[0] != -1 else shape(key)[0]
        sizes = [batch, self.num_heads, 0, self.head_dim]
        return Cache(full(sizes, 0.0, key.dtype), full(sizes, 0.0, key.dtype))

    def _prepare_qkv(self, query: Any, key: Any, value: Any, cache: Any = None) -> tuple[Any, ...]:
        """Queries, keys and values as heads see them; with a cache also that of the next step.

        A subclass may put its own in its place: rotated queries and keys, say.
        """
        q = self._heads(self.q_proj(query))
        if isinstance(cache, StaticCache):
            return q, cache.k, cache.v, cache
        k, v = self.compute_kv(key, value)
        if cache is None:
            return q, k, v
        k, v = concat([cache.k, k], 2), concat([cache.v, v], 2)
        return q, k, v, Cache(k, v)

    def forward(self, query: Any, key: Any = None, value: Any = None, attn_mask: Any = None, cache: Any = None) -> Any:
        """[batch, queries, embed_dim] and keys and values, which are the queries unless given, to queries' shape.

        `attn_mask` broadcasts to [batch, heads, queries, keys]: floats are added to the scores; False, or the integer
        0, hides a position. With `need_weights` or a cache a tuple: the output, the weights, the new cache.
        """
        key, value = query if key is None else key, query if value is None else value
        q, k, v, *grown = self._prepare_qkv(query, key, value, *([] if cache is None else [cache]))
        mask, more = additive_mask(attn_mask, q.dtype), []
        if self.need_weights:
            out, weights = attend_with_weights(q, k, v, mask, self.dropout, self.training)
            more.append(weights)
        else:
            out = attend(q, k, v, mask, self.dropout, self.training)
        out = self.out_proj(reshape(transpose(out, [0, 2, 1, 3]), [0, 0, self.embed_dim]))
        more.extend(grown)
        return (out, *more) if more else out
