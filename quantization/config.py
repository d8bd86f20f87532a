"""QuantConfig: which layers get which quanters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import nn
from ..nn.layer import Layer
from ..nn.quant.qat import QuantedConv2D, QuantedLinear
from ..nn.quant.stub import QuanterStub, Stub
from .factory import QuanterFactory
from .wrapper import ObserveWrapper

DEFAULT_QAT_LAYER_MAPPINGS: dict[type, type] = {Stub: QuanterStub, nn.Linear: QuantedLinear, nn.Conv2D: QuantedConv2D}


class SingleLayerConfig:
    """The quanters of a layer: of its activation and of its weight, None for none."""

    def __init__(self, activation: QuanterFactory | None, weight: QuanterFactory | None):
        self._activation, self._weight = activation, weight

    @property
    def activation(self) -> QuanterFactory | None:
        """The factory of quanters of what goes into the layer."""
        return self._activation

    @property
    def weight(self) -> QuanterFactory | None:
        """The factory of quanters of the layer's weight."""
        return self._weight

    def __str__(self) -> str:
        return f"activation: {self._activation}\nweight: {self._weight}"


def _listed(value: Any) -> list:
    return list(value) if isinstance(value, (list, tuple)) else [value]


class QuantConfig:
    """Which layers get which quanters.

    By layer or its name, else by its type, else as the layer that it is in, else as all.

    `activation` and `weight` are for all layers, None for none.

    >>> import proa as paddle
    >>> from proa.quantization import QAT, QuantConfig
    >>> from proa.quantization.quanters import FakeQuanterWithAbsMaxObserver
    >>> config = QuantConfig(activation=None, weight=None)
    >>> config.add_type_config(paddle.nn.Linear, weight=FakeQuanterWithAbsMaxObserver(moving_rate=0.9))
    >>> type(QAT(config).quantize(paddle.nn.Sequential(paddle.nn.Linear(2, 2)))[0]).__name__
    'QuantedLinear'
    """

    def __init__(self, activation: QuanterFactory | None, weight: QuanterFactory | None):
        self._global_config = None
        if activation is not None or weight is not None:
            self._global_config = SingleLayerConfig(activation, weight)
        self._layer2config: dict[Layer, SingleLayerConfig] = {}
        self._prefix2config: dict[str, SingleLayerConfig] = {}
        self._type2config: dict[type, SingleLayerConfig] = {}
        self._model: Layer | None = None
        self._qat_layer_mapping = dict(DEFAULT_QAT_LAYER_MAPPINGS)
        self._customized_leaves: list[type] = []

    def add_layer_config(self, layer: Any, activation: QuanterFactory | None = None,
                         weight: QuanterFactory | None = None) -> None:
        """Quanters for a layer, or several, and what is in them."""
        for one in _listed(layer):
            self.add_name_config(one.full_name(), activation, weight)

    def add_name_config(self, layer_name: Any, activation: QuanterFactory | None = None,
                        weight: QuanterFactory | None = None) -> None:
        """Quanters for the layers of these names (`layer.full_name()`), and what is in them."""
        for name in _listed(layer_name):
            if not isinstance(name, str):
                raise TypeError(f"QuantConfig.add_name_config(layer_name): must be names of layers. Received {name!r}.")
            self._prefix2config[name] = SingleLayerConfig(activation, weight)

    def add_type_config(self, layer_type: Any, activation: QuanterFactory | None = None,
                        weight: QuanterFactory | None = None) -> None:
        """Quanters for the layers of a type, or of several."""
        for kind in _listed(layer_type):
            self._check_type("add_type_config(layer_type)", kind)
            self._type2config[kind] = SingleLayerConfig(activation, weight)

    @staticmethod
    def _check_type(what: str, kind: Any) -> None:
        if not (isinstance(kind, type) and issubclass(kind, Layer)):
            raise TypeError(f"QuantConfig.{what}: must be a subclass of nn.Layer. Received {kind!r}.")

    def add_qat_layer_mapping(self, source: type, target: type) -> None:
        """What takes the place of layers of type `source`: `target(layer, config)`, config having the quanters."""
        self._check_type("add_qat_layer_mapping(source)", source)
        if not isinstance(target, type):
            raise TypeError(f"QuantConfig.add_qat_layer_mapping(target): must be a class. Received {target!r}.")
        self._qat_layer_mapping[source] = target

    def add_customized_leaf(self, layer_type: type) -> None:
        """A type of layers whose input is observed as one, though there are layers in them."""
        self._customized_leaves.append(layer_type)

    @property
    def customized_leaves(self) -> list[type]:
        """The types that were given to `add_customized_leaf`."""
        return self._customized_leaves

    @property
    def qat_layer_mappings(self) -> dict[type, type]:
        """What takes the place of layers, by type."""
        return self._qat_layer_mapping

    @property
    def default_qat_layer_mapping(self) -> dict[type, type]:
        """What takes the place of layers, unless something else is said."""
        return DEFAULT_QAT_LAYER_MAPPINGS

    @property
    def global_config(self) -> SingleLayerConfig | None:
        """The quanters for all layers."""
        return self._global_config

    # What a model's layers get

    def _specify(self, model: Layer) -> None:
        """Works out the quanters of a model's layers."""
        self._model, self._layer2config = model, {}
        self._specify_within(model, self._global_config)

    def _specify_within(self, layer: Layer, around: SingleLayerConfig | None) -> None:
        for child in layer.children():
            config = self._prefix2config.get(child.full_name()) or self._type2config.get(type(child)) or around
            if config is not None:
                self._layer2config[child] = config
            self._specify_within(child, config)

    def _get_config_by_layer(self, layer: Layer) -> SingleLayerConfig | None:
        return self._layer2config.get(layer)

    def _is_quantifiable(self, layer: Layer) -> bool:
        return layer in self._layer2config

    def _get_qat_layer(self, layer: Layer) -> Layer:
        """What takes the place of a layer."""
        return self._qat_layer_mapping[type(layer)](layer, self._get_config_by_layer(layer))

    def _is_customized_leaf(self, layer: Layer) -> bool:
        return type(layer) in self._customized_leaves

    def _is_leaf(self, layer: Layer) -> bool:
        return self._is_customized_leaf(layer) or not any(True for _ in layer.children())

    def _has_observer_config(self, layer: Layer) -> bool:
        config = self._get_config_by_layer(layer)
        return config is not None and config.activation is not None

    def _get_observer(self, layer: Layer) -> Layer | None:
        """The observer of a layer's results, a new one."""
        config = self._get_config_by_layer(layer)
        return None if config is None or config.activation is None else config.activation._instance(layer)

    def _need_observe(self, layer: Layer) -> bool:
        return self._is_leaf(layer) and self._has_observer_config(layer)

    def _get_observe_wrapper(self, layer: Layer) -> ObserveWrapper:
        config = self._get_config_by_layer(layer)
        assert config is not None and config.activation is not None
        return ObserveWrapper(config.activation._instance(layer), layer)

    def details(self) -> str:
        """The configuration, as text; with a model, the quanters of its layers."""
        text = str(self)
        if self._model is not None:
            lines = (f"{name}: {self._layer2config[layer]}".replace("\n", ", ")
                     for name, layer in self._model.named_sublayers() if layer in self._layer2config)
            text += "Layers:\n" + "\n".join(lines) + "\n"
        return text

    def __str__(self) -> str:
        text = f"Global config:\n{self._global_config}\n"
        for title, table in (("Layer prefix config", self._prefix2config), ("Layer type config", self._type2config)):
            if table:
                text += f"{title}:\n" + _table(table.items())
        return text


def _table(items: Iterable[tuple[Any, SingleLayerConfig]]) -> str:
    return "".join(f"{getattr(key, '__name__', key)}: {config}".replace("\n", ", ") + "\n" for key, config in items)
