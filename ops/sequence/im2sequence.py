"""The windows of images as sequences of rows: im2sequence."""

from __future__ import annotations

from typing import Any

from ..core.infer import product
from ..core.operator import Ints, operator
from ..core.spec import Spec
from ..core.trace import apply
from ..nn.fold import fold_like_op
from ..nn.windows import Geometry, geometry, padded, windows
from .offsets import from_lengths, offset_specs


def _geometry(sizes: Any, kernels: Any, strides: Any, paddings: Any) -> Geometry:
    """Where the windows lie; `paddings` is top, left, bottom, right."""
    top, left, bottom, right = paddings
    return geometry("im2sequence", sizes, kernels, strides, [top, bottom, left, right], [1, 1])


def _rows(xp, x, sizes, *, kernels: Ints, strides: Ints = (1, 1), paddings: Ints = (0, 0, 0, 0),
          out_stride: Ints = (1, 1)):
    geo = _geometry(x.shape[2:], kernels, strides, paddings)
    found = windows(xp, padded(xp, x, geo), geo)  # [images, channels, kernel, kernel, rows, columns]
    found = xp.moveaxis(found.reshape(*found.shape[:2], *geo.kernel, *geo.out), (4, 5), (1, 2))
    if sizes is None:
        counts = xp.full(len(x), product(geo.out), "int64")
        return found.reshape(-1, x.shape[1] * product(geo.kernel)), [from_lengths(xp, counts)]
    there, counts = _there(xp, sizes, geo, kernels, strides, paddings, out_stride)
    return found[there].reshape(-1, x.shape[1] * product(geo.kernel)), [from_lengths(xp, counts)]


def _there(xp: Any, sizes: Any, geo: Geometry, kernels: Any, strides: Any, paddings: Any, out_stride: Any) -> Any:
    """Which windows lie in images that are `sizes` before a network makes them `out_stride` times smaller."""
    smaller = xp.ceil(sizes / xp.asarray(list(out_stride))).astype("int64")
    around = xp.asarray([paddings[0] + paddings[2], paddings[1] + paddings[3]]) - xp.asarray(list(kernels))
    counts = (smaller + around) // xp.asarray(list(strides)) + 1
    counts = xp.minimum(counts, xp.asarray(list(geo.out)))
    rows, columns = (xp.arange(size) < counts[:, n, None] for n, size in enumerate(geo.out))
    return rows[:, :, None] & columns[:, None, :], counts.prod(1)


def _infer(x, sizes, *, kernels, strides=(1, 1), paddings=(0, 0, 0, 0), out_stride=(1, 1)):
    if x.rank != 4:
        raise ValueError(f"im2sequence(input): must be [N, C, H, W]. Received {list(x.shape)}.")
    count = -1
    if sizes is None and -1 not in x.shape:
        count = x.shape[0] * product(_geometry(x.shape[2:], kernels, strides, paddings).out)
    width = x.shape[1] * product(kernels) if x.shape[1] >= 0 else -1
    return Spec((count, width), x.dtype), offset_specs(1)


def _gradient(g: Any, X: Any, Y: Any, kernels: Any, strides: Any, paddings: Any) -> Any:
    if Y is not None:
        raise NotImplementedError("im2sequence(input, input_image_size): no gradient with the images' own sizes, as in "
                                  "PaddlePaddle. Leave input_image_size out where the images are trained.")
    return apply(images_of_rows_op, g, X, kernels=kernels, strides=strides, paddings=paddings)


def _images(xp, g, like, *, kernels: Ints, strides: Ints = (1, 1), paddings: Ints = (0, 0, 0, 0)):
    """The rows added up where their windows lie."""
    columns = g.reshape(len(like), -1, g.shape[1]).swapaxes(1, 2)
    return fold_like_op.kernel(xp, columns, like, kernel_sizes=kernels, strides=strides, paddings=paddings,
                               dilations=[1, 1])


images_of_rows_op = operator(
    "images_of_rows", "G, Like -> XGrad", kernel=_images, infer=lambda g, like, **_: Spec(like.shape, g.dtype),
    grad={"G": lambda g, kernels, strides, paddings: apply(
        im2sequence_op, g, None, kernels=kernels, strides=strides, paddings=paddings)[0]}, only_here=True, lod="drop")

im2sequence_op = operator("im2sequence", "X, Y? -> Out, out_lod^Out", kernel=_rows, infer=_infer,
                          grad={"X": _gradient}, moves=True)
