"""Clipping the gradients that parameters hold, in place: clip_grad_norm_, clip_grad_value_."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ..core.dtype import float32, float64
from ..ops.array.concat_split import stack
from ..ops.array.creation import to_tensor
from ..ops.array.full import is_value
from ..ops.math.casting import cast
from ..ops.math.clip import clip
from ..ops.math.elementwise import minimum
from ..ops.math.reduce import max as largest
from ..ops.math.reduce import sum as total
from ..ops.math.statistics import norm
from ..ops.math.unary import sqrt
from ..ops.optim.merged import scale_all, total_square
from ..ops.optim.row_updates import holds_rows


def _held(parameters: Any) -> list[Any]:
    """The parameters that have a gradient."""
    given: Iterable[Any] = [parameters] if is_value(parameters) else parameters
    return [p for p in given if p.grad is not None]


def clip_grad_norm_(parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False) -> Any:
    """Scales the gradients of the parameters down so that their norm, of all together, is at most `max_norm`.

    `norm_type` is 0, 1, 2 or infinity. Gives the norm before, float64 where a gradient is, otherwise float32. A
    parameter that is listed twice counts twice and is scaled twice, as in PaddlePaddle. ValueError for another type;
    RuntimeError where `error_if_nonfinite` and the norm is not finite.

    >>> import proa as paddle
    >>> layer = paddle.nn.Linear(1, 1)
    >>> (layer(paddle.ones([1, 1])) * 3).sum().backward()
    >>> round(paddle.nn.utils.clip_grad_norm_(layer.parameters(), 1.0).item(), 4)
    4.2426
    >>> round(layer.bias.grad.item(), 4)
    0.7071
    """
    if norm_type not in (math.inf, "inf", 0, 1, 2):
        raise ValueError(f"clip_grad_norm_(norm_type): must be 0, 1, 2 or infinity. Received {norm_type!r}.")
    held = _held(parameters)
    if not held:
        return to_tensor(0.0)
    order = float(norm_type)
    gradients = [p.grad for p in held]
    once = len({id(p) for p in held}) == len(held)
    if order == 2 and once and all([g.dtype is float32 and not holds_rows(g) for g in gradients]):
        gradients = [g if g.stop_gradient else g.detach() for g in gradients]
        whole = sqrt(total_square(gradients))
        factor = _factor(whole, max_norm, norm_type, error_if_nonfinite)
        for p, scaled in zip(held, scale_all(gradients, factor), strict=True):
            p.grad = scaled
        return whole
    precision = float64 if any([g.dtype is float64 for g in gradients]) else float32
    norms = stack([cast(norm(g.detach().flatten(), order, 0), precision) for g in gradients])
    if order == math.inf:
        whole = largest(norms)
    else:
        whole = total(norms) if order == 0 else norm(norms, order)
    factor = _factor(whole, max_norm, norm_type, error_if_nonfinite)
    for p in held:
        p.grad = p.grad.detach() * cast(factor, p.grad.dtype)
    return whole


def _factor(whole: Any, max_norm: float, norm_type: float, error_if_nonfinite: bool) -> Any:
    if error_if_nonfinite and not math.isfinite(whole.item()):
        raise RuntimeError(f"clip_grad_norm_: the norm of order {norm_type} of the gradients is {whole.item()}. Pass "
                           "error_if_nonfinite=False to scale them all the same.")
    return minimum(float(max_norm) / (whole + 1e-6), 1.0)


def clip_grad_value_(parameters: Any, clip_value: float) -> None:
    """Brings each element of the gradients of the parameters between -clip_value and clip_value.

    >>> import proa as paddle
    >>> layer = paddle.nn.Linear(1, 1)
    >>> (layer(paddle.ones([1, 1])) * 3).sum().backward()
    >>> paddle.nn.utils.clip_grad_value_(layer.parameters(), 0.5)
    >>> layer.bias.grad.item()
    0.5
    """
    limit = float(clip_value)
    for p in _held(parameters):
        p.grad = clip(p.grad.detach(), -limit, limit)
