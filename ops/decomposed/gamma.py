"""gammaincc, which files of PaddlePaddle 3 have: the upper part of the gamma function's integral."""

from typing import Any

import numpy as np

from ..array.full import constant
from ..array.reshape import unsqueeze
from ..array.where import where
from ..core.decomposition import decomposition
from ..math.casting import cast, dtype_of
from ..math.comparison import logical_and, logical_or
from ..math.cumulative import cumprod
from ..math.gamma import lgamma
from ..math.reduce import sum as reduce_sum
from ..math.unary import exp, expm1, log, log1p, logical_not, sqrt

_STEPS = np.arange(-3.6, 4.25, 0.1)
_PLACES = np.exp(_STEPS - np.exp(-_STEPS))  # where an integrand is taken that falls as exp(-t) from 0 on
_WEIGHTS = _PLACES * (1 + np.exp(-_STEPS)) * 0.1
_TERMS = np.arange(1.0, 61.0)
_FEW = 8.0  # the series has enough terms for orders below this


@decomposition("gammaincc", "x, y -> out")
def _gammaincc(x: Any, y: Any) -> Any:
    """The integral of t^(x - 1) exp(-t) from y on, over Γ(x); 1 where x or y is not above 0.

    From y on t = y (1 + v), where y >= x + 1; elsewhere it is 1 minus the integral up to y, with t = y exp(-v). Both
    are y^x exp(-y) / Γ(x) times an integral of what falls from 1 on, taken by the double exponential rule of Takahasi
    and Mori (1974); of small x the one up to y is the series of rising powers. In float64, to 1e-12 for x up to 1000;
    some ten arrays of 79 numbers for each element.
    """
    none = logical_or(x <= 0, y <= 0)
    order, bound = (where(none, 1.0, cast(value, "float64")) for value in (x, y))
    above = bound >= order + 1
    few = logical_and(order < _FEW, logical_not(above))
    slope = where(above, bound - order, order - bound) + 1
    width = 2 / (slope + sqrt(slope * slope + 2 * where(above, order, bound)))
    n, b, v = unsqueeze(order, -1), unsqueeze(bound, -1), unsqueeze(width, -1) * constant(_PLACES)
    height = where(unsqueeze(above, -1), (n - 1) * log1p(v) - b * v, b * -expm1(-v) - n * v)
    integral = reduce_sum(exp(height) * constant(_WEIGHTS), -1) * width
    ratios = unsqueeze(where(few, bound, order), -1) / (n + constant(_TERMS))
    series = (reduce_sum(cumprod(ratios, -1), -1) + 1) / order
    part = exp(order * log(bound) - bound - lgamma(order)) * where(few, series, integral)
    return cast(where(none, 1.0, where(above, part, 1 - part)), dtype_of(y))
