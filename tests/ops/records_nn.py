"""Records of activations, convolution and pooling."""

import itertools

import numpy as np
from proa.nn import functional as F
from proa.ops.core.trace import apply
from proa.ops.nn import activation, conv, pool, softmax
from records import Record, floats
from records_math import _erf

# activations


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _softplus(x):
    return np.log1p(np.exp(x))


def _gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def _gelu_slope(g, x):
    return g * ((1 + _erf(x / np.sqrt(2))) / 2 + x * np.exp(-x * x / 2) / np.sqrt(2 * np.pi))


def _softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def _activation(type, function, reference, low=-4.0, high=4.0, **more):
    return Record(type, function, [floats(3, 8, low=low, high=high)], reference, **more)


ACTIVATIONS = [
    _activation("relu", F.relu, lambda x: np.maximum(x, 0)),
    _activation("relu6", F.relu6, lambda x: np.clip(x, 0, 6), -9, 9),
    _activation("leaky_relu", F.leaky_relu, lambda x: np.where(x > 0, x, 0.01 * x)),
    _activation("leaky_relu", lambda x: F.leaky_relu(x, 1.5), lambda x: np.where(x > 0, x, 1.5 * x), label="steep"),
    _activation("brelu", lambda x: F.hardtanh(x, -1, 2), lambda x: np.clip(x, -1, 2)),
    _activation("hard_sigmoid", F.hardsigmoid, lambda x: np.clip(x * 0.1666667 + 0.5, 0, 1), -6, 6),
    _activation("hard_swish", F.hardswish, lambda x: x * np.clip(x + 3, 0, 6) / 6, -6, 6),
    _activation("hard_shrink", F.hardshrink, lambda x: x * (np.abs(x) > 0.5)),
    _activation("softshrink", F.softshrink, lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0)),
    _activation("thresholded_relu", F.thresholded_relu, lambda x: x * (x > 1)),
    _activation("sigmoid", F.sigmoid, _sigmoid),
    _activation("sigmoid", F.sigmoid, lambda x: np.where(x < 0, 0.0, 1.0), -900, 900, label="far", tolerance=1e-9),
    _activation("softplus", F.softplus, _softplus),
    _activation(
        "softplus", lambda x: F.softplus(x, 2, 4), lambda x: np.where(2 * x > 4, x, _softplus(2 * x) / 2), label="cut"
    ),
    _activation("logsigmoid", F.log_sigmoid, lambda x: -_softplus(-x)),
    _activation("silu", F.silu, lambda x: x * _sigmoid(x)),
    _activation("swish", F.swish, lambda x: x * _sigmoid(x)),
    _activation("mish", F.mish, lambda x: x * np.tanh(_softplus(x))),
    _activation("softsign", F.softsign, lambda x: x / (1 + np.abs(x))),
    _activation("tanh_shrink", F.tanhshrink, lambda x: x - np.tanh(x)),
    _activation("elu", lambda x: F.elu(x, 0.7), lambda x: np.where(x > 0, x, 0.7 * np.expm1(x))),
    _activation("celu", lambda x: F.celu(x, 1.5), lambda x: np.maximum(x, 0) + np.minimum(0, 1.5 * np.expm1(x / 1.5))),
    _activation(
        "selu", F.selu, lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x))
    ),
    _activation("gelu", F.gelu, lambda x: 0.5 * x * (1 + _erf(x / np.sqrt(2)))),
    _activation("gelu", lambda x: F.gelu(x, True), _gelu_tanh, label="tanh"),
    Record(
        "gelu_grad",
        lambda g, x: apply(activation.gelu_grad_op, g, x, approximate=False),
        [floats(3, 4), floats(3, 4, low=-2, high=2, seed=1)],
        _gelu_slope,
    ),
    Record(
        "slope_between",
        lambda g, x: apply(activation.slope_between_op, g, x, low=-0.5, high=0.3, inside=2.0, outside=0.5),
        [floats(3, 4), floats(3, 4, seed=1)],
        lambda g, x: g * np.where((x > -0.5) & (x < 0.3), 2.0, 0.5),
        differentiable=[0],
    ),
    Record("prelu", F.prelu, [floats(2, 3, 4), np.array([0.3])], lambda x, a: np.where(x > 0, x, a * x)),
    Record(
        "prelu",
        F.prelu,
        [floats(2, 3, 4), floats(3)],
        lambda x, a: np.where(x > 0, x, a[:, None] * x),
        label="channels",
    ),
    _activation("softmax", F.softmax, _softmax),
    _activation("softmax", lambda x: F.softmax(x, 0), lambda x: _softmax(x, 0), label="axis"),
    _activation("log_softmax", F.log_softmax, lambda x: np.log(_softmax(x))),
    Record(
        "softmax_grad",
        lambda y, g: apply(softmax.softmax_grad_op, y, g, axis=-1),
        [floats(3, 4), floats(3, 4, seed=1)],
        lambda y, g: y * (g - (g * y).sum(-1, keepdims=True)),
    ),
    Record(
        "log_softmax_grad",
        lambda y, g: apply(softmax.log_softmax_grad_op, y, g, axis=-1),
        [floats(3, 4), floats(3, 4, seed=1)],
        lambda y, g: g - np.exp(y) * g.sum(-1, keepdims=True),
    ),
    _activation("gumbel_softmax", lambda x: F.gumbel_softmax(x).sum(-1), lambda x: np.ones(3), differentiable=[]),
    _activation("rrelu", lambda x: F.rrelu(x, training=False), lambda x: np.where(x > 0, x, x * 11 / 48)),
]

_SIX = floats(2, 6, 3)


def _groups(x):
    return x.reshape(2, 3, 2, 3)


MAXOUT = [
    Record("maxout", lambda x: F.maxout(x, 2), [_SIX], lambda x: _groups(x).max(2)),
    Record(
        "maxout_grad",
        lambda x, y, g: apply(softmax.maxout_grad_op, x, y, g, groups=2, axis=1),
        [_SIX, _groups(_SIX).max(2), floats(2, 3, 3)],
        lambda x, y, g: (g[:, :, None] * (_groups(x) == y[:, :, None])).reshape(x.shape),
        differentiable=[2],
        batched=[0, 1, 2],
    ),
    Record(
        "maxout_take",
        lambda x, y, v: apply(softmax.maxout_take_op, x, y, v, groups=2, axis=1),
        [_SIX, _groups(_SIX).max(2), floats(2, 6, 3, seed=1)],
        lambda x, y, v: (_groups(v) * (_groups(x) == y[:, :, None])).sum(2),
        differentiable=[2],
        batched=[0, 1, 2],
    ),
]

# convolution: the reference adds up one place of the filter after the other


def _places(shape, kernel, stride, dilation, padded):
    out = [(s - dilation * (k - 1) - 1) // stride + 1 for s, k in zip(padded, kernel, strict=True)]
    for offsets in itertools.product(*map(range, kernel)):
        yield offsets, tuple(
            slice(o * dilation, o * dilation + (n - 1) * stride + 1, stride) for o, n in zip(offsets, out, strict=True)
        )


def _padded(x, pad):
    return np.pad(x, [(0, 0), (0, 0), *[(pad, pad)] * (x.ndim - 2)])


def _conv(x, w, stride=1, pad=0, dilation=1, groups=1):
    x = _padded(x, pad)
    parts = []
    for xs, ws in zip(np.split(x, groups, 1), np.split(w, groups, 0), strict=True):
        places = _places(x.shape, w.shape[2:], stride, dilation, x.shape[2:])
        parts.append(
            sum(np.einsum("nc...,oc->no...", xs[(..., *p)], ws[(slice(None), slice(None), *o)]) for o, p in places)
        )
    return np.concatenate(parts, 1)


def _conv_back(y, w, sizes, stride=1, pad=0, groups=1):
    padded = [size + 2 * pad for size in sizes]
    parts = []
    for ys, ws in zip(np.split(y, groups, 1), np.split(w, groups, 0), strict=True):
        x = np.zeros((y.shape[0], w.shape[1], *padded))
        for o, p in _places(None, w.shape[2:], stride, 1, padded):
            x[(..., *p)] += np.einsum("no...,oc->nc...", ys, ws[(slice(None), slice(None), *o)])
        parts.append(x)
    inner = tuple(slice(pad, pad + size) for size in sizes)
    return np.concatenate(parts, 1)[(..., *inner)]


def _correlate(x, y, kernel, stride=1, pad=0):
    x = _padded(x, pad)
    w = np.zeros((y.shape[1], x.shape[1], *kernel))
    axes = "hwd"[: len(kernel)]
    for o, p in _places(None, kernel, stride, 1, x.shape[2:]):
        w[(slice(None), slice(None), *o)] = np.einsum(f"nc{axes},no{axes}->oc", x[(..., *p)], y)
    return w


def _conv2d(label, x, w, type="conv2d", **given):
    pad, groups = given.get("pad", 0), given.get("groups", 1)
    stride, dilation = given.get("stride", 1), given.get("dilation", 1)
    return Record(
        type,
        lambda a, b: F.conv2d(a, b, None, stride, pad, dilation, groups),
        [floats(*x), floats(*w, seed=1)],
        lambda a, b: _conv(a, b, **given),
        label=label,
        batched=[0],
    )


def _last(x):
    return np.moveaxis(x, 1, -1)


CONVOLUTIONS = [
    _conv2d("", (2, 3, 5, 6), (4, 3, 3, 2)),
    _conv2d("stride", (2, 3, 6, 6), (4, 3, 3, 3), stride=2, pad=1),
    _conv2d("dilation", (2, 3, 7, 6), (4, 3, 3, 2), dilation=2, pad=1),
    _conv2d("groups", (2, 4, 5, 5), (6, 2, 3, 3), groups=2),
    _conv2d("pointwise", (2, 3, 4, 5), (4, 3, 1, 1)),
    _conv2d("", (2, 3, 5, 5), (3, 1, 3, 3), "depthwise_conv2d", groups=3, pad=1),
    _conv2d("twice", (2, 3, 5, 5), (6, 1, 3, 3), "depthwise_conv2d", groups=3, stride=2),
    Record(
        "conv2d",
        lambda x, w, b: F.conv2d(x, w, b, 2, 1, data_format="NHWC"),
        [floats(2, 5, 6, 3), floats(4, 3, 3, 3, seed=1), floats(4)],
        lambda x, w, b: _last(_conv(np.moveaxis(x, -1, 1), w, 2, 1)) + b,
        label="last",
        batched=[0],
    ),
    Record(
        "conv3d",
        lambda x, w: F.conv3d(x, w, None, 2, 1),
        [floats(2, 2, 4, 3, 5), floats(3, 2, 3, 2, 3, seed=1)],
        lambda x, w: _conv(x, w, 2, 1),
        batched=[0],
    ),
    Record(
        "conv2d_transpose",
        lambda x, w, b: F.conv2d_transpose(x, w, b, 2, 1, output_padding=1),
        [floats(2, 3, 3, 4), floats(3, 4, 3, 3, seed=1), floats(4)],
        lambda x, w, b: _conv_back(x, w, (6, 8), 2, 1) + b[:, None, None],
        batched=[0],
    ),
    Record(
        "depthwise_conv2d_transpose",
        lambda x, w: F.conv2d_transpose(x, w, None, 2, groups=3),
        [floats(2, 3, 3, 4), floats(3, 1, 3, 2, seed=1)],
        lambda x, w: _conv_back(x, w, (7, 8), 2, groups=3),
        batched=[0],
    ),
    Record(
        "conv3d_transpose",
        lambda x, w: F.conv3d_transpose(x, w, None, 2),
        [floats(2, 2, 2, 3, 2), floats(2, 3, 2, 2, 3, seed=1)],
        lambda x, w: _conv_back(x, w, (4, 6, 5), 2),
        batched=[0],
    ),
    Record(
        "conv_input_grad",
        lambda g, w: apply(conv.input_grad_op, g, w, None, size=[5, 6], strides=[2, 2], paddings=[1, 1]),
        [floats(2, 4, 3, 3), floats(4, 3, 3, 3, seed=1)],
        lambda g, w: _conv_back(g, w, (5, 6), 2, 1),
        batched=[0],
    ),
    Record(
        "conv_filter_grad",
        lambda x, g: apply(conv.filter_grad_op, x, g, kernel=[3, 3], strides=[2, 2], paddings=[1, 1]),
        [floats(2, 3, 5, 6), floats(2, 4, 3, 3, seed=1)],
        lambda x, g: _correlate(x, g, (3, 3), 2, 1),
        batched=[0, 1],
    ),
]

# pooling: the reference looks at one window after the other


def _pooled(x, starts_and_ends, function):
    out = [len(bounds) for bounds in starts_and_ends]
    result = np.zeros((*x.shape[:2], *out))
    for where in itertools.product(*map(range, out)):
        window = tuple(slice(*bounds[n]) for bounds, n in zip(starts_and_ends, where, strict=True))
        part = x[(..., *window)]
        result[(..., *where)] = function(part.reshape(*part.shape[:2], -1))
    return result


def _bounds(size, kernel, stride, pad=0, ceil=False):
    span = size + 2 * pad - kernel
    count = (-(-span // stride) if ceil else span // stride) + 1
    return [(max(n * stride - pad, 0), min(n * stride - pad + kernel, size)) for n in range(count)]


def _even(x, kernel, stride, pad=0, ceil=False):
    return [_bounds(size, kernel, stride, pad, ceil) for size in x.shape[2:]]


def _adaptive(x, *out):
    return [
        [(n * size // count, -(-(n + 1) * size // count)) for n in range(count)]
        for size, count in zip(x.shape[2:], out, strict=True)
    ]


def _max(part):
    return part.max(-1)


def _mean(part):
    return part.mean(-1)


IMAGE = floats(2, 3, 6, 7)
SQUARE = floats(2, 2, 4, 4)
VOLUME = floats(2, 2, 4, 3, 5)


def _pool(label, function, bounds, reduce, x=IMAGE, type="pool2d"):
    return Record(type, function, [x], lambda a: _pooled(a, bounds(a), reduce), label=label)


def _positions(x):
    rows, columns = np.indices(x.shape[2:])
    return rows * x.shape[3] + columns


def _max_positions(x, kernel, stride):
    found = np.zeros((*x.shape[:2], *(len(b) for b in _even(x, kernel, stride))), "int32")
    for n, c in np.ndindex(*x.shape[:2]):
        for i, j in np.ndindex(*found.shape[2:]):
            window = np.s_[i * stride : i * stride + kernel, j * stride : j * stride + kernel]
            found[n, c, i, j] = _positions(x)[window].reshape(-1)[x[n, c][window].argmax()]
    return found


def _put(g, positions, sizes):
    result = np.zeros((*g.shape[:2], int(np.prod(sizes))))
    for where in np.ndindex(*g.shape):
        result[where[0], where[1], positions[where]] += g[where]
    return result.reshape(*g.shape[:2], *sizes)


def _take(x, positions):
    flat = x.reshape(*x.shape[:2], -1)
    return np.take_along_axis(flat, positions.reshape(*positions.shape[:2], -1), 2).reshape(positions.shape)


PLACES = _max_positions(SQUARE, 2, 2)
_MAX = dict(pooling_type="max", ksize=[2, 2], strides=[2, 2])

POOLS = [
    _pool("max", lambda x: F.max_pool2d(x, 2), lambda x: _even(x, 2, 2), _max),
    _pool("max even", lambda x: F.max_pool2d(x, 2), lambda x: _even(x, 2, 2), _max, SQUARE),
    _pool("max overlap", lambda x: F.max_pool2d(x, 3, 2, 1), lambda x: _even(x, 3, 2, 1), _max),
    _pool("max ceil", lambda x: F.max_pool2d(x, 3, 2, 1, ceil_mode=True), lambda x: _even(x, 3, 2, 1, True), _max),
    _pool("avg", lambda x: F.avg_pool2d(x, 2), lambda x: _even(x, 2, 2), _mean),
    _pool("avg exclusive", lambda x: F.avg_pool2d(x, 3, 2, 1), lambda x: _even(x, 3, 2, 1), _mean),
    _pool("avg ceil", lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True), lambda x: _even(x, 3, 2, 1, True), _mean),
    _pool("adaptive avg", lambda x: F.adaptive_avg_pool2d(x, (4, 3)), lambda x: _adaptive(x, 4, 3), _mean),
    _pool("adaptive avg even", lambda x: F.adaptive_avg_pool2d(x, (3, 7)), lambda x: _adaptive(x, 3, 7), _mean),
    _pool("adaptive max", lambda x: F.adaptive_max_pool2d(x, (4, 3)), lambda x: _adaptive(x, 4, 3), _max),
    _pool("global", lambda x: F.adaptive_avg_pool2d(x, 1), lambda x: _adaptive(x, 1, 1), _mean),
    Record(
        "pool2d",
        lambda x: F.avg_pool2d(x, 3, 2, 1, exclusive=False),
        [IMAGE],
        lambda x: _pooled(_padded(x, 1), _even(_padded(x, 1), 3, 2), _mean),
        label="avg inclusive",
    ),
    Record(
        "pool2d",
        lambda x: F.max_pool2d(x, 2, data_format="NHWC"),
        [floats(2, 4, 6, 3)],
        lambda x: _last(_pooled(np.moveaxis(x, -1, 1), _even(np.moveaxis(x, -1, 1), 2, 2), _max)),
        label="last",
    ),
    _pool("max", lambda x: F.max_pool3d(x, 2, 1), lambda x: _even(x, 2, 1), _max, VOLUME, "pool3d"),
    _pool("avg", lambda x: F.avg_pool3d(x, 2, 2), lambda x: _even(x, 2, 2), _mean, VOLUME, "pool3d"),
    Record(
        "pool_grad",
        lambda x, y, g: apply(pool.pool_grad_op, x, y, g, **_MAX),
        [SQUARE, _take(SQUARE, PLACES), floats(2, 2, 2, 2, seed=1)],
        lambda x, y, g: _put(g, PLACES, (4, 4)),
        differentiable=[2],
        batched=[0, 1, 2],
    ),
    Record(
        "max_pool_take",
        lambda x, y, v: apply(pool.pool_take_op, x, y, v, ksize=[2, 2], strides=[2, 2]),
        [SQUARE, _take(SQUARE, PLACES), floats(2, 2, 4, 4, seed=1)],
        lambda x, y, v: _take(v, PLACES),
        differentiable=[2],
        batched=[0, 1, 2],
    ),
    Record(
        "max_pool2d_with_index",
        lambda x: F.max_pool2d(x, 3, 1, return_mask=True),
        [IMAGE],
        lambda x: [_pooled(x, _even(x, 3, 1), _max), _max_positions(x, 3, 1)],
    ),
    Record(
        "max_pool3d_with_index",
        lambda x: F.max_pool3d(x, 2, 1, return_mask=True)[0],
        [VOLUME],
        lambda x: _pooled(x, _even(x, 2, 1), _max),
    ),
    Record(
        "put_positions",
        lambda g, p: apply(pool.put_positions_op, g, p, None, size=[4, 4]),
        [floats(2, 2, 2, 2), PLACES],
        lambda g, p: _put(g, p, (4, 4)),
        batched=[0, 1],
    ),
    Record(
        "take_positions",
        lambda x, p: apply(pool.take_positions_op, x, p),
        [SQUARE, PLACES],
        _take,
        batched=[0, 1],
    ),
]

RECORDS = ACTIVATIONS + MAXOUT + CONVOLUTIONS + POOLS
