"""Kernels for the decoding of large models on GPUs: there is nothing for them, and each says what to use."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["block_multihead_attention", "fused_ec_moe", "fused_multi_transformer", "masked_multihead_attention"]


def masked_multihead_attention(x: Any, cache_kv: Any = None, *args: Any, **kwargs: Any) -> NoReturn:
    """One step of decoding with a cache that is written in place: raises NotImplementedError.

    >>> import proa as paddle
    >>> paddle.incubate.nn.functional.masked_multihead_attention(paddle.ones([1, 6]))
    Traceback (most recent call last):
        ...
    NotImplementedError: paddle.incubate.nn.functional.masked_multihead_attention is one kernel for a GPU,...
    """
    _refuse("masked_multihead_attention", "nn.functional.scaled_dot_product_attention and concatenate keys and values")


def block_multihead_attention(qkv: Any, key_cache: Any, value_cache: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """Decoding with a cache in blocks: raises NotImplementedError.

    >>> import proa as paddle
    >>> paddle.incubate.nn.functional.block_multihead_attention(paddle.ones([1, 6]), None, None)
    Traceback (most recent call last):
        ...
    NotImplementedError: paddle.incubate.nn.functional.block_multihead_attention is one kernel for a GPU, for...
    """
    _refuse("block_multihead_attention", "nn.functional.scaled_dot_product_attention")


def fused_multi_transformer(x: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """All layers of a decoder at once: raises NotImplementedError.

    >>> import proa as paddle
    >>> paddle.incubate.nn.functional.fused_multi_transformer(paddle.ones([1, 2, 4]))
    Traceback (most recent call last):
        ...
    NotImplementedError: paddle.incubate.nn.functional.fused_multi_transformer is one kernel for a GPU, for...
    """
    _refuse("fused_multi_transformer", "nn.TransformerEncoder, or fused_multi_head_attention and fused_feedforward")


def fused_ec_moe(x: Any, gate: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """Experts that choose their tokens: raises NotImplementedError.

    >>> import proa as paddle
    >>> paddle.incubate.nn.functional.fused_ec_moe(paddle.ones([1, 2, 4]), paddle.ones([1, 2, 8]))
    Traceback (most recent call last):
        ...
    NotImplementedError: paddle.incubate.nn.functional.fused_ec_moe is one kernel for a GPU, for which there...
    """
    _refuse("fused_ec_moe", "layers of nn for each expert")


def _refuse(name: str, instead: str) -> NoReturn:
    raise NotImplementedError(f"paddle.incubate.nn.functional.{name} is one kernel for a GPU, for which there is "
                              f"nothing here. Use {instead}.")
