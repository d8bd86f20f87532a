"""nn.Conv2D with quanters."""

from __future__ import annotations

from typing import Any

from ... import functional as F
from ...layer import Layer
from .quanted import Quanted

_SETTINGS = ("_groups", "_stride", "_padding", "_padding_mode", "_dilation", "_data_format")


class QuantedConv2D(Quanted):
    """`nn.Conv2D` of which weight and input pass quanters first; made by `QAT` and `PTQ`."""

    def __init__(self, layer: Layer, q_config: Any):
        super().__init__(layer, q_config)
        for name in _SETTINGS:
            setattr(self, name, getattr(layer, name))

    def _compute(self, input: Any, weight: Any) -> Any:
        padding = self._padding
        if self._padding_mode != "zeros":
            widths = [padding] * 4 if isinstance(padding, int) else [width for width in padding[::-1] for _ in range(2)]
            input = F.pad(input, widths, self._padding_mode, data_format=self._data_format)
            padding = 0
        return F.conv2d(input, weight, self.bias, self._stride, padding, self._dilation, self._groups,
                        self._data_format)
