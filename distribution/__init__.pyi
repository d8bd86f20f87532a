"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.distribution`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from . import constraint as constraint, kl as kl, transform as transform, variable as variable
from proa.distribution.base import Distribution as Distribution, ExponentialFamily as ExponentialFamily, kl_divergence as kl_divergence, register_kl as register_kl
from proa.distribution.bernoulli import Bernoulli as Bernoulli, Geometric as Geometric
from proa.distribution.categorical import Categorical as Categorical, Multinomial as Multinomial
from proa.distribution.dirichlet import Beta as Beta, Dirichlet as Dirichlet
from proa.distribution.location import Cauchy as Cauchy, Gumbel as Gumbel, Laplace as Laplace
from proa.distribution.normal import LogNormal as LogNormal, Normal as Normal
from proa.distribution.transform_groups import IndependentTransform as IndependentTransform, ReshapeTransform as ReshapeTransform, StackTransform as StackTransform
from proa.distribution.transformed import ChainTransform as ChainTransform, Independent as Independent, Transform as Transform, TransformedDistribution as TransformedDistribution
from proa.distribution.transforms import AbsTransform as AbsTransform, AffineTransform as AffineTransform, ExpTransform as ExpTransform, PowerTransform as PowerTransform, SigmoidTransform as SigmoidTransform, SoftmaxTransform as SoftmaxTransform, StickBreakingTransform as StickBreakingTransform, TanhTransform as TanhTransform
from proa.distribution.uniform import Uniform as Uniform

