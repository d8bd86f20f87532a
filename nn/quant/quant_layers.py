"""Layers that compute as whole numbers of few bits would, in training too: those of ImperativeQuantAware.

FakeQuant… round a value to whole numbers times a scale; MovingAverageAbsMaxScale only follows it; Quantized… compute
with a rounded input and weight; …OutputScaleLayer stand around a layer and look at what it gives.
"""

from __future__ import annotations

from typing import Any

from ...core.param_attr import ParamAttr
from ...core.unique_name import generate
from ...ops.array.creation import assign
from ...ops.linalg import matrix_product
from ...ops.quant.abs_max import fake_abs_max, fake_channels, follow_scale
from ...ops.quant.linear_quantize import fake_quantize
from .. import functional as F
from ..initializer import Constant
from ..layer import Layer
from .qat.conv import convolve, take_settings


class _Scaled(Layer):
    """What has a scale, and what a moving mean of it is made of: parameters that no gradient changes."""

    def __init__(self, moving_rate: float, reduce_type: str | None):
        super().__init__()
        if reduce_type is not None:
            raise NotImplementedError(f"{type(self).__name__}(reduce_type): scales are those of a process, None. "
                                      f"Received {reduce_type!r}. Call paddle.distributed.all_reduce for the scales.")
        self._moving_rate = moving_rate

    def _scale_parameter(self, prefix: str, part: str, value: float, dtype: str, size: int = 1) -> Any:
        attr = ParamAttr(generate(f"{prefix}.{part}"), initializer=Constant(value), trainable=False)
        parameter = self.create_parameter([size], attr, dtype)
        parameter.stop_gradient = True
        return parameter

    def _hold_moving(self, prefix: str, scale: float, start: float, dtype: str) -> None:
        self._scale = self._scale_parameter(prefix, "scale", scale, dtype)
        self._state = self._scale_parameter(prefix, "state", start, dtype)
        self._accum = self._scale_parameter(prefix, "accum", start, dtype)


class FakeQuantAbsMax(_Scaled):
    """Rounds to whole numbers of `quant_bits` bits times the largest magnitude, which a weight's keeps as its scale."""

    def __init__(self, name: str | None = None, quant_bits: int = 8, dtype: str = "float32",
                 quant_on_weight: bool = False, reduce_type: str | None = None):
        super().__init__(0.0, reduce_type)
        self._quant_bits, self._name = quant_bits, name
        self._scale = self._scale_parameter(name or "quant_dequant", "scale", 0.001, dtype) if quant_on_weight else None

    def forward(self, input: Any) -> Any:
        """The input, as whole numbers show it."""
        out, scale = fake_abs_max(input, self._quant_bits)
        if self._scale is not None and self.training:
            assign(scale.detach(), self._scale)
        return out


class FakeQuantChannelWiseAbsMax(_Scaled):
    """The same of a weight, with a scale for each of the `channel_num` places along `quant_axis`."""

    def __init__(self, name: str | None = None, channel_num: int | None = None, quant_bits: int = 8,
                 quant_axis: int = 0, dtype: str = "float32", quant_on_weight: bool = False,
                 reduce_type: str | None = None):
        super().__init__(0.0, reduce_type)
        if not quant_on_weight or channel_num is None:
            raise ValueError("FakeQuantChannelWiseAbsMax(quant_on_weight, channel_num): channels are those of a "
                             "weight; give quant_on_weight=True and their number. "
                             f"Received {quant_on_weight}, {channel_num}.")
        self._quant_bits, self._quant_axis, self._name, self._channel_num = quant_bits, quant_axis, name, channel_num
        self._scale = self._scale_parameter(name or "quant_dequant", "scale", 0.0, dtype, channel_num)

    def forward(self, input: Any) -> Any:
        """The weight, as whole numbers show it."""
        out, scale = fake_channels(input, self._quant_bits, self._quant_axis)
        if self.training:
            assign(scale.detach(), self._scale)
        return out


class FakeQuantMovingAverageAbsMax(_Scaled):
    """Rounds to whole numbers times a scale, which in training follows the largest magnitude.

    state = rate · state + 1, accum = rate · accum + max |x|, scale = accum / state, from 1, 1 and 0.001.
    """

    def __init__(self, name: str | None = None, moving_rate: float = 0.9, quant_bits: int = 8,
                 dtype: str = "float32", reduce_type: str | None = None):
        super().__init__(moving_rate, reduce_type)
        self._quant_bits = quant_bits
        self._hold_moving(name or "quant_dequant", 0.001, 1.0, dtype)

    def forward(self, input: Any) -> Any:
        """The input, as whole numbers show it."""
        return fake_quantize(input, self._scale, self._accum, self._state, self._moving_rate, self._quant_bits,
                             self.training)


class MovingAverageAbsMaxScale(_Scaled):
    """Gives its input back; in training a scale follows its largest magnitude, from 0.

    >>> import proa as paddle
    >>> seen = paddle.nn.quant.quant_layers.MovingAverageAbsMaxScale()
    >>> seen(paddle.to_tensor([1.0, -3.0])).tolist(), seen._scale.tolist()
    ([1.0, -3.0], [3.0])
    """

    def __init__(self, name: str | None = None, moving_rate: float = 0.9, dtype: str = "float32",
                 reduce_type: str | None = None):
        super().__init__(moving_rate, reduce_type)
        self._hold_moving(name or "outscale", 0.0, 0.0, dtype)

    def forward(self, input: Any) -> Any:
        """The input."""
        return follow_scale(input, self._scale, self._accum, self._state, self._moving_rate, self.training)


QuantStub = MovingAverageAbsMaxScale


def _fake_quant(kind: str, name: str, bits: int, moving_rate: float, weight: tuple[int, int] | None = None) -> Layer:
    """The layer that a way of quantizing names; of a weight: the number of its channels, and their dimension."""
    if kind == "abs_max":
        return FakeQuantAbsMax(name, bits, quant_on_weight=weight is not None)
    if kind == "moving_average_abs_max":
        return FakeQuantMovingAverageAbsMax(name, moving_rate, bits)
    if kind == "channel_wise_abs_max" and weight is not None:
        return FakeQuantChannelWiseAbsMax(name, weight[0], bits, weight[1], quant_on_weight=True)
    if "lsq" in kind:
        raise NotImplementedError(f"quantize type {kind!r}: learned step sizes (LSQ) are not here. Use 'abs_max' or "
                                  "'channel_wise_abs_max' for weights, 'moving_average_abs_max' for activations.")
    raise ValueError(f"quantize type: weights take 'abs_max' and 'channel_wise_abs_max', activations "
                     f"'moving_average_abs_max' and 'abs_max'. Received {kind!r}.")


class _Quantized(Layer):
    """A layer's parameters, of which the weight is rounded, as the input is, before it computes."""

    weight: Any
    _channels = 1  # the weight's dimension of channels

    def __init__(self, layer: Any, weight_bits: int = 8, activation_bits: int = 8, moving_rate: float = 0.9,
                 weight_quantize_type: str = "abs_max", activation_quantize_type: str = "abs_max",
                 weight_pre_layer: Any = None, act_pre_layer: Any = None, weight_quant_layer: Any = None,
                 act_quant_layer: Any = None):
        super().__init__()
        self.weight, self.bias = layer.weight, layer.bias
        axis = self._channels
        self._fake_quant_weight = weight_quant_layer() if weight_quant_layer is not None else _fake_quant(
            weight_quantize_type, self.weight.name, weight_bits, moving_rate, (self.weight.shape[axis], axis))
        self._fake_quant_input = act_quant_layer() if act_quant_layer is not None else _fake_quant(
            activation_quantize_type, layer.full_name(), activation_bits, moving_rate)
        self._act_preprocess = act_pre_layer() if act_pre_layer is not None else None
        self._weight_preprocess = weight_pre_layer() if weight_pre_layer is not None else None

    def forward(self, input: Any, **given: Any) -> Any:
        """The layer's result for the rounded input and weight."""
        weight = self.weight
        if self._act_preprocess is not None:
            input = self._act_preprocess(input)
        if self._weight_preprocess is not None:
            weight = self._weight_preprocess(weight)
        return self._compute(self._fake_quant_input(input), self._fake_quant_weight(weight), **given)

    def _compute(self, input: Any, weight: Any) -> Any:
        raise NotImplementedError


class QuantizedLinear(_Quantized):
    """`nn.Linear` with a rounded input and weight."""

    def __init__(self, layer: Any, *args: Any, **kwargs: Any):
        super().__init__(layer, *args, **kwargs)
        self.name = layer.name

    def _compute(self, input: Any, weight: Any) -> Any:
        return F.linear(input, weight, self.bias)


class QuantizedConv2D(_Quantized):
    """`nn.Conv2D` with a rounded input and weight."""

    _channels = 0

    def __init__(self, layer: Any, *args: Any, **kwargs: Any):
        super().__init__(layer, *args, **kwargs)
        take_settings(self, layer)

    def _compute(self, input: Any, weight: Any) -> Any:
        return convolve(self, input, weight)


class QuantizedConv2DTranspose(_Quantized):
    """`nn.Conv2DTranspose` with a rounded input and weight."""

    def __init__(self, layer: Any, *args: Any, **kwargs: Any):
        super().__init__(layer, *args, **kwargs)
        self._groups, self._stride, self._padding = layer._groups, layer._stride, layer._padding
        self._output_padding, self._dilation = layer.output_padding, layer._dilation
        self._data_format = layer._data_format

    def _compute(self, input: Any, weight: Any, output_size: Any = None) -> Any:
        padding = self._output_padding if output_size is None else 0
        return F.conv2d_transpose(input, weight, self.bias, self._stride, self._padding, padding, self._dilation,
                                  self._groups, output_size, self._data_format)


class QuantizedMatmul(Layer):
    """A product of two rounded matrices."""

    def __init__(self, layer: Any = None, weight_bits: int = 8, activation_bits: int = 8, moving_rate: float = 0.9,
                 weight_quantize_type: str = "abs_max", activation_quantize_type: str = "abs_max",
                 weight_pre_layer: Any = None, act_pre_layer: Any = None, weight_quant_layer: Any = None,
                 act_quant_layer: Any = None):
        super().__init__()
        self._fake_quant_x, self._fake_quant_y = (
            act_quant_layer() if act_quant_layer is not None else
            _fake_quant(activation_quantize_type, "", activation_bits, moving_rate) for _ in range(2))
        self._act_preprocess_x, self._act_preprocess_y = (
            act_pre_layer() if act_pre_layer is not None else None for _ in range(2))

    def forward(self, x: Any, y: Any, transpose_x: bool = False, transpose_y: bool = False,
                name: str | None = None) -> Any:
        """The product."""
        if self._act_preprocess_x is not None and self._act_preprocess_y is not None:
            x, y = self._act_preprocess_x(x), self._act_preprocess_y(y)
        return matrix_product.matmul(self._fake_quant_x(x), self._fake_quant_y(y), transpose_x, transpose_y)


class MAOutputScaleLayer(Layer):
    """A layer, and a scale that follows what it gives; results of several tensors are not looked at."""

    def __init__(self, layer: Any = None, moving_rate: float = 0.9, name: str | None = None, dtype: str = "float32",
                 reduce_type: str | None = None):
        super().__init__()
        self._layer = layer
        self._ma_output_scale = MovingAverageAbsMaxScale(name or layer.full_name(), moving_rate, dtype, reduce_type)

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The layer's result."""
        out = self._layer(*inputs, **kwargs)
        return out if isinstance(out, (list, tuple, dict)) else self._ma_output_scale(out)


class FakeQuantMAOutputScaleLayer(Layer):
    """A layer whose result is rounded, by a scale that follows it."""

    def __init__(self, layer: Any, weight_bits: int = 8, activation_bits: int = 8, moving_rate: float = 0.9,
                 name: str | None = None, reduce_type: str | None = None, *args: Any, **kwargs: Any):
        super().__init__()
        self._layer = layer
        self._fake_quant_output = FakeQuantMovingAverageAbsMax(
            name or layer.full_name(), moving_rate, activation_bits, reduce_type=reduce_type)

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The layer's result, as whole numbers show it."""
        out = self._layer(*inputs, **kwargs)
        return out if isinstance(out, (list, tuple)) and len(out) > 1 else self._fake_quant_output(out)
