"""What QAT and PTQ have in common: quanters are put into a network, and replaced by what they have found."""

from __future__ import annotations

import abc
import copy

from ..nn.layer import Layer
from ..nn.quant.format import ConvertibleQuantedLayer, LinearQuanterDequanter
from .base_quanter import BaseQuanter
from .config import QuantConfig


class Quantization(metaclass=abc.ABCMeta):
    """Prepares networks by a configuration, and converts them."""

    def __init__(self, config: QuantConfig):
        self._config = config

    @abc.abstractmethod
    def quantize(self, model: Layer, inplace: bool = False) -> Layer:
        """The model with quanters in it."""

    def _prepared(self, model: Layer, inplace: bool) -> Layer:
        prepared = model if inplace else copy.deepcopy(model)
        self._config._specify(prepared)
        self._replace(prepared)
        self._insert_observers(prepared)
        return prepared

    def _replace(self, model: Layer) -> None:
        """Puts layers with quanters in the place of those that have such a counterpart."""
        for name, child in list(model.named_children()):
            if self._config._is_quantifiable(child) and type(child) in self._config.qat_layer_mappings:
                model._sub_layers[name] = self._config._get_qat_layer(child)
            else:
                self._replace(child)

    def _insert_observers(self, model: Layer) -> None:
        """Puts observers in front of the other layers that are to have some."""
        for name, child in list(model.named_children()):
            if self._config._need_observe(child):
                model._sub_layers[name] = self._config._get_observe_wrapper(child)
            else:
                self._insert_observers(child)

    def convert(self, model: Layer, inplace: bool = False, remain_weight: bool = False) -> Layer:
        """The model with quanters replaced by their scales, and weights by whole numbers, to be saved and run.

        With `remain_weight` weights stay as they are, and are rounded whenever it runs. A layer whose weight has no
        quanter keeps that of its input.

        >>> import proa as paddle
        >>> from proa.quantization import QAT, QuantConfig
        >>> from proa.quantization.quanters import FakeQuanterWithAbsMaxObserver
        >>> method = QAT(QuantConfig(activation=None, weight=FakeQuanterWithAbsMaxObserver()))
        >>> model = method.quantize(paddle.nn.Sequential(paddle.nn.Linear(2, 2)))
        >>> _ = model(paddle.ones([1, 2]))
        >>> weight = method.convert(model)[0].weight
        >>> bool((weight == weight.round()).all())
        True
        """
        converted = model if inplace else copy.deepcopy(model)
        self._convert_within(converted, remain_weight)
        return converted

    def _convert_within(self, model: Layer, remain_weight: bool) -> None:
        for name, child in list(model.named_children()):
            if isinstance(child, ConvertibleQuantedLayer):
                if not child.converted and _has_scales(child):
                    child._convert(remain_weight)
            elif isinstance(child, BaseQuanter):
                model._sub_layers[name] = LinearQuanterDequanter.from_quanter(child)
            else:
                self._convert_within(child, remain_weight)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._config.details()})"


def _has_scales(layer: ConvertibleQuantedLayer) -> bool:
    """Whether each weight of a layer has a quanter that knows its scales."""
    quanters = [getattr(layer, quanter) for _, quanter in layer.weights_to_quanters()]
    return all(quanter is not None and quanter.scales() is not None for quanter in quanters)
