"""Functions of `paddle.incubate.nn.functional`, composed of those of `nn.functional`: they run on every device.

In Paddle each is one kernel, most of them for GPUs alone.
"""

from ....core.absent import asked_of
from .decoding import block_multihead_attention, fused_ec_moe, fused_multi_transformer, masked_multihead_attention
from .linear import fused_dropout_add, fused_linear, fused_linear_activation, fused_matmul_bias
from .norm import fused_bias_dropout_residual_layer_norm, fused_layer_norm, fused_rms_norm
from .rotary import fused_rotary_position_embedding
from .transformer import fused_feedforward, fused_multi_head_attention, variable_length_memory_efficient_attention

__all__ = ["block_multihead_attention", "fused_bias_dropout_residual_layer_norm", "fused_dropout_add", "fused_ec_moe",
           "fused_feedforward", "fused_layer_norm", "fused_linear", "fused_linear_activation", "fused_matmul_bias",
           "fused_multi_head_attention", "fused_multi_transformer", "fused_rms_norm",
           "fused_rotary_position_embedding", "masked_multihead_attention",
           "variable_length_memory_efficient_attention"]
__getattr__ = asked_of(__name__)
