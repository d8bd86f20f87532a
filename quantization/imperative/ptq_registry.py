"""PTQRegistry: the layers that post-training quantization measures."""

from __future__ import annotations

from typing import Any

from ... import nn
from ...nn.quant import functional_layers
from .utils import COUNTERPARTS

_SIMULATED = (nn.Conv2D, nn.Linear)
_MEASURED = (*_SIMULATED, nn.BatchNorm2D, nn.AdaptiveMaxPool2D, nn.AdaptiveAvgPool2D, nn.AvgPool2D, nn.MaxPool2D,
             nn.ReLU, nn.ReLU6, nn.Hardswish, nn.Swish, nn.Sigmoid, nn.Softmax, nn.Tanh, functional_layers.add)
_QUANTIZED = tuple(COUNTERPARTS[name][1] for name in ("Conv2D", "Linear"))


def _among(layer: Any, kinds: tuple[type, ...]) -> bool:
    return layer in kinds or isinstance(layer, kinds)


class PTQRegistry:
    """Which layers, or classes of them, are measured.

    >>> import proa as paddle
    >>> registry = paddle.quantization.PTQRegistry
    >>> registry.is_supported_layer(paddle.nn.ReLU()), registry.is_simulated_quant_layer(paddle.nn.ReLU)
    (True, False)
    """

    @classmethod
    def is_supported_layer(cls, layer: Any) -> bool:
        """Whether the layer's result is measured."""
        return _among(layer, _MEASURED)

    @classmethod
    def is_registered_layer(cls, layer: Any) -> bool:
        """Whether it is that, or quantized already."""
        return _among(layer, (*_MEASURED, *_QUANTIZED))

    @classmethod
    def is_simulated_quant_layer(cls, layer: Any) -> bool:
        """Whether its input and weight are rounded afterwards."""
        return _among(layer, _SIMULATED)
