"""Uniform."""

from __future__ import annotations

import math
from typing import Any

from ..ops.array.creation import full_like
from ..ops.array.where import where
from ..ops.math.casting import cast
from ..ops.math.unary import log
from ..ops.random.sampling import uniform
from .base import Distribution, as_parameters


class Uniform(Distribution):
    """The uniform distribution on [low, high).

    >>> import proa as paddle
    >>> float(paddle.distribution.Uniform(0.0, 2.0).probs(paddle.to_tensor(1.0)))
    0.5
    """

    def __init__(self, low: Any, high: Any, name: str | None = None):
        self.low, self.high = as_parameters(low, high)
        self.name, self._dtype = name or "Uniform", self.low.dtype
        self._shaped_as(self.low)

    @property
    def mean(self) -> Any:
        """(low + high) / 2."""
        return (self.low + self.high) / 2

    @property
    def variance(self) -> Any:
        """(high - low)² / 12."""
        width = self.high - self.low
        return width * width / 12

    def sample(self, shape: Any = (), seed: int = 0) -> Any:
        """Values drawn at random: low + u · (high - low), with gradients with respect to both."""
        return self._drawn(shape, seed)

    def rsample(self, shape: Any = ()) -> Any:
        """Values drawn at random: low + u · (high - low), with gradients with respect to both."""
        return self._drawn(shape, 0)

    def _drawn(self, shape: Any, seed: int) -> Any:
        drawn = uniform(self._sample_shape(shape), self._dtype, 0.0, 1.0, seed)
        return self.low + drawn * (self.high - self.low)

    def entropy(self) -> Any:
        """log(high - low)."""
        return log(self.high - self.low)

    def prob(self, value: Any) -> Any:
        """1 / (high - low) between low and high, 0 elsewhere."""
        value = self._like(value)
        inside = cast((value > self.low) & (value < self.high), self._dtype)
        return inside / (self.high - self.low)

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density; -inf outside."""
        value = self._like(value)
        density = log(self.high - self.low) * -1.0 + value * 0.0
        return where((value > self.low) & (value < self.high), density, full_like(density, -math.inf))
