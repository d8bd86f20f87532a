"""Records of values as whole numbers of few bits: to them, back, and both at once in training."""

import numpy as np
from proa.ops.core.trace import apply
from proa.ops.quant.abs_max import fake_abs_max_op, fake_channels_op, follow_scale, scale_op
from proa.ops.quant.linear_quantize import (
    dequantize_linear,
    dequantize_linear_op,
    fake_quantize_op,
    quantize_linear,
    quantize_linear_op,
)
from records import Record, floats

X = floats(4, 3, low=-2, high=2)
ONE, EACH, ZERO = np.array([1.5]), np.array([0.5, 1.0, 2.5]), np.zeros(1)
ACCUM, STATE = np.array([2.5]), np.array([1.9])


def _away(x):
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


def _faked(x, scale, most=127):
    return _away(np.clip(x, -scale, scale) * most / scale) * scale / most


def _trained(x, scale, accum, state):
    state, accum = state * 0.9 + 1, accum * 0.9 + np.abs(x).max()
    return [_faked(x, accum / state), accum / state, state, accum]


def _fake(x, scale, accum=None, state=None, **given):
    found = apply(fake_quantize_op, x, scale, accum, state, **given)
    return [value for value in found if value is not None]


def _followed(x, accum, state, scale):
    state, accum = state * 0.9 + 1, accum * 0.9 + np.abs(x).max()
    return [x, accum / state, state, accum]


RECORDS = [
    Record("fake_quantize_dequantize_abs_max", lambda x: list(apply(fake_abs_max_op, x, bit_length=4)), [X],
           lambda x: [_faked(x, np.abs(x).max(), 7), np.abs(x).max().reshape(1)], differentiable=[], batched=[0],
           float32=False),
    Record("fake_quantize_dequantize_abs_max", lambda x: apply(fake_abs_max_op, x, round_type=0)[0], [X],
           lambda x: np.rint(x / np.abs(x).max() * 127) * np.abs(x).max() / 127, label="to even", differentiable=[],
           batched=[0], float32=False),
    Record("fake_channel_wise_quantize_dequantize_abs_max", lambda x: list(apply(fake_channels_op, x, quant_axis=1)),
           [X], lambda x: [_faked(x, np.abs(x).max(0)), np.abs(x).max(0)], differentiable=[], batched=[0],
           float32=False),
    Record("moving_average_abs_max_scale", lambda x, s: follow_scale(x, s * 1, None, None, 0.9, False), [X, ONE],
           lambda x, s: x, differentiable=[0], batched=[0]),
    Record("moving_average_abs_max_scale",
           lambda x, a, n, s: list(apply(scale_op, x, a * 1, n * 1, s * 1, moving_rate=0.9)), [X, ACCUM, STATE, ONE],
           _followed, label="in training", differentiable=[], batched=[0]),
    Record("quantize_linear", lambda x, s, z: quantize_linear(x, s, z, -1, 8), [X, ONE, ZERO],
           lambda x, s, z: np.clip(np.rint(x / s * 127), -128, 127), differentiable=[], batched=[0]),
    Record("quantize_linear", lambda x, s, z: quantize_linear(x, s, z, 1, 4), [X, EACH, ZERO],
           lambda x, s, z: np.clip(np.rint(x / s * 7), -8, 7), label="by channel, of 4 bits", differentiable=[],
           batched=[0]),
    Record("dequantize_linear", lambda x, s, z: dequantize_linear(x, s, z, -1, 8), [X * 60, ONE, ZERO],
           lambda x, s, z: x * s / 127, differentiable=[0], batched=[0]),
    Record("dequantize_linear", lambda x, s, z: dequantize_linear(x, s, z, 1, 4), [X, EACH, ZERO],
           lambda x, s, z: x * s / 7, label="by channel, of 4 bits", differentiable=[0], batched=[0]),
    Record("quantize_linear", lambda x, s, z: quantize_linear(x * 0.0, s, z, -1, 8), [X, np.zeros(1), ZERO],
           lambda x, s, z: x * 0, label="of what is 0 everywhere", differentiable=[], batched=[0]),
    Record("quantize_linear", lambda x, s, z: apply(quantize_linear_op, x, s, z, None, None, only_observer=True),
           [X, ONE, ZERO], lambda x, s, z: x, label="that only observes", differentiable=[], batched=[0]),
    Record("dequantize_linear", lambda x, s, z: apply(dequantize_linear_op, x, s, z, None, None, only_observer=True),
           [X, ONE, ZERO], lambda x, s, z: x, label="that only observes", differentiable=[0], batched=[0]),
    Record("fake_quantize_dequantize_moving_average_abs_max", lambda x, s: _fake(x, s, is_test=True)[0], [X, ONE],
           _faked, differentiable=[], batched=[0]),
    Record("fake_quantize_dequantize_moving_average_abs_max",
           lambda x, s, a, n: _fake(x, s * 1, a * 1, n * 1, moving_rate=0.9), [X, ONE, ACCUM, STATE], _trained,
           label="in training", differentiable=[], batched=[0], float32=False),
]
