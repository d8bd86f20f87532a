"""Records of pooling, and of the operators of its gradients; each against plain loops."""

import itertools

import numpy as np
from proa.nn import functional as F
from proa.ops.core.trace import apply
from proa.ops.nn import pool
from records import Record, floats

X = floats(2, 3, 6, 5)


def _windows(x, bounds, reduce):
    """`reduce` over the window of each cell, which `bounds` gives by dimension."""
    result = np.zeros((*x.shape[:2], *map(len, bounds)))
    for cell in itertools.product(*(range(len(b)) for b in bounds)):
        part = tuple(slice(*bounds[axis][n]) for axis, n in enumerate(cell))
        result[(..., *cell)] = reduce(x[(..., *part)].reshape(*x.shape[:2], -1))
    return result


def _even(sizes, kernel, stride, padding, ceil=False):
    bounds = []
    for size in sizes:
        room = size + 2 * padding - kernel
        count = (-(-room // stride) if ceil else room // stride) + 1
        starts = [n * stride - padding for n in range(count)]
        bounds.append([(max(s, 0), min(s + kernel, size)) for s in starts])
    return bounds


def _adaptive(sizes, counts):
    return [[(i * s // n, -(-(i + 1) * s // n)) for i in range(n)] for s, n in zip(sizes, counts, strict=True)]


def _max(x, bounds):
    return _windows(x, bounds, lambda part: part.max(-1))


def _mean(x, bounds):
    return _windows(x, bounds, lambda part: part.mean(-1))


SIZES = X.shape[2:]
OVERLAPPING = _even(SIZES, 3, 2, 1)
VOLUME = floats(2, 2, 4, 4, 5)

FORWARD = [
    Record("pool2d", lambda x: F.max_pool2d(x, 2), [X], lambda x: _max(x, _even(SIZES, 2, 2, 0)), label="max"),
    Record("pool2d", lambda x: F.max_pool2d(x, 3, 2, 1), [X], lambda x: _max(x, OVERLAPPING), label="max overlapping"),
    Record("pool2d", lambda x: F.max_pool2d(x, 2, 2, 0, ceil_mode=True), [X],
           lambda x: _max(x, _even(SIZES, 2, 2, 0, True)), label="max ceil"),
    Record("pool2d", lambda x: F.max_pool2d(x, 2, data_format="NHWC"), [floats(2, 6, 5, 3)],
           lambda x: _max(x.transpose(0, 3, 1, 2), _even((6, 5), 2, 2, 0)).transpose(0, 2, 3, 1), label="max last"),
    Record("pool2d", lambda x: F.avg_pool2d(x, 2), [X], lambda x: _mean(x, _even(SIZES, 2, 2, 0)), label="mean"),
    Record("pool2d", lambda x: F.avg_pool2d(x, 3, 2, 1), [X], lambda x: _mean(x, OVERLAPPING), label="mean exclusive"),
    Record("pool2d", lambda x: F.avg_pool2d(x, 3, 2, 1, exclusive=False), [X],
           lambda x: _windows(x, OVERLAPPING, lambda part: part.sum(-1) / 9), label="mean inclusive"),
    Record("pool2d", lambda x: F.adaptive_avg_pool2d(x, 1), [X], lambda x: x.mean((2, 3), keepdims=True),
           label="whole"),
    Record("pool2d", lambda x: F.adaptive_avg_pool2d(x, [4, 3]), [X], lambda x: _mean(x, _adaptive(SIZES, (4, 3))),
           label="adaptive"),
    Record("pool3d", lambda x: F.max_pool3d(x, 2), [VOLUME], lambda x: _max(x, _even(x.shape[2:], 2, 2, 0))),
    Record("pool3d", lambda x: F.avg_pool3d(x, 2), [VOLUME], lambda x: _mean(x, _even(x.shape[2:], 2, 2, 0)),
           label="mean"),
    Record("max_pool2d_with_index", lambda x: F.max_pool2d(x, 3, 2, 1, return_mask=True)[0], [X],
           lambda x: _max(x, OVERLAPPING)),
    Record("max_pool2d_with_index", lambda x: F.adaptive_max_pool2d(x, [4, 3], return_mask=True)[0], [X],
           lambda x: _max(x, _adaptive(SIZES, (4, 3))), label="adaptive"),
    Record("max_pool3d_with_index", lambda x: F.max_pool3d(x, 2, return_mask=True)[0], [VOLUME],
           lambda x: _max(x, _even(x.shape[2:], 2, 2, 0))),
]

OUT = _max(X, OVERLAPPING)
G = floats(*OUT.shape, seed=4)
ATTRS = {"ksize": [3, 3], "strides": [2, 2], "paddings": [1, 1]}


def _positions(x):
    """The place of each window's largest element, in its plane."""
    numbers = np.arange(x.shape[2] * x.shape[3], dtype=float).reshape(x.shape[2:])
    result = np.zeros(OUT.shape, "int32")
    for i, rows in enumerate(OVERLAPPING[0]):
        for j, columns in enumerate(OVERLAPPING[1]):
            part = x[:, :, slice(*rows), slice(*columns)].reshape(*x.shape[:2], -1)
            result[:, :, i, j] = numbers[slice(*rows), slice(*columns)].reshape(-1)[part.argmax(-1)]
    return result


PLACES = _positions(X)


def _put(g):
    result = np.zeros((2, 3, 30))
    for n, c in np.ndindex(2, 3):
        np.add.at(result[n, c], PLACES[n, c].reshape(-1), g[n, c].reshape(-1))
    return result.reshape(X.shape)


def _take(v):
    return np.take_along_axis(v.reshape(2, 3, 30), PLACES.reshape(2, 3, -1).astype("int64"), 2).reshape(OUT.shape)


GRADIENTS = [
    Record("pool_grad", lambda x, out, g: apply(pool.pool_grad_op, x, out, g, pooling_type="max", **ATTRS), [X, OUT, G],
           lambda x, out, g: _put(g), differentiable=[2], batched=[0, 1, 2]),
    Record("max_pool_take", lambda x, out, v: apply(pool.pool_take_op, x, out, v, **ATTRS),
           [X, OUT, floats(*X.shape, seed=5)], lambda x, out, v: _take(v), differentiable=[2], batched=[0, 1, 2]),
    Record("put_positions", lambda g, at: apply(pool.put_positions_op, g, at, None, size=[6, 5]), [G, PLACES],
           lambda g, at: _put(g), batched=[0, 1]),
    Record("take_positions", lambda v, at: apply(pool.take_positions_op, v, at), [X, PLACES], lambda v, at: _take(v),
           batched=[0, 1]),
]

RECORDS = FORWARD + GRADIENTS
