"""`flow.special`: functions of mathematics by the names that SciPy has for them."""

from .functions.reductions import log_softmax, logsumexp, softmax
from .functions.single import digamma, erf, erfc, erfinv, exp2, expm1, log1p, polygamma, round

__all__ = [
    "digamma", "erf", "erfc", "erfinv", "exp2", "expm1", "log1p", "log_softmax", "logsumexp", "polygamma", "round",
    "softmax",
]
