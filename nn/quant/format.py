"""Layers that a converted network has in place of quanters: to whole numbers, and from them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ops.array.creation import to_tensor
from ...ops.array.full import is_value
from ...ops.array.rearrange import repeat_interleave
from ...ops.math.clip import clip
from ...ops.math.unary import round
from ...ops.quant.linear_quantize import dequantize_linear, quantize_linear
from ..layer import Layer


class _Linear(Layer):
    """Scales and what goes with them.

    `scales`: one number, one for each place along `quant_axis`, or a matrix: one for each `group_size` rows and column.
    """

    def __init__(self, scales: Any, zero_point: Any = None, quant_axis: int | None = None, bit_length: int = 8,
                 group_size: int = 128):
        super().__init__()
        values = scales if is_value(scales) else to_tensor(np.asarray(scales, np.float32))
        self._scales = self.create_parameter(list(values.shape), dtype=values.dtype)
        self._scales.set_value(values.detach())
        self._scales.stop_gradient = True
        zero = 0.0 if zero_point is None else zero_point
        self._zero_point = zero if is_value(zero) else to_tensor(np.asarray(zero, np.float32).reshape(-1))
        self._quant_axis = -1 if quant_axis is None else quant_axis
        self._bit_length, self._group_size = bit_length, group_size

    @classmethod
    def from_quanter(cls, quanter: Any) -> Any:
        """The layer with the scales that a quanter or observer has found."""
        return cls(quanter.scales(), zero_point=quanter.zero_points(), quant_axis=quanter.quant_axis(),
                   bit_length=quanter.bit_length(), group_size=getattr(quanter, "group_size", 128))

    def _of_groups(self) -> Any:
        """A scale for each element of a weight that is scaled by groups; None of others."""
        if len(self._scales.shape) < 2:
            return None
        return repeat_interleave(self._scales, self._group_size, 0)


class LinearQuanter(_Linear):
    """x as whole numbers, which are kept as floats: round(x / scale · 127) for 8 bits."""

    def forward(self, input: Any) -> Any:
        """The whole numbers."""
        scales, most = self._of_groups(), float((1 << (self._bit_length - 1)) - 1)
        if scales is not None:
            return clip(round(input / scales[:input.shape[0]] * most), -most - 1, most)
        return quantize_linear(input, self._scales, self._zero_point, self._quant_axis, self._bit_length)


class LinearDequanter(_Linear):
    """What whole numbers stand for: number · scale / 127 for 8 bits."""

    def forward(self, input: Any) -> Any:
        """The values."""
        scales, most = self._of_groups(), float((1 << (self._bit_length - 1)) - 1)
        if scales is not None:
            return input * scales[:input.shape[0]] / most
        return dequantize_linear(input, self._scales, self._zero_point, self._quant_axis, self._bit_length)


class LinearQuanterDequanter(Layer):
    """A LinearQuanter (or None) and a LinearDequanter, one behind the other."""

    def __init__(self, quanter: LinearQuanter | None, dequanter: LinearDequanter | None):
        super().__init__()
        self._quanter, self._dequanter = quanter, dequanter

    def forward(self, input: Any) -> Any:
        """The input, as whole numbers show it."""
        for layer in (self._quanter, self._dequanter):
            input = input if layer is None else layer(input)
        return input

    @staticmethod
    def from_quanter(quanter: Any) -> LinearQuanterDequanter:
        """The pair with the scales that a quanter or observer has found."""
        return LinearQuanterDequanter(LinearQuanter.from_quanter(quanter), LinearDequanter.from_quanter(quanter))


class ConvertibleQuantedLayer(Layer):
    """A layer with quanters, which conversion replaces by scales, and its weights by whole numbers.

    A subclass says which quanters it has: `weights_to_quanters` and `activation_quanters`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.converted = False

    def weights_to_quanters(self) -> list[tuple[str, str]]:
        """(name of a weight, name of its quanter) of each weight that is quantized."""
        raise NotImplementedError(f"{type(self).__name__} must define weights_to_quanters().")

    def activation_quanters(self) -> list[str]:
        """The names of the quanters of activations."""
        raise NotImplementedError(f"{type(self).__name__} must define activation_quanters().")

    def _convert_quanter_to_qdq(self, quanter_name: str) -> LinearQuanterDequanter | None:
        quanter = getattr(self, quanter_name, None)
        if quanter is None:
            return None
        pair = LinearQuanterDequanter.from_quanter(quanter)
        setattr(self, quanter_name, pair)
        return pair

    def _quant_weights(self, weight_name: str, quanter: LinearQuanter) -> None:
        weight = getattr(self, weight_name)
        weight.set_value(quanter(weight.detach()).detach())

    def _convert(self, remain_weight: bool = False) -> None:
        """Replaces the quanters; the weights become whole numbers, unless they are to remain."""
        if self.converted:
            raise RuntimeError(f"{type(self).__name__}: the layer is converted already.")
        for weight_name, quanter_name in self.weights_to_quanters():
            pair = self._convert_quanter_to_qdq(quanter_name)
            if pair is not None and not remain_weight:
                assert pair._quanter is not None
                self._quant_weights(weight_name, pair._quanter)
                pair._quanter = None
        for quanter_name in self.activation_quanters():
            self._convert_quanter_to_qdq(quanter_name)
        self.converted = True
