"""The largest magnitudes of a weight by groups of its rows."""

from __future__ import annotations

from typing import Any

from ...nn.layer import Layer
from ...ops.array.reshape import reshape
from ...ops.math.elementwise import maximum
from ...ops.math.reduce import max as largest
from ...ops.math.unary import abs as magnitude
from ..base_observer import BaseObserver
from ..factory import ObserverFactory


class GroupWiseWeightObserver(ObserverFactory):
    """Observers of a weight [in, out] with a scale for each `group_size` (64 or 128) rows and each column.

    >>> import proa as paddle
    >>> observer = paddle.quantization.observers.GroupWiseWeightObserver(group_size=64)
    """

    def __init__(self, quant_bits: int = 8, group_size: int = 128):
        super().__init__(quant_bits=quant_bits, group_size=group_size)

    def _get_class(self) -> type:
        return GroupWiseWeightObserverLayer


class GroupWiseWeightObserverLayer(BaseObserver):
    """Gives its input back, and keeps the largest magnitude of each group of rows."""

    def __init__(self, layer: Layer | None, quant_bits: int = 8, group_size: int = 128):
        super().__init__()
        if group_size not in (64, 128):
            raise ValueError(f"GroupWiseWeightObserver(group_size): must be 64 or 128. Received {group_size}.")
        self._quant_bits, self.group_size = quant_bits, group_size
        self._scale: Any = None

    def forward(self, inputs: Any) -> Any:
        """The input, a weight."""
        if len(inputs.shape) != 2 or inputs.shape[0] % self.group_size:
            raise ValueError(f"GroupWiseWeightObserver: the weight must be a matrix whose number of rows is a multiple "
                             f"of group_size={self.group_size}. Received shape {list(inputs.shape)}.")
        groups = reshape(inputs.detach(), [-1, self.group_size, inputs.shape[1]])
        found = largest(magnitude(groups), axis=1)
        self._scale = maximum(found, found.full_like(1e-8))
        return inputs

    def cal_thresholds(self) -> None:
        """Nothing: the scales are the largest magnitudes."""

    def min_value(self) -> float:
        """0."""
        return 0.0

    def max_value(self) -> Any:
        """The largest magnitudes."""
        return self._scale

    def bit_length(self) -> int:
        """The number of bits."""
        return self._quant_bits

    def quant_axis(self) -> int:
        """-1: scales are by group and column."""
        return -1

    def scales(self) -> Any:
        """The largest magnitudes [in / group_size, out]; None before a weight has passed."""
        return self._scale

    def zero_points(self) -> Any:
        """Zeros."""
        return None if self._scale is None else self._scale.zeros_like()
