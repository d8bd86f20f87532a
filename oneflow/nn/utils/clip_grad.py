"""clip_grad_norm_ and clip_grad_value_."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ....ops.array import full
from ....ops.array.concat_split import stack
from ....ops.array.full import is_value
from ....ops.core.trace import state
from ....ops.math import casting, elementwise, reduce, statistics, unary
from ....ops.math import clip as clipping
from ..module import unrecorded


def _graded(parameters: Any) -> list[tuple[Any, Any]]:
    given: Iterable[Any] = [parameters] if is_value(parameters) else parameters
    pairs = [(p, p.grad) for p in given]
    return [(p, g) for p, g in pairs if g is not None]


@unrecorded
def clip_grad_norm_(parameters: Any, max_norm: float, norm_type: float = 2.0,
                    error_if_nonfinite: bool = False) -> Any:
    """Scales the gradients of parameters so that their norm, of all together, is at most `max_norm`; gives the norm.

    >>> import proa.oneflow as flow
    >>> x = flow.ones(4, requires_grad=True)
    >>> (x * 3).sum().backward()
    >>> flow.nn.utils.clip_grad_norm_(x, 1.0).item(), x.grad.norm().item() < 1.0
    (6.0, True)
    """
    pairs = _graded(parameters)
    if not pairs:
        return full.zeros([])
    if float(norm_type) == math.inf:
        total = reduce.max(stack([reduce.max(unary.abs(g)) for _, g in pairs]))
    else:
        total = statistics.norm(stack([statistics.norm(g, norm_type) for _, g in pairs]), norm_type)
    if error_if_nonfinite and state.trace.computes and not math.isfinite(float(total)):
        raise RuntimeError(f"clip_grad_norm_: the norm of the gradients is {float(total)}. Leave error_if_nonfinite "
                           "out to scale them by it.")
    factor = clipping.clip(elementwise.divide(full.full([], float(max_norm), total.dtype),
                                              elementwise.add(total, 1e-6)), max=1.0)
    for parameter, gradient in pairs:
        parameter.grad = elementwise.multiply(gradient, casting.in_dtype(factor, gradient.dtype))
    return total


@unrecorded
def clip_grad_value_(parameters: Any, clip_value: float) -> None:
    """Brings each element of the gradients of parameters between -clip_value and clip_value."""
    for parameter, gradient in _graded(parameters):
        parameter.grad = clipping.clip(gradient, -float(clip_value), float(clip_value))
