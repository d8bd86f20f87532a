"""Rounding to whole numbers of a range that follows the largest magnitudes."""

from __future__ import annotations

from typing import Any

from ...core.param_attr import ParamAttr
from ...core.unique_name import generate
from ...nn.initializer import Constant
from ...nn.layer import Layer
from ...ops.quant.linear_quantize import fake_quantize
from ..base_quanter import BaseQuanter
from ..factory import QuanterFactory


class FakeQuanterWithAbsMaxObserver(QuanterFactory):
    """Quanters of `bit_length` bits whose scale is a moving mean of the largest magnitudes, by `moving_rate`.

    state = rate · state + 1, accum = rate · accum + max |x|, scale = accum / state. Their gradient passes as if they
    did nothing.

    >>> from proa.quantization.quanters import FakeQuanterWithAbsMaxObserver
    >>> FakeQuanterWithAbsMaxObserver(moving_rate=0.99)
    FakeQuanterWithAbsMaxObserver(name=None,moving_rate=0.99,bit_length=8,dtype=float32)
    """

    def __init__(self, moving_rate: float = 0.9, bit_length: int = 8, dtype: str = "float32", name: str | None = None):
        super().__init__(name=name, moving_rate=moving_rate, bit_length=bit_length, dtype=dtype)

    def _get_class(self) -> type:
        return FakeQuanterWithAbsMaxObserverLayer


class FakeQuanterWithAbsMaxObserverLayer(BaseQuanter):
    """Rounds its input to whole numbers times a scale, which in training follows the input."""

    def __init__(self, layer: Layer | None, name: str | None = None, moving_rate: float = 0.9, bit_length: int = 8,
                 dtype: str = "float32"):
        super().__init__()
        self._moving_rate, self._bit_length = moving_rate, bit_length
        prefix = f"{name}." if name else "quant_dequant."
        self._scale, self._state, self._accum = (
            self.create_parameter([1], ParamAttr(generate(prefix + part), initializer=Constant(value), trainable=False),
                                  dtype) for part, value in (("scale", 0.001), ("state", 1.0), ("accum", 1.0)))

    def forward(self, input: Any) -> Any:
        """The input, as whole numbers show it."""
        return fake_quantize(input, self._scale, self._accum, self._state, self._moving_rate, self._bit_length,
                             self.training)

    def bit_length(self) -> int:
        """The number of bits."""
        return self._bit_length

    def quant_axis(self) -> int:
        """-1: there is one scale."""
        return -1

    def scales(self) -> Any:
        """The scale: [1]."""
        return self._scale

    def zero_points(self) -> None:
        """None: zero is 0."""
        return None
