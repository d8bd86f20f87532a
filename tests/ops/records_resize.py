"""Records of resizing and of its gradient; each against a sum over all elements by the kernel of the method."""

import numpy as np
import proa as paddle
from proa.nn import functional as F
from proa.ops.core.trace import apply
from proa.ops.vision import interpolate
from records import Record, floats

SIGNAL, IMAGE, VOLUME = floats(2, 2, 5), floats(2, 2, 4, 5), floats(1, 2, 3, 4, 3)


def _hat(t):
    return np.maximum(1 - np.abs(t), 0)


def _keys(t):
    t, a = np.abs(t), -0.75
    near = (a + 2) * t**3 - (a + 3) * t**2 + 1
    return np.where(t <= 1, near, np.where(t < 2, a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a, 0))


def _matrix(size, out, kernel, align_corners=False, align_mode=0, scale=None):
    """[out, size]: how much of each element is in each of the result."""
    ratio = 1 / scale if scale else size / out
    places = np.arange(out) * ratio
    if align_corners:
        places = np.linspace(0, size - 1, out)
    elif align_mode == 0:
        places = (np.arange(out) + 0.5) * ratio - 0.5
    if kernel is _hat:
        places = np.clip(places, 0, size - 1)
    result = np.zeros((out, size))
    for position in range(-3, size + 3):
        result[:, min(max(position, 0), size - 1)] += kernel(places - position)
    return result


def _resized(x, sizes, kernel, scale=None, **how):
    for n, out in enumerate(sizes):
        matrix = _matrix(x.shape[2 + n], out, kernel, scale=scale, **how)
        x = np.moveaxis(np.moveaxis(x, 2 + n, -1) @ matrix.T, -1, 2 + n)
    return x


def _nearest(x, sizes):
    for n, out in enumerate(sizes):
        x = x.take([int(k * x.shape[2 + n] / out) for k in range(out)], 2 + n)
    return x


def _back(g):
    return np.moveaxis(np.moveaxis(g, 2, -1) @ _matrix(5, 7, _hat), -1, 2)


RECORDS = [
    Record("linear_interp_v2", lambda x: F.interpolate(x, [7], mode="linear", data_format="NCW"), [SIGNAL],
           lambda x: _resized(x, [7], _hat)),
    Record("linear_interp_v2", lambda x: F.interpolate(x, [3], mode="linear", align_mode=1, data_format="NWC"),
           [floats(2, 5, 2)], lambda x: np.moveaxis(_resized(np.moveaxis(x, 2, 1), [3], _hat, align_mode=1), 1, 2),
           label="beginnings, last"),
    Record("bilinear_interp_v2", lambda x: F.interpolate(x, [7, 3], mode="bilinear"), [IMAGE],
           lambda x: _resized(x, [7, 3], _hat)),
    Record("bilinear_interp_v2", lambda x: F.interpolate(x, [7, 3], mode="bilinear", align_corners=True), [IMAGE],
           lambda x: _resized(x, [7, 3], _hat, align_corners=True), label="corners", tolerance=1e-6),
    Record("bilinear_interp_v2", lambda x: F.interpolate(x, scale_factor=2.5, mode="bilinear"), [IMAGE],
           lambda x: _resized(x, [10, 12], _hat, scale=2.5), label="factor", tolerance=1e-6),
    Record("bilinear_interp_v2", lambda x: F.interpolate(x, paddle.to_tensor([8, 5]), mode="bilinear"), [IMAGE],
           lambda x: _resized(x, [8, 5], _hat), label="tensor", data_dependent=True),
    Record("bilinear_interp_v2", lambda x: F.interpolate(x, [8, paddle.to_tensor([5])], mode="bilinear"), [IMAGE],
           lambda x: _resized(x, [8, 5], _hat), label="tensors", data_dependent=True),
    Record("bilinear_interp_v2", lambda x: F.interpolate(x, scale_factor=paddle.to_tensor([2.0, 1.0]), mode="bilinear"),
           [IMAGE], lambda x: _resized(x, [8, 5], _hat), label="factors in a tensor", data_dependent=True),
    Record("bicubic_interp_v2", lambda x: F.interpolate(x, [7, 3], mode="bicubic"), [IMAGE],
           lambda x: _resized(x, [7, 3], _keys), tolerance=1e-6),
    Record("bicubic_interp_v2", lambda x: F.interpolate(x, [7, 3], mode="bicubic", align_corners=True), [IMAGE],
           lambda x: _resized(x, [7, 3], _keys, align_corners=True), label="corners", tolerance=1e-6),
    Record("trilinear_interp_v2", lambda x: F.interpolate(x, [2, 6, 3], mode="trilinear", data_format="NCDHW"),
           [VOLUME], lambda x: _resized(x, [2, 6, 3], _hat), batched=[]),
    Record("nearest_interp_v2", lambda x: F.interpolate(x, [7, 3]), [IMAGE], lambda x: _nearest(x, [7, 3])),
    Record("nearest_interp_v2", lambda x: F.interpolate(x, scale_factor=2), [IMAGE], lambda x: _nearest(x, [8, 10]),
           label="factor"),
    Record("nearest_interp_v2", lambda x: F.interpolate(x, [2, 8, 5], data_format="NCDHW"), [VOLUME],
           lambda x: _nearest(x, [2, 8, 5]), label="volume", batched=[]),
    Record("interp_grad", lambda g: apply(interpolate.interp_grad_op, g, None, None, size=[5], interp_method="linear",
                                          align_corners=False, align_mode=0), [floats(2, 2, 7)], _back, tolerance=1e-6),
]
