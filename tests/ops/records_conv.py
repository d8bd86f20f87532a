"""Records of convolution, its transpose, and the operators of their gradients; each against plain loops."""

import itertools

import numpy as np
from proa.nn import functional as F
from proa.ops.core.trace import apply
from proa.ops.nn import conv
from records import Record, floats


def _plan(x_sizes, kernel, stride, pads, dilation):
    return [(n + a + b - d * (k - 1) - 1) // s + 1
            for n, k, s, (a, b), d in zip(x_sizes, kernel, stride, pads, dilation, strict=True)]


def _places(w, counts):
    return itertools.product(itertools.product(*map(range, counts)), itertools.product(*map(range, w.shape[2:])))


def _convolved(x, w, stride=1, padding=0, dilation=1, groups=1):
    rank = x.ndim - 2
    pads = [(padding, padding)] * rank if isinstance(padding, int) else padding
    counts = _plan(x.shape[2:], w.shape[2:], [stride] * rank, pads, [dilation] * rank)
    padded = np.pad(x, [(0, 0), (0, 0), *pads])
    y = np.zeros((x.shape[0], w.shape[0], *counts))
    each = w.shape[0] // groups
    for at, offset in _places(w, counts):
        here = tuple(i * stride + o * dilation for i, o in zip(at, offset, strict=True))
        for m in range(w.shape[0]):
            start = m // each * w.shape[1]
            window = padded[(slice(None), slice(start, start + w.shape[1]), *here)]
            y[(slice(None), m, *at)] += window @ w[(m, slice(None), *offset)]
    return y


def _adjoint(function, shape):
    """The transpose of a linear function of an array of this shape, by its matrix."""
    def transposed(g):
        result = np.zeros(shape)
        for place in np.ndindex(*shape):
            unit = np.zeros(shape)
            unit[place] = 1
            result[place] = (function(unit) * g).sum()
        return result

    return transposed


X, W = floats(2, 4, 6, 5), floats(6, 4, 3, 2)
GROUPED, DEPTHWISE = floats(6, 2, 3, 2), floats(8, 1, 3, 3)


def _last(function):
    return lambda x, w: function(x.transpose(0, 3, 1, 2), w).transpose(0, 2, 3, 1)


FORWARD = [
    Record("conv2d", lambda x, w: F.conv2d(x, w), [X, W], _convolved),
    Record("conv2d", lambda x, w: F.conv2d(x, w, stride=2, padding=1), [X, W], lambda x, w: _convolved(x, w, 2, 1),
           label="stride"),
    Record("conv2d", lambda x, w: F.conv2d(x, w, padding=[1, 0, 0, 2]), [X, W],
           lambda x, w: _convolved(x, w, 1, [(1, 0), (0, 2)]), label="pads"),
    Record("conv2d", lambda x, w: F.conv2d(x, w, dilation=2, padding=2), [X, W],
           lambda x, w: _convolved(x, w, 1, 2, 2), label="dilation"),
    Record("conv2d", lambda x, w: F.conv2d(x, w, groups=2), [X, GROUPED], lambda x, w: _convolved(x, w, groups=2),
           label="groups"),
    Record("conv2d", lambda x, w: F.conv2d(x, w, padding=1, data_format="NHWC"), [floats(2, 6, 5, 4), W],
           _last(lambda x, w: _convolved(x, w, 1, 1)), label="last"),
    Record("conv2d", lambda x, w: F.conv2d(x, w), [X, floats(6, 4, 1, 1)], _convolved, label="pointwise"),
    Record("depthwise_conv2d", lambda x, w: F.conv2d(x, w, padding=1, groups=4), [X, DEPTHWISE],
           lambda x, w: _convolved(x, w, 1, 1, groups=4)),
    Record("conv3d", lambda x, w: F.conv3d(x, w, padding=1), [floats(2, 2, 3, 3, 4), floats(3, 2, 2, 3, 2)],
           lambda x, w: _convolved(x, w, 1, 1)),
]

SMALL, BACK = floats(2, 4, 3, 3), floats(4, 3, 3, 2)


def _transposed(x, w, sizes, **more):
    groups = more.get("groups", 1)
    return _adjoint(lambda y: _convolved(y, w, **more), (x.shape[0], w.shape[1] * groups, *sizes))(x)


TRANSPOSED = [
    Record("conv2d_transpose", lambda x, w: F.conv2d_transpose(x, w), [SMALL, BACK],
           lambda x, w: _transposed(x, w, (5, 4))),
    Record("conv2d_transpose", lambda x, w: F.conv2d_transpose(x, w, stride=2, padding=1, output_padding=1),
           [SMALL, BACK], lambda x, w: _transposed(x, w, (6, 5), stride=2, padding=1), label="stride"),
    Record("depthwise_conv2d_transpose", lambda x, w: apply(
               conv.depthwise_conv2d_transpose_op, x, w, None, strides=[2, 2], paddings=[0, 0], dilations=[1, 1],
               groups=4),
           [SMALL, floats(4, 1, 2, 2)], lambda x, w: _transposed(x, w, (6, 6), stride=2, groups=4)),
    Record("conv3d_transpose", lambda x, w: F.conv3d_transpose(x, w), [floats(1, 2, 2, 2, 2), floats(2, 2, 2, 1, 2)],
           lambda x, w: _transposed(x, w, (3, 2, 3)), batched=[]),
]

G = floats(2, 6, 3, 3, seed=3)
ATTRS = {"strides": [2, 2], "paddings": [1, 1], "dilations": [1, 1]}


def _input_gradient(g, w):
    return _adjoint(lambda x: _convolved(x, w, 2, 1), (2, 4, 6, 5))(g)


def _filter_gradient(x, g):
    return _adjoint(lambda w: _convolved(x, w, 2, 1), (6, 4, 3, 2))(g)


GRADIENTS = [
    Record("conv_input_grad", lambda g, w: apply(conv.input_grad_op, g, w, None, size=[6, 5], **ATTRS), [G, W],
           _input_gradient),
    Record("conv_filter_grad", lambda x, g: apply(conv.filter_grad_op, x, g, kernel=[3, 2], **ATTRS), [X, G],
           _filter_gradient, batched=[0, 1]),
]

RECORDS = FORWARD + TRANSPOSED + GRADIENTS
