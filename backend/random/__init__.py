"""Random numbers as C++'s standard library makes them of 64-bit words (libstdc++), for arrays of NumPy.

Each function takes words from an engine (`core/mersenne_twister.py`), as many as the library would and in its order, so
that what is drawn next follows as it does there. What is computed of them is the same in every bit whether a generated
loop does it or NumPy. Knows nothing of operators.
"""

from .exponential import exponential, gumbel
from .gamma import gamma
from .integers import integers, permutation
from .multinomial import multinomial
from .normal import normal
from .poisson import poisson
from .truncated import truncated_normal
from .uniform import F32, F64, uniform
from .words import advance

__all__ = ["F32", "F64", "advance", "exponential", "gamma", "gumbel", "integers", "multinomial", "normal",
           "permutation", "poisson", "truncated_normal", "uniform"]
