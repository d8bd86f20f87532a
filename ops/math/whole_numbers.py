"""Quotients, remainders and powers of integers, which no integer stands for everywhere, as functions of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.errors import WholeDivisionError


def refusing_zero(name: str) -> Callable[[Any], Callable]:
    """A function named in `xp` that refuses to divide integers by 0: for NumPy that is 0, and nothing is told."""
    def of(xp: Any) -> Callable:
        function: Callable = getattr(xp, name)
        return function if xp is not np else lambda x, y: function(x, _without_zeros(x, y))

    return of


def _without_zeros(x: Any, y: Any) -> Any:
    """The divisors; on other devices nobody looks at them, as that would wait for all that was begun there."""
    if y.dtype.kind in "iu" and x.size and y.size and not y.all():
        where = f"0 at {tuple(map(int, np.argwhere(y == 0)[0]))} of shape {list(y.shape)}" if y.ndim else "0"
        raise WholeDivisionError(
            f"an integer is divided by 0. Received y: {where}, dtype {y.dtype}. Divide by something else there, "
            "x // paddle.where(y == 0, paddle.ones_like(y), y), or divide floats.")
    return y


def cut_quotient(xp: Any, x: Any, y: Any) -> Any:
    """The quotient of integers cut towards zero, as files and Paddle 1.x have it."""
    below = xp.floor_divide(x, _without_zeros(x, y) if xp is np else y)
    return below + ((below < 0) & (below * y != x)).astype(below.dtype)


def whole_power(xp: Any, x: Any, y: Any) -> Any:
    """x to the power of y, which may be negative: the whole part of the fraction."""
    below = y < 0
    if not below.any():
        return xp.power(x, y)
    of_one = x * (xp.abs(x) == 1)  # of any other number nothing whole is left
    return xp.power(xp.where(below, of_one, x), xp.abs(y))
