"""`paddle.distribution`: probability distributions, transforms of them, and their divergence."""

from ..core.absent import asked_of
from . import constraint, kl, transform, variable
from .base import Distribution, ExponentialFamily, kl_divergence, register_kl
from .bernoulli import Bernoulli, Geometric
from .categorical import Categorical, Multinomial
from .dirichlet import Beta, Dirichlet
from .location import Cauchy, Gumbel, Laplace
from .normal import LogNormal, Normal
from .transform_groups import IndependentTransform, ReshapeTransform, StackTransform
from .transformed import ChainTransform, Independent, Transform, TransformedDistribution
from .transforms import (
    AbsTransform,
    AffineTransform,
    ExpTransform,
    PowerTransform,
    SigmoidTransform,
    SoftmaxTransform,
    StickBreakingTransform,
    TanhTransform,
)
from .uniform import Uniform

__all__ = [
    "AbsTransform", "AffineTransform", "Bernoulli", "Beta", "Categorical", "Cauchy", "ChainTransform", "Dirichlet",
    "Distribution", "ExpTransform", "ExponentialFamily", "Geometric", "Gumbel", "Independent", "IndependentTransform",
    "Laplace", "LogNormal", "Multinomial", "Normal", "PowerTransform", "ReshapeTransform", "SigmoidTransform",
    "SoftmaxTransform", "StackTransform", "StickBreakingTransform", "TanhTransform", "Transform",
    "TransformedDistribution", "Uniform", "kl_divergence", "register_kl",
]
__getattr__ = asked_of(__name__)
