"""Inverse functions: erfinv, of the error function, and logit, of the sigmoid."""

import math
from typing import Any

from ...backend.engines import LOOPS
from ...backend.kernels import special as fast
from ..array.full import fill_zeros_like
from ..array.where import where_op
from ..core.infer import same
from ..core.kernels import by
from ..core.operator import operator
from ..core.trace import apply
from .casting import as_floating
from .erf import wide
from .unary import erf_op, exp

_NEWTON_STEPS = 3
_HALF_ROOT_PI = math.sqrt(math.pi) / 2
_WINITZKI = 0.147  # the constant of his approximation, from which Newton's steps start


def _erfinv(xp, x):
    x64 = wide(x, "erfinv(x)")
    inside = xp.abs(x64) < 1
    y = xp.where(inside, x64, 0.0)
    log = xp.log((1 - y) * (1 + y))
    half = 2 / (math.pi * _WINITZKI) + log / 2
    found = xp.copysign(xp.sqrt(xp.sqrt(half * half - log / _WINITZKI) - half), y)
    for _ in range(_NEWTON_STEPS):
        miss = (erf_op.kernel(xp, found) - y) * _HALF_ROOT_PI * xp.exp(found * found)
        found = found - miss / (1 + found * miss)
    ends = xp.where(xp.abs(x64) == 1, xp.copysign(xp.inf, x64), xp.nan)
    return xp.where(inside, found, ends).astype(x.dtype)


erfinv_op = operator("erfinv", "X -> Out", kernel=_erfinv, infer=same,
                     engines=[by(LOOPS, fast.erfinv, fast.LEAST)],
                     grad={"X": lambda g, Out: g * (exp(Out * Out) * _HALF_ROOT_PI)}, precision="black")


def _bounded(xp: Any, x: Any, eps: float) -> Any:
    return xp.clip(x, eps, 1 - eps) if eps else xp.where((x < 0) | (x > 1), xp.nan, x).astype(x.dtype)


def _logit(xp, x, *, eps: float = 1e-8):
    x = _bounded(xp, x, eps)
    return xp.log(x / (1 - x))


def _logit_gradient(g: Any, x: Any, eps: float) -> Any:
    inside = (x >= eps) & (x <= 1.0 - eps)
    none = apply(fill_zeros_like, x)
    safe = apply(where_op, inside, x, none + 0.5)
    outside = apply(where_op, x == x, none, x) if eps else none + math.nan
    return apply(where_op, inside, g / (safe * (safe * -1.0 + 1.0)), outside)


logit_op = operator("logit", "X -> Out", kernel=_logit, infer=same, holomorphic=True,
                    grad={"X": lambda g, X, eps: _logit_gradient(g, X, eps)}, unsaid={"eps": 1e-6})


def erfinv(x: Any, name: str | None = None) -> Any:
    """The y whose erf(y) is x: infinite at ±1, NaN outside.

    >>> import proa as paddle
    >>> [round(value, 4) for value in paddle.erfinv(paddle.to_tensor([0.0, 0.5])).tolist()]
    [0.0, 0.4769]
    """
    return apply(erfinv_op, as_floating(x))


def logit(x: Any, eps: float | None = None, name: str | None = None) -> Any:
    """log(x / (1 - x)); x is kept within eps … 1 - eps first, or NaN outside 0 … 1 without eps.

    >>> import proa as paddle
    >>> paddle.logit(paddle.to_tensor([0.5])).tolist()
    [0.0]
    """
    return apply(logit_op, as_floating(x), eps=0.0 if eps is None else float(eps))
