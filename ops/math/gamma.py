"""The gamma function's family: lgamma, digamma, polygamma, by recurrence upwards and series for large arguments.

Kernels compute in float64 and round; they are exact to a few units of its last place away from roots and poles.
"""

import math
from typing import Any

from ...backend.engines import LOOPS
from ...backend.kernels import special as fast
from ..array.concat_split import stack
from ..core.infer import same
from ..core.kernels import by
from ..core.operator import operator
from ..core.trace import apply
from .casting import as_floating
from .erf import wide
from .reduce import sum as reduce_sum

_FEW = 256
_SHIFT = 10  # arguments below this go up by as many steps
_LOWEST = -200.0  # the polygamma function is computed down to here, step by step
_LARGEST_FACTORIAL = 170  # of float64
_BERNOULLI = [1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510]  # B2, B4, …


def _raised(xp: Any, x: Any, term: Any, below: int = 0) -> tuple[Any, Any]:
    """x, above -below, moved to at least `_SHIFT`, and the sum of term(x + k) over the steps that it took."""
    if x.size <= _FEW:  # all steps at once: fewer calls
        steps = x[..., None] + xp.arange(_SHIFT + below)
        small = steps < _SHIFT
        return x + small.sum(-1), xp.where(small, term(xp.where(small, steps, 1.0)), 0.0).sum(-1)
    total = xp.zeros_like(x)
    for _ in range(_SHIFT + below):
        small = x < _SHIFT
        total = total + xp.where(small, term(xp.where(small, x, 1.0)), 0.0)
        x = xp.where(small, x + 1, x)
    return x, total


def _lgamma(xp: Any, x: Any) -> Any:
    x64 = wide(x, "lgamma(x)")
    mirrored = x64 < 0.5
    finite = xp.where(xp.isinf(x64), 1.0, x64)
    positive, logs = _raised(xp, xp.where(mirrored, 1 - finite, finite), xp.log)
    series = sum(b / (2 * k * (2 * k - 1) * positive ** (2 * k - 1)) for k, b in enumerate(_BERNOULLI, 1))
    found = (positive - 0.5) * xp.log(positive) - positive + 0.5 * math.log(2 * math.pi) + series - logs
    part = finite - xp.rint(finite)
    sine = xp.abs(xp.sin(math.pi * xp.where(mirrored & (part != 0), part, 0.5)))
    found = xp.where(mirrored, math.log(math.pi) - xp.log(sine) - found, found)
    return xp.where(xp.isinf(x64) | (x64 <= 0) & (part == 0), xp.inf, found).astype(x.dtype)


def _digamma(xp: Any, x: Any) -> Any:
    x64 = wide(x, "digamma(x)")
    mirrored = x64 < 0.5
    positive, inverses = _raised(xp, xp.where(mirrored, 1 - x64, x64), lambda v: 1 / v)
    series = sum(b / (2 * k * positive ** (2 * k)) for k, b in enumerate(_BERNOULLI, 1))
    found = xp.log(positive) - 0.5 / positive - series - inverses
    part = x64 - xp.rint(x64)
    found = xp.where(mirrored, found - math.pi / xp.tan(math.pi * xp.where(part != 0, part, 0.5)), found)
    return xp.where((x64 <= 0) & (part == 0), xp.nan, found).astype(x.dtype)


def _zeta(xp: Any, s: int, x: Any) -> Any:
    """The Hurwitz zeta function, the sum of 1 / (x + k)**s, for x above `_LOWEST` (Euler and Maclaurin's sum)."""
    below = max(0, -math.floor(float(x.min()))) if x.size else 0
    large, total = _raised(xp, x, lambda v: v ** -float(s), below)
    total = total + large ** (1.0 - s) / (s - 1) + 0.5 * large ** -float(s)
    factor = s / 2.0
    for k, b in enumerate(_BERNOULLI, 1):
        total = total + b * factor * large ** (1.0 - s - 2 * k)
        factor *= (s + 2 * k - 1) * (s + 2 * k) / ((2 * k + 1) * (2 * k + 2))
    return total


def _check_order(n: int) -> None:
    if n < 0:
        raise ValueError(f"polygamma(n): must be at least 0. Received {n}.")


def _infer_polygamma(x: Any, *, n: int) -> Any:
    _check_order(n)
    return x


def _polygamma(xp: Any, x: Any, *, n: int) -> Any:
    _check_order(n)
    if n == 0:
        return _digamma(xp, x)
    x64 = wide(x, "polygamma(x, n)")
    is_pole = (x64 <= 0) & (x64 == xp.floor(x64))
    computed = (x64 > _LOWEST) & ~is_pole
    factorial = math.factorial(n) if n <= _LARGEST_FACTORIAL else math.inf
    found = (-1.0) ** (n + 1) * factorial * _zeta(xp, n + 1, xp.where(computed, x64, 1.0))
    return xp.where(computed, found, xp.where(is_pole, xp.inf, xp.nan)).astype(x.dtype)


polygamma_op = operator("polygamma", "x -> out", kernel=_polygamma, infer=_infer_polygamma,
                        grad={"x": lambda g, x, n: g * apply(polygamma_op, x, n=n + 1)})
digamma_op = operator("digamma", "X -> Out", kernel=_digamma, infer=same,
                      engines=[by(LOOPS, fast.digamma, fast.LEAST)],
                      grad={"X": lambda g, X: g * apply(polygamma_op, X, n=1)})
lgamma_op = operator("lgamma", "X -> Out", kernel=_lgamma, infer=same,
                     engines=[by(LOOPS, fast.lgamma, fast.LEAST)],
                     grad={"X": lambda g, X: g * apply(digamma_op, X)})


def lgamma(x: Any, name: str | None = None) -> Any:
    """log |Γ(x)|, infinite at 0, -1, -2, …

    >>> import proa as paddle
    >>> [round(value, 4) for value in paddle.lgamma(paddle.to_tensor([3.0, 5.0])).tolist()]
    [0.6931, 3.1781]
    """
    return apply(lgamma_op, as_floating(x))


def digamma(x: Any, name: str | None = None) -> Any:
    """ψ(x) = Γ'(x) / Γ(x), NaN at 0, -1, -2, …

    >>> import proa as paddle
    >>> x = paddle.to_tensor([1.0, 2.0], "float64")
    >>> paddle.digamma(x).numpy().round(3).tolist()
    [-0.577, 0.423]
    """
    return apply(digamma_op, as_floating(x))


def polygamma(x: Any, n: int, name: str | None = None) -> Any:
    """The derivative of order n of the digamma function; for n above 0 of x above -200, NaN below.

    Raises TypeError unless n is an int, and ValueError where it is negative.

    >>> import proa as paddle
    >>> paddle.polygamma(paddle.to_tensor([1.0, 2.0], "float64"), 1).numpy().round(3).tolist()
    [1.645, 0.645]
    """
    if not isinstance(n, int):
        raise TypeError(f"polygamma(n): must be an int. Received {type(n).__name__}.")
    _check_order(n)
    return digamma(x) if n == 0 else apply(polygamma_op, as_floating(x), n=n)


def multigammaln(x: Any, p: float, name: str | None = None) -> Any:
    """log of the multivariate gamma function of dimension p: p(p-1)/4·log π + Σ lgamma(x + (1-j)/2), j = 1 … p.

    For a p between two whole numbers there are as many terms as for the larger, the least of them lgamma(x + (1-p)/2).

    >>> import proa as paddle
    >>> paddle.multigammaln(paddle.to_tensor([3.0], "float64"), 2).numpy().round(3).tolist()
    [1.55]
    """
    if p < 1:
        raise ValueError(f"multigammaln(p): must be at least 1. Received {p}.")
    p = float(p)
    count = math.ceil(p)
    terms = [lgamma(x + (count - p - j) / 2) for j in range(count)]
    return reduce_sum(stack(terms), 0) + p * (p - 1) / 4 * math.log(math.pi)
