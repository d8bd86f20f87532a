"""Distributions around a place: Laplace, Cauchy, Gumbel."""

from __future__ import annotations

import math
from typing import Any

from ..ops.math.unary import abs, atan, exp, expm1, log, log1p, sign, tan
from ..ops.random.sampling import uniform
from .base import Distribution, as_parameters

_EULER = 0.57721566490153286
_EDGE = 1.1920929e-07


class _Location(Distribution):
    """Samples are loc + scale · s, where s is a function of uniform values."""

    def __init__(self, loc: Any, scale: Any):
        self.loc, self.scale = as_parameters(loc, scale)
        self._dtype = self.loc.dtype
        self._shaped_as(self.loc)

    @property
    def stddev(self) -> Any:
        """The root of the variance."""
        return self.variance ** 0.5

    def sample(self, shape: Any = (), name: str | None = None) -> Any:
        """Values drawn at random, through which no gradient flows."""
        return self.rsample(shape).detach()

    def rsample(self, shape: Any = (), name: str | None = None) -> Any:
        """Values drawn at random, with gradients with respect to loc and scale."""
        drawn = uniform(self._sample_shape(shape), self._dtype, 0.0, 1.0).clip(_EDGE, 1 - _EDGE)
        return self.loc + self.scale * self._standard(drawn)

    def _standard(self, drawn: Any) -> Any:
        """The value below which the standard distribution has this share."""
        raise self._missing("samples")

    def _centered(self, value: Any) -> Any:
        return (self._like(value) - self.loc) / self.scale


class Laplace(_Location):
    """The density e^(-|x - loc| / scale) / 2scale.

    >>> import proa as paddle
    >>> float(paddle.distribution.Laplace(0.0, 1.0).cdf(paddle.to_tensor(0.0)))
    0.5
    """

    @property
    def mean(self) -> Any:
        """loc."""
        return self.loc

    @property
    def variance(self) -> Any:
        """2scale²."""
        return self.scale * self.scale * 2.0

    def log_prob(self, value: Any) -> Any:
        """-|x - loc| / scale - log 2scale."""
        return abs(self._centered(value)) * -1.0 - log(self.scale * 2.0)

    def entropy(self) -> Any:
        """1 + log 2scale."""
        return log(self.scale * 2.0) + 1.0

    def cdf(self, value: Any) -> Any:
        """½ - ½ sign(x - loc) (e^(-|x - loc| / scale) - 1)."""
        centered = self._centered(value)
        return sign(centered) * expm1(abs(centered) * -1.0) * -0.5 + 0.5

    def icdf(self, value: Any) -> Any:
        """The value whose cdf this is."""
        return self.loc + self.scale * self._standard(self._like(value))

    def _standard(self, drawn: Any) -> Any:
        centered = drawn - 0.5
        return sign(centered) * log1p(abs(centered) * -2.0) * -1.0


class Cauchy(_Location):
    """The density 1 / (π · scale · (1 + ((x - loc) / scale)²)); it has no mean and no variance.

    Both raise ValueError, as in Paddle.

    >>> import proa as paddle
    >>> from proa import distribution as D
    >>> round(D.Cauchy(0.0, 1.0).cdf(paddle.to_tensor(1.0)).item(), 3)
    0.75
    """

    def __init__(self, loc: Any, scale: Any, name: str | None = None):
        self.name = name or "Cauchy"
        super().__init__(loc, scale)

    @property
    def mean(self) -> Any:
        """ValueError: there is none."""
        raise ValueError("The Cauchy distribution has no mean.")

    @property
    def variance(self) -> Any:
        """ValueError: there is none."""
        raise ValueError("The Cauchy distribution has no variance.")

    @property
    def stddev(self) -> Any:
        """ValueError: there is none."""
        raise ValueError("The Cauchy distribution has no standard deviation.")

    def log_prob(self, value: Any) -> Any:
        """-log π - log scale - log(1 + ((x - loc) / scale)²)."""
        centered = self._centered(value)
        return (log1p(centered * centered) + log(self.scale) + math.log(math.pi)) * -1.0

    def entropy(self) -> Any:
        """log(4π · scale)."""
        return log(self.scale) + math.log(4 * math.pi)

    def cdf(self, value: Any) -> Any:
        """½ + arctan((x - loc) / scale) / π."""
        return atan(self._centered(value)) / math.pi + 0.5

    def _standard(self, drawn: Any) -> Any:
        return tan((drawn - 0.5) * math.pi)


class Gumbel(_Location):
    """The distribution of e^(-e^-z), z = (x - loc) / scale: of the largest of many values.

    >>> import proa as paddle
    >>> from proa import distribution as D
    >>> round(D.Gumbel(paddle.to_tensor(0.0), paddle.to_tensor(1.0)).mean.item(), 3)
    0.577
    """

    _keeps_wider = True

    @property
    def mean(self) -> Any:
        """loc + γ · scale, γ Euler's constant."""
        return self.loc + self.scale * _EULER

    @property
    def variance(self) -> Any:
        """π² / 6 · scale²."""
        return self.scale * self.scale * (math.pi**2 / 6)

    def log_prob(self, value: Any) -> Any:
        """-z - e^-z - log scale."""
        centered = self._centered(value)
        return (centered + exp(centered * -1.0) + log(self.scale)) * -1.0

    def cdf(self, value: Any) -> Any:
        """e^(-e^-z)."""
        return exp(exp(self._centered(value) * -1.0) * -1.0)

    def entropy(self) -> Any:
        """1 + γ + log scale."""
        return log(self.scale) + (1 + _EULER)

    def _standard(self, drawn: Any) -> Any:
        return log(log(drawn) * -1.0) * -1.0
