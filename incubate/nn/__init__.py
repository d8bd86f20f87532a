"""`paddle.incubate.nn`: layers that do at once what others do one after another; here they are composed of those."""

from ...core.absent import asked_of
from . import attn_bias, functional, memory_efficient_attention
from .layer.fused_dropout_add import FusedDropoutAdd
from .layer.fused_dropout_nd import FusedDropout
from .layer.fused_linear import FusedLinear
from .layer.fused_transformer import (
    FusedBiasDropoutResidualLayerNorm,
    FusedFeedForward,
    FusedMultiHeadAttention,
    FusedTransformerEncoderLayer,
)

__all__ = ["FusedBiasDropoutResidualLayerNorm", "FusedDropout", "FusedDropoutAdd", "FusedFeedForward", "FusedLinear",
           "FusedMultiHeadAttention", "FusedTransformerEncoderLayer"]
__getattr__ = asked_of(__name__)
