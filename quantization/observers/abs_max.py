"""The largest magnitude of all that has passed."""

from __future__ import annotations

from typing import Any

from ...nn.layer import Layer
from ...ops.array.full import full
from ...ops.math.elementwise import maximum
from ...ops.math.reduce import max as largest
from ...ops.math.unary import abs as magnitude
from ..base_observer import BaseObserver
from ..factory import ObserverFactory

_LEAST = 1e-7


class AbsmaxObserver(ObserverFactory):
    """Observers whose scale is the largest magnitude of what has passed; of `quant_bits` bits.

    >>> from proa.quantization.observers import AbsmaxObserver
    >>> AbsmaxObserver(quant_bits=4)
    AbsmaxObserver(quant_bits=4)
    """

    def __init__(self, quant_bits: int = 8):
        super().__init__(quant_bits=quant_bits)

    def _get_class(self) -> type:
        return AbsmaxObserverLayer


class AbsmaxObserverLayer(BaseObserver):
    """Gives its input back, and keeps the largest magnitude so far."""

    def __init__(self, layer: Layer | None, quant_bits: int = 8):
        super().__init__()
        self._quant_bits = quant_bits
        self.abs_max_val = full([], _LEAST)

    def forward(self, input: Any) -> Any:
        """The input."""
        found = largest(magnitude(input.detach())).astype("float32")
        self.abs_max_val = maximum(found, self.abs_max_val)
        return input

    def cal_thresholds(self) -> None:
        """Nothing: the scale is the largest magnitude."""

    def bit_length(self) -> int:
        """The number of bits."""
        return self._quant_bits

    def quant_axis(self) -> int:
        """-1: there is one scale."""
        return -1

    def scales(self) -> Any:
        """The largest magnitude, without dimensions."""
        return self.abs_max_val

    def zero_points(self) -> None:
        """None: zero is 0."""
        return None
