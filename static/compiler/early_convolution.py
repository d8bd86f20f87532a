"""Convolutions of a compiled plan before code is made for their sizes: by a function in C that takes any.

For each size of images oneDNN makes code, half a millisecond a convolution, and its library takes 20 to 40 MB. A size
that comes once or twice is computed without, where that is little work (`ops/core/_convolution.c`): a small model whose
sizes all are so needs no oneDNN at all.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...backend import onednn
from ...backend.loops.kernel import is_at_once
from ...backend.memory import keep_freed
from ...ops.core import native
from ...ops.core.operator import find
from ...ops.nn.conv import conv_geometry
from .frozen_weight import FrozenWeight
from .packed_panels import INSIDE

_MOST_PRODUCTS = 1 << 24  # of a convolution: oneDNN's making of code takes as long as it saves in two of so many
_MOST_BY_CHANNEL = 1 << 22  # the same where each channel has a filter of its own; twice as many before it is loaded
_MOST_WEIGHTS = 1 << 18  # of a filter, which is brought into another order in each call
_CHANNELS_FIRST, _CHANNELS_LAST = (0, 3, 1, 2), (0, 2, 3, 1)


def early_convolution(x: np.ndarray, w: Any, scale: Any, bias: Any, residual: Any, activation: str,
                      is_early: Callable[[], bool], windows: tuple, groups: int) -> Any:
    """activation(conv(x, w * scale) + bias + residual) of float32 images, channels last; NotImplemented otherwise.

    `is_early` is asked, and counts, where the function in C could compute it; `windows`: what `conv_geometry` takes.
    """
    if native.module is None or x.ndim != 4 or w.size > _MOST_WEIGHTS or is_at_once():
        return NotImplemented
    filters, channels = w.shape[:2]
    if channels * groups != x.shape[1] or groups != 1 and not (channels == 1 and filters == groups):
        return NotImplemented
    geo = conv_geometry(x, w, *windows)
    most = _MOST_PRODUCTS if groups == 1 else _MOST_BY_CHANNEL
    if not 0 < len(x) * math.prod(geo.out) * w.size <= most << (not onednn.is_loaded()):
        return NotImplemented
    if residual is not None and residual.shape != (len(x), filters, *geo.out) or not is_early():
        return NotImplemented
    keep_freed()
    begin = geo.pads[0][0], geo.pads[1][0]
    images, added = side_by_side(x), None if residual is None else side_by_side(residual)
    inside = INSIDE.get(activation, 0)

    with w.lent(scale) if type(w) is FrozenWeight else contextlib.nullcontext((w, scale)) as (array, left):
        result = native.module.convolve(images, array, left, bias, added, geo.strides, begin, geo.dilations, geo.out,
                                        inside)
    if result is NotImplemented or inside or not activation:
        return result
    return find(activation).kernel(np, result)


def side_by_side(images: np.ndarray) -> np.ndarray:
    """Images with their channels side by side, one behind the other."""
    return np.ascontiguousarray(images.transpose(_CHANNELS_LAST)).transpose(_CHANNELS_FIRST)
