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
        take_settings(self, layer)

    def _compute(self, input: Any, weight: Any) -> Any:
        return convolve(self, input, weight)


def take_settings(layer: Layer, source: Layer) -> None:
    """Gives a layer the strides, paddings and the like of another convolution."""
    for name in _SETTINGS:
        setattr(layer, name, getattr(source, name))


def convolve(layer: Any, input: Any, weight: Any) -> Any:
    """The convolution of a layer with such settings and a bias, of another weight."""
    padding = layer._padding
    if layer._padding_mode != "zeros":
        widths = [padding] * 4 if isinstance(padding, int) else [width for width in padding[::-1] for _ in range(2)]
        input = F.pad(input, widths, layer._padding_mode, data_format=layer._data_format)
        padding = 0
    return F.conv2d(input, weight, layer.bias, layer._stride, padding, layer._dilation, layer._groups,
                    layer._data_format)
