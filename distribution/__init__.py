"""`paddle.distribution`: probability distributions, transforms of them, and their divergence."""

from .base import Distribution, ExponentialFamily
from .bernoulli import Bernoulli, Geometric
from .categorical import Categorical, Multinomial
from .dirichlet import Beta, Dirichlet
from .kl import kl_divergence, register_kl
from .location import Cauchy, Gumbel, Laplace
from .normal import LogNormal, Normal
from .transform_groups import ChainTransform, IndependentTransform, ReshapeTransform, StackTransform
from .transformed import Independent, TransformedDistribution
from .transforms import (
    AbsTransform,
    AffineTransform,
    ExpTransform,
    PowerTransform,
    SigmoidTransform,
    SoftmaxTransform,
    StickBreakingTransform,
    TanhTransform,
    Transform,
)
from .uniform import Uniform

__all__ = [
    "AbsTransform", "AffineTransform", "Bernoulli", "Beta", "Categorical", "Cauchy", "ChainTransform", "Dirichlet",
    "Distribution", "ExpTransform", "ExponentialFamily", "Geometric", "Gumbel", "Independent", "IndependentTransform",
    "Laplace", "LogNormal", "Multinomial", "Normal", "PowerTransform", "ReshapeTransform", "SigmoidTransform",
    "SoftmaxTransform", "StackTransform", "StickBreakingTransform", "TanhTransform", "Transform",
    "TransformedDistribution", "Uniform", "kl_divergence", "register_kl",
]
