"""Fake quantization by largest magnitudes: abs_max, channel_wise_abs_max, and the scale that follows an output.

Of `b` bits, m = 2^(b - 1) - 1: x becomes round(x / s · m) · s / m, with s the largest magnitude of x or of each of its
channels. The gradient passes as if nothing were rounded. Krishnamoorthi, Quantizing deep convolutional networks for
efficient inference, 2018.
"""

from typing import Any

from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from .linear_quantize import _half_away, _most

_NO_SCALE, _FOR_NO_SCALE = 1e-30, 1e-6  # what is 0 everywhere is divided by 1e-6


def _shown(xp: Any, x: Any, scale: Any, bit_length: int, round_type: int) -> Any:
    """x as whole numbers times the scale, which broadcasts with it."""
    most = x.dtype.type(_most(bit_length))
    inverse = 1 / xp.where(scale <= _NO_SCALE, scale + x.dtype.type(_FOR_NO_SCALE), scale)
    if round_type == 0:
        numbers = xp.clip(xp.rint(x * (most * inverse)), -most - 1, most)
    else:
        numbers = _half_away(xp, xp.clip(x, -scale, scale) * (most * inverse))
    return (numbers * scale / most).astype(x.dtype, copy=False)


def _by_largest(xp, x, *, bit_length: int = 8, round_type: int = 1):
    scale = xp.abs(x).max() if x.size else x.dtype.type(0)
    return _shown(xp, x, scale, bit_length, round_type), xp.reshape(scale, (1,))


def _check_axis(x: Any, quant_axis: int) -> None:
    if not 0 <= quant_axis < len(x.shape):
        raise ValueError("fake_channel_wise_quantize_dequantize_abs_max(quant_axis): must be a dimension of x. "
                         f"Received {quant_axis}, x.shape={list(x.shape)}.")


def _by_channel(xp, x, *, bit_length: int = 8, round_type: int = 1, quant_axis: int = 0):
    _check_axis(x, quant_axis)
    others = tuple(n for n in range(x.ndim) if n != quant_axis)
    scale = xp.abs(x).max(axis=others, keepdims=True) if x.size else xp.zeros(
        [x.shape[n] if n == quant_axis else 1 for n in range(x.ndim)], x.dtype)
    return _shown(xp, x, scale, bit_length, round_type), xp.reshape(scale, (-1,))


def _infer_channels(x: Any, *, quant_axis: int, **_: Any) -> tuple:
    _check_axis(x, quant_axis)
    return x, Spec((x.shape[quant_axis],), x.dtype)


fake_abs_max_op = operator(
    "fake_quantize_dequantize_abs_max", "X -> Out, OutScale", kernel=_by_largest,
    infer=lambda x, **_: (x, Spec((1,), x.dtype)), grad={"X": lambda g: g})
"""X as whole numbers times its largest magnitude, which is OutScale."""

fake_channels_op = operator(
    "fake_channel_wise_quantize_dequantize_abs_max", "X -> Out, OutScale", kernel=_by_channel,
    infer=_infer_channels, grad={"X": lambda g: g})
"""The same with a scale for each place along `quant_axis`."""


def _follow(xp, x, accum=None, state=None, scale=None, *, moving_rate: float = 0.9, is_test: bool = False):
    if not is_test and accum is not None and state is not None:
        rate = accum.dtype.type(moving_rate)
        state = state * rate + accum.dtype.type(1)
        accum = accum * rate + (xp.abs(x).max() if x.size else x.dtype.type(0)).astype(accum.dtype)
        scale = accum / state
    return x.copy(), scale, state, accum


scale_op = operator(
    "moving_average_abs_max_scale",
    "X, InAccum?, InState?, InScale? -> Out?, OutScale=InScale, OutState?=InState, OutAccum?=InAccum", kernel=_follow,
    infer=lambda x, accum=None, state=None, scale=None, **_: (
        x, scale if scale is not None or state is None else accum, state, accum), grad={"X": lambda g: g})
"""X as it is; in training the scale follows its largest magnitude: state = rate · state + 1, accum = rate · accum +
max |X|, scale = accum / state. PaddlePaddle's files do not say what the scale was; a step of training needs it not."""


def fake_abs_max(x: Any, bit_length: int) -> tuple[Any, Any]:
    """x as whole numbers of so many bits show it, by its largest magnitude; and that."""
    return apply(fake_abs_max_op, x, bit_length=bit_length)


def fake_channels(x: Any, bit_length: int, quant_axis: int) -> tuple[Any, Any]:
    """x as whole numbers of so many bits show it, by the largest magnitude of each channel; and these."""
    return apply(fake_channels_op, x, bit_length=bit_length, quant_axis=quant_axis)


def follow_scale(x: Any, scale: Any, accum: Any, state: Any, moving_rate: float, training: bool) -> Any:
    """x; in training the scale follows its largest magnitude."""
    given = (accum, state) if training else (None, None)
    return apply(scale_op, x, *given, scale, moving_rate=float(moving_rate), is_test=not training)[0]
