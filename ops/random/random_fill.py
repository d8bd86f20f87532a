"""Values drawn from distributions into a tensor: exponential_, cauchy_, geometric_; each from uniform ones."""

import math
from typing import Any

from ..array.assign import shape
from ..math.elementwise import cast, dtype_of
from ..math.unary import ceil, log, tan
from .sampling import uniform

_TINY = 1e-38  # keeps log away from 0


def _uniform(x: Any) -> Any:
    sizes = list(x.shape)
    return uniform(shape(x) if -1 in sizes else sizes, dtype_of(x), 0.0, 1.0)


def exponential_(x: Any, lam: float = 1.0, name: str | None = None) -> Any:
    """Fills x, in place, from the exponential distribution of rate lam: the mean is 1 / lam."""
    return x._rebind(log((_uniform(x) * -1.0 + 1.0).clip(_TINY)) * (-1.0 / lam))


def cauchy_(x: Any, loc: float = 0, scale: float = 1, name: str | None = None) -> Any:
    """Fills x, in place, from the Cauchy distribution with the median `loc` and the width `scale`."""
    return x._rebind(tan((_uniform(x) - 0.5) * math.pi) * scale + loc)


def geometric_(x: Any, probs: Any, name: str | None = None) -> Any:
    """Fills x, in place, with the numbers of trials up to the first success, each of probability `probs`."""
    chance = float(probs) if isinstance(probs, (int, float)) else cast(probs, dtype_of(x))
    failing = math.log1p(-chance) if isinstance(chance, float) else log(chance * -1.0 + 1.0)
    return x._rebind(ceil(log((_uniform(x) * -1.0 + 1.0).clip(_TINY)) / failing).clip(1.0))
