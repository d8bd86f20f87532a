"""Convolutions and products with packed weights by code in C that takes any sizes (`_packed.c`), as an engine.

oneDNN makes code for each size of the other operand, half a millisecond a convolution and more for a product, in each
process; and its products of a hundred rows wait for weights that come from memory. These kernels are there at once, and
ask for the weights that they read next while they multiply. They are in use where the processor has fused vectors.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...backend import engines
from ...backend.memory import usual_pages
from ...backend.threads import team
from ...core.forks import unforked
from . import native

PANELS = "panels"
MATRIX, FILTERS, TURNED, OWN, ROWS = range(5)
"""How a weight lies, as `_panels.h` counts it: a matrix [k, n]; filters [o, c, h, w]; filters as a gradient of images
wants them, where strides are those of the convolution that it is taken of; filters of a channel each [c, 1, h, w]; a
matrix [n, k] that is read by its rows."""
INSIDE = {"": 0, "relu": 1, "hard_swish": 2}
"""What may follow in the same pass, as `_panels.h` counts it."""

Pair = tuple[int, ...]  # of numbers, for the two dimensions of images


_CHANNELS = 32  # of filters and channels, with fewer of which tiles save nothing
_TILES = 16  # with fewer of all images together what is brought over and back for them costs more than they save


class Windows(NamedTuple):
    """Where the windows of filters lie: padding before and behind, in each dimension of images."""

    strides: Pair = (1, 1)
    begin: Pair = (0, 0)
    end: Pair = (0, 0)
    dilations: Pair = (1, 1)


OF_MATRIX = Windows()


def _is_there() -> bool:
    return native.module is not None and native.module.has_fast_panels()


engines.add(PANELS, is_ready=_is_there)


def side_by_side(images: np.ndarray) -> np.ndarray:
    """Images with their channels side by side, one behind the other."""
    assert native.module is not None
    n, c, h, w = images.shape
    turned = native.module.turned_matrices(images.reshape(n, c, h * w)) if images.flags.c_contiguous else NotImplemented
    if turned is not NotImplemented:
        return turned.reshape(n, h, w, c).transpose(0, 3, 1, 2)
    return np.ascontiguousarray(images.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)


def _room(size: int) -> np.ndarray:
    return np.empty(size, np.uint8)


def pack(array: np.ndarray, factors: Any, bias: Any, known: tuple, kind: int = MATRIX, windows: Windows = OF_MATRIX,
         activation: str = "") -> Any:
    """A function of x, weight, scale (not for a matrix), bias and a residual that multiplies by what is packed here.

    It gives None unless it is given the weight, scale and bias that are `known`, and where operands lie otherwise than
    it wants them. None for a weight that is not taken.
    """
    assert native.module is not None
    return native.module.pack_weight(np.ascontiguousarray(array), factors, bias, _room, known, kind, *windows,
                                     INSIDE[activation], *team())


def multiply(x: np.ndarray, w: np.ndarray, bias: Any = None, residual: Any = None, kind: int = MATRIX,
             windows: Windows = OF_MATRIX, activation: str = "", scale: Any = None) -> Any:
    """What `pack`'s function gives, the same bits, of a weight that is not kept; None for what is not taken."""
    assert native.module is not None
    return native.module.multiply_weight(x, np.ascontiguousarray(w), scale, bias, residual, kind, *windows,
                                         INSIDE[activation], *team())


def convolve(x: np.ndarray, w: np.ndarray, scale: Any, bias: Any, residual: Any, kind: int, windows: Windows,
             activation: str) -> Any:
    """The same of filters, with operands as the function of `pack` takes them."""
    return multiply(x, w, bias, residual, kind, windows, activation, scale)


def suit_tiles(filters: int, channels: int, kernel: Pair, windows: Windows, sizes: Pair) -> bool:
    """Whether `convolve_tiles` takes less time than panels, for results of such sizes.

    It is told nothing of how many images come together: an image's bits do not depend on the others.
    """
    assert native.module is not None
    return (kernel == (3, 3) and windows.strides == (1, 1) == windows.dilations
            and native.module.suit_tiles(filters, channels, math.prod(sizes)))


def convolve_tiles(x: np.ndarray, w: np.ndarray, kind: int, windows: Windows) -> Any:
    """A convolution with 3×3 filters in fewer multiplications; NotImplemented where it is not taken or not finite."""
    assert native.module is not None
    if x.strides[1] != x.itemsize:
        x = side_by_side(x)
    return native.module.convolve_tiles(x, np.ascontiguousarray(w), kind, windows.begin, windows.end)


def gradient_of_filters(x: np.ndarray, g: np.ndarray, kernel: Pair, windows: Windows) -> Any:
    """The gradient [o, c, *kernel] of filters whose result has the gradient `g`; NotImplemented for what it leaves."""
    assert native.module is not None
    return native.module.filter_gradient(x, g, kernel, windows.strides, windows.begin, windows.dilations)


def suit_filter_tiles(filters: int, channels: int, kernel: Pair, windows: Windows, images: int, sizes: Pair) -> bool:
    """Whether `gradient_of_filters` takes less time by tiles, of which those at an edge may be half empty."""
    tiles = math.prod([(size + 1) // 2 for size in sizes])
    products = math.prod([3 * size - 2 for size in sizes])  # of an image, without those of the padding
    return (kernel == (3, 3) and windows.strides == (1, 1) == windows.dilations and images * tiles >= _TILES
            and min(filters, channels) >= _CHANNELS and products >= 1.4 * 16 * tiles)


def gradient_by_tiles(x: np.ndarray, g: np.ndarray, windows: Windows) -> Any:
    """The gradient of 3×3 filters in fewer multiplications; NotImplemented where it is not taken or not finite."""
    assert native.module is not None
    x, g = [images if images.strides[1] == images.itemsize else side_by_side(images) for images in (x, g)]
    return native.module.filter_gradient_tiles(x, g, windows.begin)


def multiply_turned(x: np.ndarray, y: np.ndarray) -> Any:
    """xᵀ·y of matrices that lie by rows; NotImplemented for what it leaves."""
    assert native.module is not None
    return native.module.turned_product(x, y)


def multiply_by_rows(x: np.ndarray, w: np.ndarray) -> Any:
    """x·wᵀ of matrices that lie by rows, few of them in x; NotImplemented for what it leaves."""
    assert native.module is not None
    return native.module.row_products(x, w)


def serve_products(find: Any) -> None:
    """Has the compiled form compute products by panels; `find` gives those that are kept of a matrix. None: no more."""
    if native.module is not None:
        native.module.serve_panels(find, *((0, (0, 0, 0)) if find is None else team()))


def attend(q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: Any, scale: float, causal: bool) -> Any:
    """softmax(scale * q · kᵀ + mask) · v of float32, and the logarithms of the sums; None for what is not taken."""
    assert native.module is not None
    return native.module.attend(q, k, v, mask, scale, causal, *team())


def gradients_of_attention(q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: Any, totals: np.ndarray, g: np.ndarray,
                           scale: float, causal: bool) -> Any:
    """Those of q, k and v, and None, of what `attend` gave; NotImplemented for what is not taken."""
    assert native.module is not None
    return native.module.attend_gradient(q, k, v, mask, totals, g, scale, causal)


def pack_to_keep(*arguments: Any) -> Any:
    """`pack` into memory that stays."""
    with unforked(), usual_pages():
        return pack(*arguments)
