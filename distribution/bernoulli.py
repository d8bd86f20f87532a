"""Bernoulli and Geometric: single trials, and how many fail before the first success."""

from __future__ import annotations

from typing import Any

from ..ops.math.casting import cast
from ..ops.math.unary import exp, floor, log, log1p
from ..ops.nn.activation import softplus
from ..ops.random.sampling import bernoulli, uniform
from .base import Distribution, ExponentialFamily, as_parameters

_EDGE = {"float32": 1.1920929e-07, "float64": 2.220446049250313e-16}


def _within(probs: Any) -> Any:
    """Probabilities kept a rounding error away from 0 and 1, so that logarithms are finite."""
    edge = _EDGE.get(probs.dtype.name, 1e-3)
    return probs.clip(edge, 1 - edge)


class Bernoulli(ExponentialFamily):
    """1 with the probability `probs`, else 0.

    >>> import proa as paddle
    >>> float(paddle.distribution.Bernoulli(0.25).variance)
    0.1875
    """

    def __init__(self, probs: Any, name: str | None = None):
        if isinstance(probs, (int, float)) and not 0 <= probs <= 1:
            raise ValueError(f"Bernoulli(probs): must lie in [0, 1]. Received {probs}.")
        self.probs = as_parameters(probs)[0]
        self.name, self._dtype = name or "Bernoulli", self.probs.dtype
        inside = _within(self.probs)
        self.logits = log(inside) - log1p(inside * -1.0)
        self._shaped_as(self.probs)

    @property
    def mean(self) -> Any:
        """probs."""
        return self.probs

    @property
    def variance(self) -> Any:
        """probs · (1 - probs)."""
        return self.probs * (self.probs * -1.0 + 1.0)

    def sample(self, shape: Any = ()) -> Any:
        """Zeros and ones, through which no gradient flows."""
        return bernoulli(self.probs.expand(self._sample_shape(shape))).detach()

    def rsample(self, shape: Any = (), temperature: float = 1.0) -> Any:
        """(logit(probs) + logit(u)) / temperature, whose `sigmoid` lies near 0 and 1: samples with gradients.

        As in Paddle the `sigmoid` is left to who asks: `F.sigmoid(Bernoulli(probs).rsample([9], 0.1))`.
        Maddison, Mnih and Teh, The Concrete Distribution, 2017.
        """
        if temperature <= 0:
            raise ValueError(f"Bernoulli.rsample(temperature): must be above 0. Received {temperature}.")
        drawn = _within(uniform(self._sample_shape(shape), self._dtype, 0.0, 1.0))
        return (self.logits + log(drawn) - log1p(drawn * -1.0)) / temperature

    def cdf(self, value: Any) -> Any:
        """0 below 0, 1 - probs below 1, then 1."""
        value = self._like(value)
        low, high = cast(value >= 0.0, self._dtype), cast(value >= 1.0, self._dtype)
        return low * (self.probs * -1.0 + 1.0) * (high * -1.0 + 1.0) + high

    def log_prob(self, value: Any) -> Any:
        """value · log probs + (1 - value) · log(1 - probs)."""
        return self._like(value) * self.logits - softplus(self.logits)

    def prob(self, value: Any) -> Any:
        """The probability of a value."""
        return exp(self.log_prob(value))

    def entropy(self) -> Any:
        """-p log p - (1 - p) log(1 - p)."""
        return softplus(self.logits) - self.probs * self.logits

    @property
    def _natural_parameters(self) -> tuple[Any, ...]:
        return (self.logits,)

    def _log_normalizer(self, *parameters: Any) -> Any:
        return softplus(parameters[0])

    _mean_carrier_measure = 0.0


class Geometric(Distribution):
    """The number of failures before the first success, each trial succeeding with the probability `probs`.

    >>> import proa as paddle
    >>> from proa import distribution as D
    >>> D.Geometric(paddle.to_tensor(0.5)).mean.item()
    1.0
    """

    def __init__(self, probs: Any):
        if isinstance(probs, (int, float)) and not 0 <= probs <= 1:
            raise ValueError(f"Geometric(probs): must lie in [0, 1]. Received {probs}.")
        self.probs = as_parameters(probs)[0]
        self._dtype = self.probs.dtype
        self._shaped_as(self.probs)

    @property
    def mean(self) -> Any:
        """1 / probs - 1."""
        return 1.0 / self.probs - 1.0

    @property
    def variance(self) -> Any:
        """(1 / probs - 1) / probs."""
        return (1.0 / self.probs - 1.0) / self.probs

    @property
    def stddev(self) -> Any:
        """The root of the variance."""
        return self.variance ** 0.5

    def pmf(self, k: Any) -> Any:
        """(1 - probs)^k · probs."""
        return exp(self.log_pmf(k))

    def log_pmf(self, k: Any) -> Any:
        """k · log(1 - probs) + log probs."""
        return self._like(k) * log1p(_within(self.probs) * -1.0) + log(self.probs)

    def log_prob(self, value: Any) -> Any:
        """As `log_pmf`."""
        return self.log_pmf(value)

    def cdf(self, k: Any) -> Any:
        """1 - (1 - probs)^(k + 1)."""
        return exp((self._like(k) + 1.0) * log1p(_within(self.probs) * -1.0)) * -1.0 + 1.0

    def sample(self, shape: Any = ()) -> Any:
        """Whole numbers, through which no gradient flows."""
        return self.rsample(shape).detach()

    def rsample(self, shape: Any = ()) -> Any:
        """Whole numbers: ⌊log u / log(1 - probs)⌋."""
        drawn = _within(uniform(self._sample_shape(shape), self._dtype, 0.0, 1.0))
        return floor(log(drawn) / log1p(_within(self.probs) * -1.0))

    def entropy(self) -> Any:
        """(-p log p - (1 - p) log(1 - p)) / p."""
        inside = _within(self.probs)
        fails = inside * -1.0 + 1.0
        return (inside * log(inside) + fails * log(fails)) / inside * -1.0
