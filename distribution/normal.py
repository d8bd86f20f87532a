"""Normal, and LogNormal, which is its exponential."""

from __future__ import annotations

import math
from typing import Any

from ..ops.math.unary import exp, expm1, log
from ..ops.random.sampling import gaussian
from .base import Distribution, as_parameters
from .transformed import TransformedDistribution
from .transforms import ExpTransform

_HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)


class Normal(Distribution):
    """The normal distribution of mean `loc` and standard deviation `scale`.

    >>> import proa as paddle
    >>> normal = paddle.distribution.Normal(0.0, 1.0)
    >>> round(float(normal.log_prob(paddle.to_tensor(0.0))), 4)
    -0.9189
    """

    def __init__(self, loc: Any, scale: Any, name: str | None = None):
        self.loc, self.scale = as_parameters(loc, scale)
        self.name, self._dtype = name or "Normal", self.loc.dtype
        self._shaped_as(self.loc)

    @property
    def mean(self) -> Any:
        """loc."""
        return self.loc

    @property
    def variance(self) -> Any:
        """scale²."""
        return self.scale * self.scale

    @property
    def stddev(self) -> Any:
        """scale."""
        return self.scale

    def sample(self, shape: Any = (), seed: int = 0) -> Any:
        """Values drawn at random: loc + scale · ε, with gradients with respect to both, which policies rely on."""
        return self._drawn(shape, seed)

    def rsample(self, shape: Any = ()) -> Any:
        """Values drawn at random: loc + scale · ε, with gradients with respect to both."""
        return self._drawn(shape, 0)

    def _drawn(self, shape: Any, seed: int) -> Any:
        return self.loc + self.scale * gaussian(self._sample_shape(shape), seed=seed, dtype=self._dtype)

    def entropy(self) -> Any:
        """½ + ½ log 2π + log scale."""
        return log(self.scale) + (0.5 + _HALF_LOG_2PI)

    def log_prob(self, value: Any) -> Any:
        """-(x - loc)² / 2scale² - log scale - ½ log 2π."""
        centered = (self._like(value) - self.loc) / self.scale
        return centered * centered * -0.5 - log(self.scale) - _HALF_LOG_2PI


class LogNormal(TransformedDistribution):
    """The distribution of eˣ, where x is normal of mean `loc` and standard deviation `scale`.

    >>> import proa as paddle
    >>> from proa import distribution as D
    >>> round(D.LogNormal(paddle.to_tensor(0.0), paddle.to_tensor(1.0)).mean.item(), 3)
    1.649
    """

    def __init__(self, loc: Any, scale: Any):
        self._base = Normal(loc, scale)
        self.loc, self.scale = self._base.loc, self._base.scale
        super().__init__(self._base, [ExpTransform()])

    @property
    def mean(self) -> Any:
        """e^(loc + scale² / 2)."""
        return exp(self.loc + self.scale * self.scale / 2)

    @property
    def variance(self) -> Any:
        """(e^scale² - 1) · e^(2loc + scale²)."""
        square = self.scale * self.scale
        return expm1(square) * exp(self.loc * 2.0 + square)

    def entropy(self) -> Any:
        """The normal one's, plus loc."""
        return self._base.entropy() + self.loc
