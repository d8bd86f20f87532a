"""Normalization by summaries of the data seen so far, and the mask of the slots that hold nothing."""

from typing import Any

from ..array.gradient_shapes import sum_to
from ..array.reshape import shape_handle
from ..core.infer import promoting, same
from ..core.operator import operator
from ..core.trace import apply
from ..math.elementwise import multiply
from ..math.unary import sqrt

_NOTHING = 1e-7


def _slots_shown(xp, x, *, slot_dim: int = -1):
    if slot_dim <= 0:
        return xp.ones_like(x)
    shown = (abs(x[:, ::slot_dim]) >= _NOTHING).astype(x.dtype)
    return xp.repeat(shown, slot_dim, axis=1)[:, :x.shape[1]]


slots_shown_op = operator("slots_shown", "X -> Out", kernel=_slots_shown, infer=same, only_here=True)
"""1 for the elements of the slots whose first element, a count, is not 0; slots are `slot_dim` wide."""


def _data_norm(xp, x, size, total, squares, scale_w=None, bias=None, *, epsilon: float = 1e-5, slot_dim: int = -1,
               summary_decay_rate: float = 0.9999999, sync_stats: bool = False, data_layout: str = "NCHW",
               enable_scale_and_shift: bool = False):
    means, scales = total / size, xp.sqrt(size / squares)
    y = (x - means) * scales
    if scale_w is not None:
        y = y * scale_w + bias
    return (y if slot_dim <= 0 else y * _slots_shown(xp, x, slot_dim=slot_dim)), means, scales


def _infer(x, size, total, squares, scale_w=None, bias=None, **_):
    if x.rank != 2 or (x.shape[1] >= 0 and x.shape[1] != size.shape[0]):
        raise ValueError(f"data_norm(input): must be [N, {size.shape[0]}], as wide as the summaries. "
                         f"Received {list(x.shape)}.")
    return x, size, size


def _shown(g: Any, x: Any, slot_dim: int) -> Any:
    return g if slot_dim <= 0 else multiply(g, apply(slots_shown_op, x, slot_dim=slot_dim))


def _scales(size: Any, squares: Any) -> Any:
    return sqrt(size / squares)


def _by_input(g, X, BatchSize, BatchSquareSum, scale_w, slot_dim):
    result = multiply(_shown(g, X, slot_dim), _scales(BatchSize, BatchSquareSum))
    return result if scale_w is None else multiply(result, scale_w)


def _by_scale(g, X, BatchSize, BatchSum, BatchSquareSum, scale_w, slot_dim):
    normal = multiply(X - BatchSum / BatchSize, _scales(BatchSize, BatchSquareSum))
    return sum_to(multiply(_shown(g, X, slot_dim), normal), shape_handle(scale_w))


data_norm_op = operator(
    "data_norm", "X, BatchSize, BatchSum, BatchSquareSum, scale_w?, bias? -> Y, Means&, Scales&", kernel=_data_norm,
    infer=promoting(_infer), grad={
        "X": _by_input, "scale_w": _by_scale,
        "bias": lambda g, X, bias_shape, slot_dim: sum_to(_shown(g, X, slot_dim), bias_shape)}, lod="first",
    unsaid={"epsilon": 1e-4})
