"""What layers with quanters have in common: a weight, a bias, and a quanter of the weight and of the input."""

from __future__ import annotations

from typing import Any

from ...layer import Layer
from ..format import ConvertibleQuantedLayer


class Quanted(ConvertibleQuantedLayer):
    """Takes over a layer's parameters, and makes the quanters that a configuration names."""

    weight_quanter: Any
    activation_quanter: Any

    def __init__(self, layer: Layer, q_config: Any):
        super().__init__()
        self.weight, self.bias = layer.weight, layer.bias
        self.name = getattr(layer, "name", None)
        self.weight_quanter = None if q_config.weight is None else q_config.weight._instance(layer)
        self.activation_quanter = None if q_config.activation is None else q_config.activation._instance(layer)

    def forward(self, input: Any) -> Any:
        """The layer's result for the input and the weight as whole numbers show them."""
        input = input if self.activation_quanter is None else self.activation_quanter(input)
        weight = self.weight if self.weight_quanter is None else self.weight_quanter(self.weight)
        return self._compute(input, weight)

    def _compute(self, input: Any, weight: Any) -> Any:
        raise NotImplementedError

    def weights_to_quanters(self) -> list[tuple[str, str]]:
        """The weight and its quanter."""
        return [("weight", "weight_quanter")]

    def activation_quanters(self) -> list[str]:
        """The quanter of the input."""
        return ["activation_quanter"]
