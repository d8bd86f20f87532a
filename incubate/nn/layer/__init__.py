"""`paddle.incubate.nn.layer`: the layers of `paddle.incubate.nn`, with the parameters that Paddle's have."""

from . import fused_dropout_add, fused_linear, fused_transformer

__all__ = ["fused_dropout_add", "fused_linear", "fused_transformer"]
