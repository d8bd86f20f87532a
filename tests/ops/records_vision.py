"""Records of windows as columns, of shuffles, sampling and unpooling, and of norms and forms of weights."""

import itertools

import numpy as np
import proa as paddle
from proa.nn import functional as F
from proa.ops.core.trace import apply
from proa.ops.nn import fold, norm, spectral_norm
from proa.ops.vision import affine_grid, pixel_shuffle
from records import Record, floats

IMAGE = floats(2, 3, 4, 5)


# windows as columns

def _unfolded(x, kernel, stride, pads, dilation=1):
    top, left, bottom, right = pads
    x = np.pad(x, [(0, 0), (0, 0), (top, bottom), (left, right)])
    rows, columns = [(n - dilation * (k - 1) - 1) // stride + 1 for n, k in zip(x.shape[2:], kernel, strict=True)]
    result = []
    for i, j in itertools.product(range(rows), range(columns)):
        part = x[:, :, i * stride:, j * stride:][:, :, :dilation * kernel[0]:dilation, :dilation * kernel[1]:dilation]
        result.append(part[:, :, :kernel[0], :kernel[1]].reshape(x.shape[0], -1))
    return np.stack(result, -1)


def _folded(columns, shape, *window):
    size = int(np.prod(shape))
    matrix = np.stack([_unfolded(row.reshape(shape), *window).reshape(-1) for row in np.eye(size)])
    return (columns.reshape(columns.shape[0], -1) @ matrix.T).reshape(-1, *shape[1:])


COLUMNS = floats(2, 12, 9, seed=2)

WINDOWS = [
    Record("unfold", lambda x: F.unfold(x, [2, 3], 1, 1), [IMAGE], lambda x: _unfolded(x, (2, 3), 1, (1, 1, 1, 1))),
    Record("unfold", lambda x: F.unfold(x, 2, 2, [1, 0, 0, 1], 2), [IMAGE],
           lambda x: _unfolded(x, (2, 2), 2, (1, 0, 0, 1), 2), label="dilated"),
    Record("fold", lambda x: F.fold(x, 4, 2), [COLUMNS], lambda x: _folded(x, (1, 3, 4, 4), (2, 2), 1, (0, 0, 0, 0))),
    Record("fold_like", lambda x, like: apply(fold.fold_like_op, x, like, kernel_sizes=[2, 2], strides=[1, 1],
                                              paddings=[0, 0, 0, 0], dilations=[1, 1]), [COLUMNS, floats(2, 3, 4, 4)],
           lambda x, like: _folded(x, (1, 3, 4, 4), (2, 2), 1, (0, 0, 0, 0)), differentiable=[0], batched=[0, 1]),
]


# shuffles

def _shuffled(x, r):
    n, c, h, w = x.shape
    return x.reshape(n, c // r // r, r, r, h, w).transpose(0, 1, 4, 2, 5, 3).reshape(n, c // r // r, h * r, w * r)


def _unshuffled(x, r):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // r, r, w // r, r).transpose(0, 1, 3, 5, 2, 4).reshape(n, c * r * r, h // r, w // r)


def _last(function):
    return lambda x: function(x.transpose(0, 3, 1, 2)).transpose(0, 2, 3, 1)


def _shift(x, earlier, later):
    """x [films, time, C, …] with some channels from the image before and some from the one after."""
    result = x.copy()
    result[:, :, [*earlier, *later]] = 0
    for t in range(x.shape[1]):
        if t > 0:
            result[:, t, earlier] = x[:, t - 1, earlier]
        if t < x.shape[1] - 1:
            result[:, t, later] = x[:, t + 1, later]
    return result


FILMS = floats(6, 4, 2, 2)

SHUFFLES = [
    Record("pixel_shuffle", lambda x: F.pixel_shuffle(x, 2), [floats(2, 8, 2, 3)], lambda x: _shuffled(x, 2)),
    Record("pixel_shuffle", lambda x: F.pixel_shuffle(x, 2, "NHWC"), [floats(2, 2, 3, 8)],
           _last(lambda x: _shuffled(x, 2)), label="last"),
    Record("pixel_unshuffle", lambda x: F.pixel_unshuffle(x, 2), [floats(2, 2, 4, 6)], lambda x: _unshuffled(x, 2)),
    Record("channel_shuffle", lambda x: F.channel_shuffle(x, 3), [floats(2, 6, 2, 2)],
           lambda x: x[:, [0, 2, 4, 1, 3, 5]]),
    Record("channel_shuffle", lambda x: F.channel_shuffle(x, 3, "NHWC"), [floats(2, 2, 2, 6)],
           lambda x: x[..., [0, 2, 4, 1, 3, 5]], label="last"),
    Record("temporal_shift", lambda x: F.temporal_shift(x, 3), [FILMS],
           lambda x: _shift(x.reshape(2, 3, 4, 2, 2), [0], [1]).reshape(x.shape), batched=[]),
    Record("temporal_shift_back", lambda x: apply(pixel_shuffle.temporal_shift_back_op, x, seg_num=3), [FILMS],
           lambda x: _shift(x.reshape(2, 3, 4, 2, 2), [1], [0]).reshape(x.shape), batched=[]),
]


# sampling

def _reflected(p, size, align_corners):
    low, high = (0, size - 1) if align_corners else (-0.5, size - 0.5)
    while p < low or p > high:
        p = 2 * low - p if p < low else 2 * high - p
    return min(max(p, 0), size - 1)


def _place(p, size, padding_mode, align_corners):
    p = (p + 1) / 2 * (size - 1) if align_corners else ((p + 1) * size - 1) / 2
    if padding_mode == "border":
        return min(max(p, 0), size - 1)
    return _reflected(p, size, align_corners) if padding_mode == "reflection" else p


def _sampled(padding_mode="zeros", align_corners=True, mode="bilinear"):
    def function(x, grid):
        sizes = x.shape[2:]
        result = np.zeros((*x.shape[:2], *grid.shape[1:-1]))
        for cell in np.ndindex(*grid.shape[:-1]):
            at = [_place(p, n, padding_mode, align_corners) for p, n in zip(grid[cell][::-1], sizes, strict=True)]
            if mode == "nearest":
                at = [np.floor(p + 0.5) for p in at]
            for place in np.ndindex(*sizes):
                weight = np.prod([max(1 - abs(p - q), 0) for p, q in zip(at, place, strict=True)])
                result[(cell[0], slice(None), *cell[1:])] += weight * x[(cell[0], slice(None), *place)]
        return result

    return function


GRID = floats(2, 3, 2, 2, low=-1.6, high=1.6, seed=4)
VOLUME, GRIDS = floats(1, 2, 3, 2, 4), floats(1, 2, 2, 1, 3, low=-1.3, high=1.3, seed=5)


def _sample(x, grid, **how):
    return F.grid_sample(x, grid, **how)


def _base(sizes, align_corners):
    lines = [np.linspace(-1, 1, n) * (1 if align_corners else (n - 1) / n) for n in sizes]
    return np.stack([*np.meshgrid(*lines, indexing="ij")[::-1], np.ones(sizes)], -1)


THETA = floats(2, 2, 3)

SAMPLING = [
    *(Record("grid_sampler", lambda x, g, _how=how: _sample(x, g, **_how), [IMAGE, GRID], _sampled(**how),
             label="-".join(map(str, how.values()))) for how in (
        {"padding_mode": "zeros", "align_corners": True}, {"padding_mode": "zeros", "align_corners": False},
        {"padding_mode": "border", "align_corners": True}, {"padding_mode": "border", "align_corners": False},
        {"padding_mode": "reflection", "align_corners": True}, {"padding_mode": "reflection", "align_corners": False},
        {"padding_mode": "border", "align_corners": True, "mode": "nearest"})),
    Record("grid_sampler", _sample, [VOLUME, GRIDS], _sampled(), label="volume", batched=[]),
    Record("affine_grid", lambda t: F.affine_grid(t, [2, 3, 4, 5]), [THETA],
           lambda t: np.einsum("hwj,nij->nhwi", _base((4, 5), True), t), batched=[]),
    Record("affine_grid", lambda t: F.affine_grid(t, paddle.to_tensor([2, 3, 4, 5]), align_corners=False), [THETA],
           lambda t: np.einsum("hwj,nij->nhwi", _base((4, 5), False), t), label="tensor", batched=[],
           data_dependent=True),
    Record("affine_grid", lambda t: F.affine_grid(t, [1, 3, 2, 3, 4]), [floats(1, 3, 4)],
           lambda t: np.einsum("dhwj,nij->ndhwi", _base((2, 3, 4), True), t), label="volume", batched=[]),
    Record("affine_grid_grad", lambda g: apply(affine_grid.affine_grid_grad_op, g, align_corners=True),
           [floats(2, 4, 5, 2)], lambda g: np.einsum("hwj,nhwi->nij", _base((4, 5), True), g)),
]


# unpooling

PLACES = np.array([[[[7, 0], [3, 12]]], [[[15, 6], [8, 1]]]], "int32")


def _put(x):
    result = np.zeros((2, 1, 16))
    np.put_along_axis(result, PLACES.reshape(2, 1, 4).astype("int64"), x.reshape(2, 1, 4), 2)
    return result.reshape(2, 1, 4, 4)


UNPOOLING = [
    Record("unpool", lambda x, at: F.max_unpool2d(x, at, 2), [floats(2, 1, 2, 2), PLACES], lambda x, at: _put(x),
           batched=[0, 1]),
    Record("unpool3d", lambda x, at: F.max_unpool3d(x, at, [1, 2, 2]), [floats(2, 1, 1, 2, 2), PLACES[:, :, None]],
           lambda x, at: _put(x)[:, :, None], batched=[0, 1]),
]


# weights

def _steps(w, u, v, count):
    for _ in range(count):
        v = w.T @ u
        v = v / np.sqrt((v * v).sum())
        u = w @ v
        u = u / np.sqrt((u * u).sum())
    return u, v


def _spectral(count):
    def function(w, u, v):
        u, v = _steps(w, u, v, count)
        return w / (u @ w @ v)

    return function


WEIGHT, U, V = floats(3, 4), floats(3, low=0.2, seed=1), floats(4, low=0.2, seed=2)


def _synchronized(x, w, b):
    zeros, ones = paddle.zeros([3], x.dtype), paddle.ones([3], x.dtype)
    return apply(norm.sync_batch_norm_op, x, w, b, zeros, ones, None)[0]


def _normalized(x, w, b):
    axes, shape = (0, 2, 3), (1, 3, 1, 1)
    normal = (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1e-5)
    return normal * w.reshape(shape) + b.reshape(shape)


WEIGHTS = [
    Record("spectral_norm", lambda w, u, v: spectral_norm.spectral_norm(w, u, v, 0, 0), [WEIGHT, U, V], _spectral(0),
           label="fixed vectors", differentiable=[0], batched=[]),
    Record("spectral_norm", lambda w, u, v: spectral_norm.spectral_norm(w, u, v, 0, 2), [WEIGHT, U, V], _spectral(2),
           differentiable=[], batched=[]),
    Record("spectral_norm", lambda w, u, v: spectral_norm.spectral_norm(w, u, v, 1, 0), [floats(2, 3, 2), U, V],
           lambda w, u, v: w / (u @ w.transpose(1, 0, 2).reshape(3, 4) @ v), label="another dimension",
           differentiable=[0], batched=[]),
    Record("power_iteration", lambda w, u, v: spectral_norm.power_iteration(w, u, v, 0, 2), [WEIGHT, U, V],
           lambda w, u, v: _steps(w, u, v, 2), batched=[]),
    Record("bilinear_tensor_product", F.bilinear, [floats(2, 3), floats(2, 4, seed=1), floats(5, 3, 4), floats(1, 5)],
           lambda x, y, w, b: np.einsum("na,kab,nb->nk", x, w, y) + b, batched=[0, 1]),
    Record("sync_batch_norm", _synchronized, [floats(4, 3, 2, 5), floats(3, low=0.5, high=1.5), floats(3, seed=1)],
           _normalized),
]

RECORDS = WINDOWS + SHUFFLES + SAMPLING + UNPOOLING + WEIGHTS
