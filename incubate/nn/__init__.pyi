"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.incubate.nn`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from . import attn_bias as attn_bias, functional as functional, memory_efficient_attention as memory_efficient_attention
from proa.incubate.nn.layer.fused_dropout_add import FusedDropoutAdd as FusedDropoutAdd
from proa.incubate.nn.layer.fused_dropout_nd import FusedDropout as FusedDropout
from proa.incubate.nn.layer.fused_linear import FusedLinear as FusedLinear
from proa.incubate.nn.layer.fused_transformer import FusedBiasDropoutResidualLayerNorm as FusedBiasDropoutResidualLayerNorm, FusedFeedForward as FusedFeedForward, FusedMultiHeadAttention as FusedMultiHeadAttention, FusedTransformerEncoderLayer as FusedTransformerEncoderLayer

