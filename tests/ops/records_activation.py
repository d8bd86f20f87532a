"""Records of activation functions, softmax and its relatives."""

import math

import numpy as np
from proa.nn import functional as F
from proa.ops.core.trace import apply
from proa.ops.math import unary
from proa.ops.nn import activation, softmax
from records import Record, floats

X = floats(3, 7, low=-4.03, high=4.0)
G = floats(3, 7, seed=2)


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _cdf(x):
    return 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def _softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def _kept(x, low, high=np.inf):
    return np.where((x > low) & (x < high), x, 0)


def _gelu_slope(x):
    return _cdf(x) + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def _tanh_gelu(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


SCALE, ALPHA = 1.0507009873554805, 1.6732632423543772


def _pointwise(type, function, reference, **more):
    return Record(type, function, [X], reference, **more)


POINTWISE = [
    _pointwise("relu", F.relu, lambda x: np.maximum(x, 0)),
    _pointwise("relu6", lambda x: F.relu6(x * 2), lambda x: np.clip(2 * x, 0, 6)),
    _pointwise("leaky_relu", lambda x: F.leaky_relu(x, 0.1), lambda x: np.where(x > 0, x, 0.1 * x)),
    _pointwise("leaky_relu", lambda x: F.leaky_relu(x, 1.5), lambda x: np.where(x > 0, x, 1.5 * x), label="steep"),
    _pointwise("brelu", lambda x: F.hardtanh(x, -1, 2), lambda x: np.clip(x, -1, 2)),
    _pointwise("hard_sigmoid", F.hardsigmoid, lambda x: np.clip(x * 0.1666667 + 0.5, 0, 1)),
    _pointwise("hard_swish", F.hardswish, lambda x: x * np.clip(x + 3, 0, 6) / 6),
    _pointwise("hard_shrink", F.hardshrink, lambda x: np.where(np.abs(x) > 0.5, x, 0)),
    _pointwise("softshrink", F.softshrink, lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0)),
    _pointwise("thresholded_relu", F.thresholded_relu, lambda x: _kept(x, 1)),
    _pointwise("sigmoid", F.sigmoid, _sigmoid),
    _pointwise("logsigmoid", F.log_sigmoid, lambda x: np.log(_sigmoid(x))),
    _pointwise("silu", F.silu, lambda x: x * _sigmoid(x)),
    _pointwise("swish", F.swish, lambda x: x * _sigmoid(x)),
    _pointwise("swish", lambda x: apply(activation.swish_op, x, beta=1.5), lambda x: x * _sigmoid(1.5 * x),
               label="beta"),
    _pointwise("softplus", lambda x: F.softplus(x, 2), lambda x: np.log1p(np.exp(2 * x)) / 2),
    _pointwise("mish", F.mish, lambda x: x * np.tanh(np.log1p(np.exp(x)))),
    _pointwise("softsign", F.softsign, lambda x: x / (1 + np.abs(x))),
    _pointwise("tanh_shrink", F.tanhshrink, lambda x: x - np.tanh(x)),
    _pointwise("elu", lambda x: F.elu(x, 0.7), lambda x: np.where(x > 0, x, 0.7 * np.expm1(x))),
    _pointwise("celu", lambda x: F.celu(x, 0.7), lambda x: np.where(x > 0, x, 0.7 * np.expm1(x / 0.7))),
    _pointwise("selu", F.selu, lambda x: SCALE * np.where(x > 0, x, ALPHA * np.expm1(x))),
    _pointwise("gelu", F.gelu, lambda x: x * _cdf(x)),
    _pointwise("gelu", lambda x: F.gelu(x, approximate=True), _tanh_gelu, label="tanh"),
    Record("gelu_grad", lambda g, x: apply(activation.gelu_grad_op, g, x), [G, X], lambda g, x: g * _gelu_slope(x)),
    Record("times_sign", lambda g, x: apply(unary.times_sign_op, g, x), [G, X], lambda g, x: g * np.sign(x),
           differentiable=[0]),
    Record("slope_between", lambda g, x: apply(activation.slope_between_op, g, x, low=-1.0, high=2.0, inside=2.0,
                                               outside=0.5),
           [G, X], lambda g, x: g * np.where((x > -1) & (x < 2), 2.0, 0.5), differentiable=[0]),
]


def _by_channel(x, w):
    return np.where(x > 0, x, x * w.reshape(1, 3, 1))


IMAGES = floats(2, 3, 4)
CHANNELS = floats(2, 6, 3)


def _largest(x):
    return x.reshape(2, 3, 2, 3).max(2)


def _at_largest(x):
    parts = x.reshape(2, 3, 2, 3)
    return parts == parts.max(2, keepdims=True)


def _maxout_grad(x, out, g):
    return (np.expand_dims(g, 2) * _at_largest(x)).reshape(x.shape)


OTHERS = [
    Record("prelu", lambda x, w: F.prelu(x, w), [IMAGES, floats(1)], lambda x, w: np.where(x > 0, x, x * w)),
    Record("prelu", lambda x, w: F.prelu(x, w), [IMAGES, floats(3)], _by_channel, label="channels"),
    Record("softmax", F.softmax, [X], _softmax),
    Record("softmax", lambda x: F.softmax(x, axis=1), [CHANNELS], lambda x: _softmax(x, 1), label="axis"),
    Record("softmax_grad", lambda y, g: apply(softmax.softmax_grad_op, y, g), [_softmax(X), G],
           lambda y, g: y * (g - (g * y).sum(-1, keepdims=True))),
    Record("log_softmax", lambda x: F.log_softmax(x, axis=1), [CHANNELS], lambda x: np.log(_softmax(x, 1))),
    Record("maxout", lambda x: F.maxout(x, 2), [CHANNELS], _largest),
    Record("maxout_grad", lambda x, out, g: apply(softmax.maxout_grad_op, x, out, g, groups=2),
           [CHANNELS, _largest(CHANNELS), floats(2, 3, 3)], _maxout_grad, differentiable=[2], batched=[0, 1, 2]),
    Record("maxout_take", lambda x, out, v: apply(softmax.maxout_take_op, x, out, v, groups=2),
           [CHANNELS, _largest(CHANNELS), floats(2, 6, 3, seed=3)],
           lambda x, out, v: (v.reshape(2, 3, 2, 3) * _at_largest(x)).sum(2), differentiable=[2], batched=[0, 1, 2]),
    Record("rrelu", lambda x: F.rrelu(x, 0.2, 0.4, training=False), [X], lambda x: np.where(x >= 0, x, 0.3 * x)),
    Record("gumbel_softmax", F.gumbel_softmax, [X], None, differentiable=[], static=False),
]

RECORDS = POINTWISE + OTHERS
