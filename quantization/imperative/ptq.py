"""ImperativePTQ: scales of a network that is trained already, by what passes through it."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from ...nn.layer import Layer
from ...nn.quant.quant_layers import MAOutputScaleLayer
from ...ops.array.creation import to_tensor
from . import fuse_utils
from .ptq_config import PTQConfig, default_ptq_config
from .ptq_quantizer import AbsmaxQuantizer
from .ptq_registry import PTQRegistry
from .saving import save_with_scales
from .utils import check_model, counterpart, is_leaf_layer, is_skipped, put


class ImperativePTQ:
    """Measures a network while it runs on samples, and saves it with the scales that were found.

    >>> import proa as paddle
    >>> from proa.quantization import AbsmaxQuantizer, ImperativePTQ, PTQConfig
    >>> network = paddle.nn.Sequential(paddle.nn.Linear(2, 2), paddle.nn.ReLU())
    >>> network.eval()
    >>> model = ImperativePTQ(PTQConfig(AbsmaxQuantizer(), AbsmaxQuantizer())).quantize(network)
    >>> _ = model(paddle.to_tensor([[1.0, -3.0]]))
    >>> model[0]._quant_config.in_act_quantizer.abs_max_vals
    [3.0]
    """

    def __init__(self, quant_config: PTQConfig = default_ptq_config):
        if not isinstance(quant_config, PTQConfig):
            raise TypeError(f"ImperativePTQ(quant_config): must be a PTQConfig. Received {quant_config!r}.")
        self._quant_config = quant_config

    def quantize(self, model: Layer, inplace: bool = False, fuse: bool = False,
                 fuse_list: Sequence[Sequence[str]] | None = None) -> Layer:
        """The model, or a copy of it, whose layers are measured whenever it runs; with `fuse`, pairs as one first."""
        check_model("ImperativePTQ.quantize", model)
        model = model if inplace else copy.deepcopy(model)
        if fuse:
            if fuse_list is None:
                raise TypeError("ImperativePTQ.quantize(fuse_list): must be given with fuse, as [['conv1', 'bn1']].")
            model.eval()
            fuse_utils.fuse_layers(model, fuse_list, inplace=True)
        for layer in model.sublayers():
            if PTQRegistry.is_supported_layer(layer) and is_leaf_layer(layer) and not is_skipped(layer):
                config = copy.deepcopy(self._quant_config)
                config.enable_in_act_quantizer = PTQRegistry.is_simulated_quant_layer(layer)
                layer._quant_config = config
                config.quant_hook_handle = layer.register_forward_post_hook(_measure)
        return model

    def save_quantized_model(self, model: Layer, path: str, input_spec: Any = None, **config: Any) -> None:
        """Puts the scales in the place of what measured them, in the model itself, and saves it for inference."""
        check_model("ImperativePTQ.save_quantized_model", model)
        self._convert(model)
        save_with_scales(model, path, input_spec, **config)

    def _convert(self, model: Layer) -> None:
        for name, layer in list(model.named_sublayers()):
            config = getattr(layer, "_quant_config", None)
            if config is None:
                continue
            config.quant_hook_handle.remove()
            del layer._quant_config
            config.out_act_quantizer.cal_thresholds()
            converted = _rounded(layer, config) if config.enable_in_act_quantizer else layer
            if len(config.out_act_quantizer.thresholds) == 1:
                around = MAOutputScaleLayer(converted, name=layer.full_name())
                _set_scale(around._ma_output_scale, config.out_act_quantizer.thresholds)
                converted = around
            converted.eval()
            put(model, name, converted)


def _measure(layer: Any, inputs: tuple, outputs: Any) -> None:
    config = layer._quant_config
    if config.enable_in_act_quantizer:
        config.in_act_quantizer.sample_data(layer, inputs)
    config.out_act_quantizer.sample_data(layer, (outputs,))


def _rounded(layer: Layer, config: PTQConfig) -> Layer:
    """The layer that rounds by the scales that were found."""
    activation, weight = config.in_act_quantizer, config.wt_quantizer
    activation.cal_thresholds()
    weight.sample_data(layer, (layer.weight,))
    weight.cal_thresholds()
    kind = "abs_max" if isinstance(weight, AbsmaxQuantizer) else "channel_wise_abs_max"
    quantized = counterpart(layer)
    assert quantized is not None
    found = quantized(layer, weight_bits=weight.quant_bits, activation_bits=activation.quant_bits,
                      weight_quantize_type=kind, activation_quantize_type="moving_average_abs_max")
    if len(activation.thresholds) == 1:
        _set_scale(found._fake_quant_input, activation.thresholds)
    each = weight.thresholds[0]
    _set_scale(found._fake_quant_weight, each if isinstance(each, list) else [each])
    return found


def _set_scale(layer: Any, values: list[float]) -> None:
    layer._scale.set_value(to_tensor(values, layer._scale.dtype))
