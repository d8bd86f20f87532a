"""Poolings that PaddlePaddle has since version 3: fractional maxima, and norms of windows (lp_pool2d)."""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..array.full import constant
from ..array.gather import index_select
from ..array.pad import pad_op
from ..array.reshape import reshape
from ..core.decomposition import decomposition
from ..core.trace import apply
from ..math.casting import cast
from ..math.elementwise import pow, scale
from ..math.extreme_positions import argmax
from ..math.reduce import max as maximum
from ..nn.pool import pool2d_op


def _windows(size: int, out: int, kernel: int, u: float) -> list[tuple[int, int]]:
    """Where the windows along a dimension begin and end, in float32 as there (Graham, 2015, arXiv:1412.6071).

    Without a kernel's size the windows lie side by side, and u is a share of what leaves room for all of them.
    """
    one = np.float32
    if kernel:
        step = one(size - kernel) / one(out - 1) if out > 1 else one(0)
        starts = [math.floor((one(i) + one(u)) * step) - math.floor(one(u) * step) for i in range(out - 1)]
        starts.append(size - kernel if out > 1 else 0)
        return [(max(start, 0), min(start + kernel, size)) for start in starts]
    step, base = one(size) / one(out), size // out
    share = one(u) * min(one(base + 2) / step - one(1), one(size + 1 - base) / step - one(out - 1))
    edges = [math.floor((one(i) + share) * step) - math.floor(share * step) for i in range(out + 1)]
    return [(max(a, 0), min(b, size)) for a, b in itertools.pairwise(edges)]


def _fractional(type: str, x: Any, output_size: Sequence[int], kernel_size: Sequence[int], u: float) -> tuple:
    """The maxima, and where they lie in an image (in order of rows), of windows that follow from the sizes alone."""
    sizes = list(x.shape)[-len(output_size):]
    if any(size < 1 for size in sizes):
        raise NotImplementedError(f"{type}: the size of the images must be known. Received a shape of {list(x.shape)}.")
    if not 0 < u < 1:
        raise NotImplementedError(f"{type}: windows that are drawn in each run (random_u={u}) are not known here. "
                                  "Save the model with a random_u between 0 and 1.")
    along = [[range(a, b) for a, b in _windows(*each, u)]
             for each in zip(sizes, output_size, kernel_size or [0] * len(sizes), strict=True)]
    inside = [[np.ravel_multi_index(place, sizes) for place in itertools.product(*window)]
              for window in itertools.product(*along)]
    most = max(map(len, inside))
    places = np.array([[*window, *[window[-1]] * (most - len(window))] for window in inside], np.int64)
    lead = list(x.shape)[:-len(sizes)]
    flat = reshape(x, [*_open(lead), math.prod(sizes)])
    taken = reshape(index_select(flat, constant(places.ravel()), axis=len(lead)), [*_open(lead), *places.shape])
    which = reshape(argmax(taken, -1) + constant(np.arange(len(places), dtype=np.int64) * most), [-1])
    mask = index_select(constant(places.ravel()), which)
    shape = [*_open(lead), *output_size]
    return reshape(maximum(taken, -1), shape), cast(reshape(mask, shape), "int32")


def _open(sizes: Sequence[int]) -> list[int]:
    """Sizes as `reshape` takes them from its input: 0, as it is there."""
    return [size if size > 0 else 0 for size in sizes]


@decomposition("fractional_max_pool2d", "x -> out, mask?")
def _fractional_2d(x: Any, *, output_size: Any, kernel_size: Any = (), random_u: float = 0.0) -> tuple:
    return _fractional("fractional_max_pool2d", x, output_size, kernel_size, random_u)


@decomposition("fractional_max_pool3d", "x -> out, mask?")
def _fractional_3d(x: Any, *, output_size: Any, kernel_size: Any = (), random_u: float = 0.0) -> tuple:
    return _fractional("fractional_max_pool3d", x, output_size, kernel_size, random_u)


@decomposition("lp_pool2d", "x -> out")
def _norms_of_windows(x: Any, *, kernel_size: Any, strides: Any = (1, 1), paddings: Any = (0, 0),
                      ceil_mode: bool = False, data_format: str = "NCHW", global_pooling: bool = False,
                      adaptive: bool = False, padding_algorithm: str = "EXPLICIT", norm_type: float = 2.0) -> Any:
    """(sum of x^p)^(1/p) of each window, without magnitudes; the largest where p is infinite."""
    if global_pooling or adaptive or padding_algorithm == "SAME":
        raise NotImplementedError("lp_pool2d: only windows of given sizes, strides and paddings are known here.")
    pads = [0] * 4 if padding_algorithm == "VALID" else list(paddings)
    pads = pads if len(pads) == 4 else [pads[0], pads[0], pads[1], pads[1]]
    if norm_type == math.inf:
        return apply(pool2d_op, x, pooling_type="max", ksize=kernel_size, strides=strides, paddings=pads,
                     ceil_mode=ceil_mode, data_format=data_format)
    first = 1 if data_format[-1] == "C" else 2
    widths = [0] * 8
    for n, (size, stride) in enumerate(zip(kernel_size, strides, strict=True)):
        before, after = pads[2 * n], pads[2 * n + 1]
        if ceil_mode:
            after += _missing(x.shape[first + n], before + after, size, stride)
        widths[2 * (first + n)], widths[2 * (first + n) + 1] = before, after
    powers = pow(x, norm_type)
    padded = apply(pad_op, powers, paddings=widths) if any(widths) else powers
    means = apply(pool2d_op, padded, pooling_type="avg", ksize=kernel_size, strides=strides, paddings=[0, 0],
                  exclusive=False, data_format=data_format)
    return pow(scale(means, float(math.prod(kernel_size))), 1.0 / norm_type)


def _missing(size: int, pads: int, kernel: int, stride: int) -> int:
    """How many zeros a last window wants that begins within the image and ends behind it."""
    if size < 0:
        raise NotImplementedError("lp_pool2d: with ceil_mode the size of the images must be known.")
    count = -(-(size + pads - kernel) // stride) + 1
    return max(0, (count - 1) * stride + kernel - size - pads)
