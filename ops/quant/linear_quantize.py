"""quantize_linear, dequantize_linear and fake quantization in training: values as whole numbers times a scale.

Of `b` bits, x becomes round(x / scale · m) with m = 2^(b - 1) - 1, and is that times scale / m again. Whole numbers are
kept as floats. What only observes leaves values as they are: files have it where scales were measured alone. Jacob et
al., Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference, 2018.
"""


from typing import Any

from ..core.infer import same
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import cast, dtype_of

_NO_SCALE, _FOR_NO_SCALE = 1e-30, 1e-6
"""What is 0 wherever it was measured has the scale 0: PaddlePaddle divides by 1e-6 then, as is done here."""


def _most(bit_length: int) -> int:
    if not 1 <= bit_length <= 32:
        raise ValueError(f"quantize(bit_length): must lie between 1 and 32. Received {bit_length}.")
    return (1 << (bit_length - 1)) - 1


def _along(scale: Any, x: Any, axis: int) -> Any:
    """The scale, one number or one for each place along a dimension, as it broadcasts with x."""
    if axis < 0 or scale.size == 1:
        return scale.reshape(())
    return scale.reshape([-1 if n == axis else 1 for n in range(x.ndim)])


def _quantize(xp, x, scale, zero_point, accum=None, state=None, *, quant_axis: int = -1, bit_length: int = 8,
              round_type: int = 0, is_test: bool = True, only_observer: bool = False):
    if only_observer:
        return x.copy()
    most = _most(bit_length)
    scale = xp.where(scale <= _NO_SCALE, scale + scale.dtype.type(_FOR_NO_SCALE), scale)
    numbers = x * _along(scale.dtype.type(most) * (1 / scale), x, quant_axis)  # in PaddlePaddle's order: .5 is near
    numbers = xp.rint(numbers) if round_type == 0 else _half_away(xp, numbers)
    return xp.clip(numbers, -most - 1, most).astype(x.dtype, copy=False)


def _dequantize(xp, x, scale, zero_point, accum=None, state=None, *, quant_axis: int = -1, bit_length: int = 8,
                round_type: int = 0, is_test: bool = True, only_observer: bool = False):
    if only_observer:
        return x.astype(scale.dtype)
    return (x * _along(scale, x, quant_axis) / scale.dtype.type(_most(bit_length))).astype(scale.dtype, copy=False)


def _half_away(xp: Any, x: Any) -> Any:
    return xp.copysign(xp.floor(xp.abs(x) + x.dtype.type(0.5)), x)


def _infer_dequantize(x, scale, *_, **__):
    return Spec(x.shape, scale.dtype)


def _dequantize_gradient(g: Any, X: Any, Scale: Any, ZeroPoint: Any, quant_axis: int, bit_length: int,
                         only_observer: bool) -> Any:
    if only_observer:
        return cast(g, dtype_of(X))
    return apply(dequantize_linear_op, cast(g, dtype_of(X)), Scale, ZeroPoint, None, None, quant_axis=quant_axis,
                 bit_length=bit_length)


_SLOTS = "X, Scale, ZeroPoint, InAccum?, InState? -> Y"

quantize_linear_op = operator("quantize_linear", _SLOTS, kernel=_quantize, infer=same, unsaid={"quant_axis": 0})

dequantize_linear_op = operator("dequantize_linear", _SLOTS, kernel=_dequantize, infer=_infer_dequantize,
                                grad={"X": _dequantize_gradient}, unsaid={"quant_axis": 0})


def _fake_quantize(xp, x, scale, accum=None, state=None, *, moving_rate: float = 0.9, bit_length: int = 8,
                   is_test: bool = False, round_type: int = 1):
    if not is_test and accum is not None and state is not None:
        rate = scale.dtype.type(moving_rate)
        most_now = xp.abs(x).max() if x.size else scale.dtype.type(0)
        state = state * rate + scale.dtype.type(1)
        accum = accum * rate + most_now.astype(scale.dtype)
        scale = accum / state
    most = x.dtype.type(_most(bit_length))
    bound = scale.reshape(()).astype(x.dtype, copy=False)
    factor = most / xp.maximum(bound, x.dtype.type(1e-7))
    if round_type == 0:
        numbers = xp.clip(xp.rint(x * factor), -most - 1, most)
    else:
        numbers = _half_away(xp, xp.clip(x, -bound, bound) * factor)
    return (numbers * bound / most).astype(x.dtype, copy=False), scale, state, accum


def _infer_fake(x, scale, accum=None, state=None, **_):
    return x, scale, state, accum


fake_quantize_op = operator(
    "fake_quantize_dequantize_moving_average_abs_max",
    "X, InScale, InAccum?, InState? -> Out, OutScale=InScale, OutState?=InState, OutAccum?=InAccum",
    kernel=_fake_quantize, infer=_infer_fake, grad={"X": lambda g: g})
"""X rounded to whole numbers times a scale, at most the scale; the gradient passes as if nothing were done.

In training the scale is the moving mean of the largest magnitudes: state = rate · state + 1, accum = rate · accum +
max |X|, scale = accum / state.
"""


def fake_quantize(x: Any, scale: Any, accum: Any, state: Any, moving_rate: float, bit_length: int,
                  training: bool) -> Any:
    """x as whole numbers of so many bits would show it; in training the scale follows x."""
    given = (accum, state) if training else (None, None)
    return apply(fake_quantize_op, x, scale, *given, moving_rate=float(moving_rate), bit_length=bit_length,
                 is_test=not training)[0]


def quantize_linear(x: Any, scale: Any, zero_point: Any, quant_axis: int, bit_length: int) -> Any:
    """The whole numbers that x is, as floats."""
    return apply(quantize_linear_op, x, scale, zero_point, None, None, quant_axis=quant_axis, bit_length=bit_length)


def dequantize_linear(x: Any, scale: Any, zero_point: Any, quant_axis: int, bit_length: int) -> Any:
    """What whole numbers stand for."""
    return apply(dequantize_linear_op, x, scale, zero_point, None, None, quant_axis=quant_axis, bit_length=bit_length)
