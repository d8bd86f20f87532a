"""Row convolution: each step of a sequence with the steps that follow it."""

from typing import Any

from ..array.rearrange import flip
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply


def _parts(steps: int, context: int) -> list[tuple[int, int]]:
    """How many steps each row of the filter looks ahead, and how many steps have one there."""
    return [(k, steps - k) for k in range(min(context, steps))]


def _row_conv(xp, x, w):
    result = xp.zeros_like(x)
    for k, count in _parts(x.shape[1], w.shape[0]):
        result[:, :count] += x[:, k:] * w[k]
    return result


def _infer(x, w):
    if x.rank != 3 or w.rank != 2 or (x.shape[2] >= 0 and x.shape[2] != w.shape[1]):
        raise ValueError(f"row_conv(input): must be [N, T, D] with D = {w.shape[-1]}, the filter's width. "
                         f"Received {list(x.shape)}; sequences of several lengths are padded first.")
    return x


def _filter_gradient(xp, x, g, like):
    result = xp.zeros_like(like)
    for k, count in _parts(x.shape[1], like.shape[0]):
        result[k] = (x[:, k:] * g[:, :count]).sum((0, 1))
    return result


def _back(g: Any, w: Any) -> Any:
    """The gradient with respect to the input: each step's goes to the steps after it."""
    return flip(apply(row_conv_op, flip(g, 1), w), 1)


row_conv_op = operator("row_conv", "X, Filter -> Out", kernel=_row_conv, infer=_infer, grad={
    "X": lambda g, Filter: _back(g, Filter), "Filter": lambda g, X, Filter: apply(filter_gradient_op, X, g, Filter)})

filter_gradient_op = operator(
    "row_conv_filter_gradient", "X, G, Like -> Out", kernel=_filter_gradient,
    infer=lambda x, g, like: Spec(like.shape, x.dtype),
    grad={"X": lambda g, G: _back(G, g), "G": lambda g, X: apply(row_conv_op, X, g)}, only_here=True)
