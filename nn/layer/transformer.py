"""Transformers, where PaddlePaddle has them, and the helpers that code for other transformers takes from there."""

from __future__ import annotations

import copy
from typing import Any

from ...core.dtype import convert_dtype
from ...core.param_attr import ParamAttr
from ..functional.attention import additive_mask
from .family import family

__getattr__, __dir__ = family(__name__, """
    MultiHeadAttention Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder
    TransformerEncoderLayer
""")


def _convert_attention_mask(attn_mask: Any, dtype: Any) -> Any:
    """A mask as what is added to scores of `dtype`: 0 where it is True or 1, -1e9 where False or 0; floats as they are.

    None stays None.
    """
    return additive_mask(attn_mask, convert_dtype(dtype))


def _convert_param_attr_to_list(param_attr: Any, n: int) -> list[Any]:
    """What `n` layers are given of an attr: each an entry of a sequence of n, or a copy of its own of a single one.

    Copies of an attr with a name get `name_0`, `name_1`, …
    """
    if isinstance(param_attr, (list, tuple)):
        if len(param_attr) != n:
            raise ValueError(f"A sequence of attrs must have {n} entries. Received {len(param_attr)}.")
        return [ParamAttr._to_attr(attr) for attr in param_attr]
    return [_numbered(ParamAttr._to_attr(param_attr), i) for i in range(n)]


def _numbered(attr: Any, i: int) -> Any:
    attr = copy.deepcopy(attr)
    if attr and attr.name:
        attr.name = f"{attr.name}_{i}"
    return attr
