"""What engines compute with whole numbers: the types of operations, as code written for Paddle asks for them."""

from __future__ import annotations

from typing import Any

from .kinds import ACTIVATIONS, OBSERVED, SLOTS, WEIGHTED

SUPPORT_WEIGHT_QUANTIZATION_OP_DICT = {kind: [list(side) for side in SLOTS[kind]] for kind in WEIGHTED}
SUPPORT_ACT_QUANTIZATION_OP_DICT = {kind: [list(side) for side in SLOTS[kind]] for kind in OBSERVED}
SUPPORT_QUANTIZATION_OP_DICT = {**SUPPORT_WEIGHT_QUANTIZATION_OP_DICT, **SUPPORT_ACT_QUANTIZATION_OP_DICT}


class BaseQuantizer:
    """The types that are quantized with a weight, those that are without one, and those whose scales are written down.

    >>> from proa.static.quantization.quant_config import ARMCPUQuantizer
    >>> ARMCPUQuantizer().activation_quant_operation_types
    ['mul', 'matmul', 'matmul_v2']
    """

    _without_weights: list[str] = []

    def __init__(self, quantizable_op_type: Any = (), quant_bits: int = 8):
        self.quantizable_op_type, self.quant_bits = list(quantizable_op_type), quant_bits

    @property
    def weight_quant_operation_types(self) -> list[str]:
        """Those that compute with a weight."""
        wanted = self.quantizable_op_type
        return [kind for kind in WEIGHTED if not wanted or kind in wanted]

    @property
    def activation_quant_operation_types(self) -> list[str]:
        """Those that compute without one: what the engine has, or of all those that were asked for."""
        return self._without_weights or [kind for kind in OBSERVED if kind in (self.quantizable_op_type or ACTIVATIONS)]

    @property
    def observer_operation_types(self) -> list[str]:
        """Those whose scales are written down."""
        return list(OBSERVED)


class TensorRTQuantizer(BaseQuantizer):
    """Those of TensorRT."""

    _without_weights = (
        "pool2d elementwise_add elementwise_sub elementwise_mul elementwise_pow concat softmax argmax mean relu relu6 "
        "leaky_relu tanh swish softplus gelu hard_sigmoid hard_swish sigmoid layer_norm matmul_v2 split "
        "bilinear_interp nearest_interp trilinear_interp nearest_interp_v2 bilinear_interp_v2 clip pow reduce_mean "
        "reduce_sum reduce_max").split()


class MKLDNNQuantizer(BaseQuantizer):
    """Those of oneDNN."""

    _without_weights = ["pool2d", "elementwise_add", "elementwise_mul", "concat", "nearest_interp",
                        "nearest_interp_v2", "split"]


class ARMCPUQuantizer(BaseQuantizer):
    """Those of ARM's processors."""
