"""`paddle.nn.quant`: layers that compute as whole numbers of few bits would, and products of such weights."""

from ...core.absent import asked_of
from ...ops.quant.weight_only import llm_int8_linear, weight_dequantize, weight_only_linear, weight_quantize
from . import format, functional_layers, qat, quant_layers, stub
from .functional_layers import (
    FloatFunctionalLayer,
    add,
    concat,
    divide,
    flatten,
    matmul,
    multiply,
    reshape,
    subtract,
    transpose,
)
from .quant_layers import QuantStub
from .stub import QuanterStub, Stub

__all__ = ["Stub", "llm_int8_linear", "weight_dequantize", "weight_only_linear", "weight_quantize"]

__getattr__ = asked_of(__name__)
