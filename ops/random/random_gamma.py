"""Random values from the gamma distribution, and from Dirichlet's, which are shares of such."""

from typing import Any

from ..core.infer import same
from ..core.operator import operator
from ..core.trace import apply
from .sampling import generator


def _gamma(xp, x):
    return xp.asarray(generator(xp).standard_gamma(x.astype("float64"))).astype(x.dtype)


def _dirichlet(xp, alpha):
    drawn = xp.asarray(generator(xp).standard_gamma(alpha.astype("float64")))
    return (drawn / drawn.sum(-1, keepdims=True)).astype(alpha.dtype)


standard_gamma_op = operator("standard_gamma", "X -> Out", kernel=_gamma, infer=same, effects="random",
                             only_here=True)
dirichlet_op = operator("dirichlet", "Alpha -> Out", kernel=_dirichlet, infer=same, effects="random")


def dirichlet(alpha: Any) -> Any:
    """Shares that sum to 1 over the last dimension, drawn from the Dirichlet distribution of concentrations alpha."""
    return apply(dirichlet_op, alpha)
