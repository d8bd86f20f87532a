"""`paddle.nn.quant`: layers that compute as whole numbers of few bits would, and products of such weights."""

from ...core.absent import asked_of
from ...ops.quant.weight_only import llm_int8_linear, weight_dequantize, weight_only_linear, weight_quantize
from . import format, qat, stub
from .stub import QuanterStub, Stub

__all__ = ["Stub", "llm_int8_linear", "weight_dequantize", "weight_only_linear", "weight_quantize"]

__getattr__ = asked_of(__name__)
