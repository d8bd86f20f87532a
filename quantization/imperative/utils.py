"""Which layers are quantized, and finding them in a network."""

from __future__ import annotations

from typing import Any

from ... import nn
from ...nn.layer import Layer
from ...nn.quant import functional_layers, quant_layers

#: The quantized counterpart of each layer that computes with a weight.
COUNTERPARTS: dict[str, tuple[type, type]] = {
    "Conv2DTranspose": (nn.Conv2DTranspose, quant_layers.QuantizedConv2DTranspose),
    "Conv2D": (nn.Conv2D, quant_layers.QuantizedConv2D),
    "Linear": (nn.Linear, quant_layers.QuantizedLinear),
}

ROUNDED_OUTPUTS = (functional_layers.add, functional_layers.subtract, functional_layers.multiply,
                   functional_layers.divide, functional_layers.matmul)

_ROUNDING = (quant_layers.FakeQuantAbsMax, quant_layers.FakeQuantChannelWiseAbsMax,
             quant_layers.FakeQuantMovingAverageAbsMax, quant_layers.MovingAverageAbsMaxScale)


def counterpart(layer: Layer) -> type | None:
    """The quantized layer that may take a layer's place."""
    return next((quantized for plain, quantized in COUNTERPARTS.values() if isinstance(layer, plain)), None)


def is_leaf_layer(layer: Any) -> bool:
    """Whether nothing is in the layer."""
    return isinstance(layer, Layer) and not layer.sublayers()


def is_skipped(layer: Layer) -> bool:
    """Whether a user has said `layer.skip_quant = True`."""
    return getattr(layer, "skip_quant", False) is True


def has_output_scale(layer: Layer) -> bool:
    """Whether a scale is to follow what the layer gives."""
    quantized = tuple(quantized for _, quantized in COUNTERPARTS.values())
    return (is_leaf_layer(layer) and not isinstance(layer, _ROUNDING)
            or isinstance(layer, (*quantized, functional_layers.FloatFunctionalLayer)))


def find_parent_layer_and_sub_name(model: Layer, name: str) -> tuple[Layer, str]:
    """The layer that holds the one of this path ("block.0.conv"), and its name there."""
    parts, parent = name.split("."), model
    while len(parts) > 1:
        # a name may have dots in it, as those of add_sublayer("a.b", ...)
        length = next((n for n in range(1, len(parts)) if ".".join(parts[:n]) in parent._sub_layers), None)
        if length is None:
            break
        parent, parts = parent._sub_layers[".".join(parts[:length])], parts[length:]
    return parent, ".".join(parts)


def put(model: Layer, name: str, layer: Layer) -> None:
    """Puts a layer in the place of that of this path."""
    parent, part = find_parent_layer_and_sub_name(model, name)
    parent._sub_layers[part] = layer


def check_model(what: str, model: Any) -> None:
    """A network is wanted."""
    if not isinstance(model, Layer):
        raise TypeError(f"{what}(model): must be a paddle.nn.Layer. Received {model!r}.")
