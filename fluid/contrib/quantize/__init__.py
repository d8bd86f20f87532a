"""`fluid.contrib.quantize`: quantization-aware training, as 1.x had it before `contrib.slim.quantization`."""

from .quantize_transpiler import QuantizeTranspiler

__all__ = ["QuantizeTranspiler"]
