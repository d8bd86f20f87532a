"""ImperativeQuantAware: training with what whole numbers will show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...nn.layer import Layer
from ...nn.quant.quant_layers import FakeQuantMAOutputScaleLayer, MAOutputScaleLayer
from . import fuse_utils
from .saving import save_with_scales
from .utils import COUNTERPARTS, ROUNDED_OUTPUTS, check_model, counterpart, has_output_scale, is_skipped, put

_WEIGHTS = ("abs_max", "channel_wise_abs_max")
_ACTIVATIONS = ("moving_average_abs_max",)
_ELSEWHERE = ("ColumnParallelLinear", "RowParallelLinear")  # named by default, and not here


class ImperativeQuantAware:
    """Puts layers that round their inputs and weights into a network, to be trained on, and saves it with its scales.

    `quantizable_layer_type`: 'Conv2D', 'Linear', 'Conv2DTranspose', or the classes; a layer with `skip_quant = True`
    stays as it is. The …_layer arguments are classes of layers of one's own: made for each, they change an input or a
    weight before it is rounded (preprocess), or round it (quantize).

    >>> import proa as paddle
    >>> network = paddle.nn.Sequential(paddle.nn.Linear(2, 2), paddle.nn.ReLU())
    >>> method = paddle.quantization.ImperativeQuantAware(weight_quantize_type="channel_wise_abs_max")
    >>> type(method.quantize(network)[0]._layer).__name__
    'QuantizedLinear'
    """

    def __init__(self, quantizable_layer_type: Sequence[Any] = ("Conv2D", "Linear", "Conv2DTranspose", *_ELSEWHERE),
                 weight_quantize_type: str = "abs_max", activation_quantize_type: str = "moving_average_abs_max",
                 weight_bits: int = 8, activation_bits: int = 8, moving_rate: float = 0.9, fuse_conv_bn: bool = False,
                 weight_preprocess_layer: type[Layer] | None = None, act_preprocess_layer: type[Layer] | None = None,
                 weight_quantize_layer: type[Layer] | None = None, act_quantize_layer: type[Layer] | None = None,
                 onnx_format: bool = False):
        if onnx_format:
            raise NotImplementedError("ImperativeQuantAware(onnx_format=True): quantize_linear and dequantize_linear "
                                      "are what paddle.quantization.QAT(config).convert(model) writes.")
        self._types = tuple(_layer_type(kind) for kind in quantizable_layer_type if kind not in _ELSEWHERE)
        _check_kind("weight_quantize_type", weight_quantize_type, _WEIGHTS)
        _check_kind("activation_quantize_type", activation_quantize_type, _ACTIVATIONS)
        for what, bits in (("weight_bits", weight_bits), ("activation_bits", activation_bits)):
            if not (isinstance(bits, int) and 1 <= bits <= 16):
                raise ValueError(f"ImperativeQuantAware({what}): must be an int from 1 to 16. Received {bits!r}.")
        own = {"weight_pre_layer": weight_preprocess_layer, "act_pre_layer": act_preprocess_layer,
               "weight_quant_layer": weight_quantize_layer, "act_quant_layer": act_quantize_layer}
        for what, layer in own.items():
            if not (layer is None or isinstance(layer, type) and issubclass(layer, Layer)):
                raise TypeError(f"ImperativeQuantAware: {what} must be a class of layers. Received {layer!r}.")
        self.fuse_conv_bn, self._moving_rate = fuse_conv_bn, moving_rate
        self._settings = {"weight_bits": weight_bits, "activation_bits": activation_bits, "moving_rate": moving_rate,
                          "weight_quantize_type": weight_quantize_type,
                          "activation_quantize_type": activation_quantize_type, **own}

    def quantize(self, model: Layer) -> Layer:
        """The model itself, with quantized layers in it."""
        check_model("ImperativeQuantAware.quantize", model)
        if self.fuse_conv_bn:
            fuse_utils.fuse_conv_bn(model)
        for name, layer in list(model.named_sublayers()):
            quantized = counterpart(layer)
            if quantized is not None and isinstance(layer, self._types) and not is_skipped(layer):
                put(model, name, quantized(layer, **self._settings))
        for name, layer in list(model.named_sublayers()):
            if "_act_preprocess" not in name and has_output_scale(layer):
                around = FakeQuantMAOutputScaleLayer if isinstance(layer, ROUNDED_OUTPUTS) else MAOutputScaleLayer
                put(model, name, around(layer, moving_rate=self._moving_rate))
        return model

    def save_quantized_model(self, layer: Layer, path: str, input_spec: Any = None, **config: Any) -> None:
        """Saves the model for inference; operators have the scales of their inputs and results as attributes."""
        check_model("ImperativeQuantAware.save_quantized_model", layer)
        save_with_scales(layer, path, input_spec, **config)


def _layer_type(kind: Any) -> type:
    plain = [plain for plain, _ in COUNTERPARTS.values()]
    found = COUNTERPARTS[kind][0] if isinstance(kind, str) and kind in COUNTERPARTS else kind
    if found not in plain:
        raise ValueError("ImperativeQuantAware(quantizable_layer_type): names or classes among "
                         f"{list(COUNTERPARTS)}. Received {kind!r}.")
    return found


def _check_kind(what: str, kind: str, kinds: tuple[str, ...]) -> None:
    if kind not in kinds:
        raise ValueError(f"ImperativeQuantAware({what}): must be one of {list(kinds)}. Received {kind!r}.")
