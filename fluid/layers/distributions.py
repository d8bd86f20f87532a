"""`fluid.layers.distributions`: Uniform, Normal, Categorical, MultivariateNormalDiag, of variables of a Program.

Parameters may be numbers, lists, arrays or variables; what is not a variable becomes a constant of float32.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ops.array.full import is_value
from ..mode import face
from .comparison import less_than
from .elementwise import (
    elementwise_add,
    elementwise_div,
    elementwise_mul,
    elementwise_sub,
    reduce_max,
    reduce_prod,
    reduce_sum,
    scale,
)
from .linear_algebra import matmul
from .manipulation import reshape, unsqueeze
from .ops import exp, log
from .random import (
    gaussian_random,
    gaussian_random_batch_size_like,
    uniform_random,
    uniform_random_batch_size_like,
)
from .tensor import assign, cast, eye


@face
def _variable(value: Any) -> Any:
    return value if is_value(value) else assign(np.atleast_1d(np.asarray(value, "float32")))


def _sampled(made: Any, shape: Sequence[int], *given: Any) -> Any:
    """What was drawn, of the shape alone where the distribution was given by numbers."""
    return reshape(made, list(shape)) if all(isinstance(value, (int, float)) for value in given) else made


def _noise(known: Any, like: Any, like_batch: Any, shape: Sequence[int], seed: int, **attrs: Any) -> Any:
    """Random values for so many samples of a batch, whose size a run may say."""
    sizes = [*shape, *like.shape]
    if -1 not in sizes:
        return known(sizes, seed=seed, **attrs)
    at = list(like.shape).index(-1)
    return like_batch(like, sizes, input_dim_idx=at, output_dim_idx=len(shape) + at, seed=seed, **attrs)


class Distribution:
    """Base of probability distributions."""

    def sample(self, shape: Sequence[int], seed: int = 0) -> Any:
        """Values that are drawn, of a shape before the distribution's own."""
        raise NotImplementedError(f"{type(self).__name__} has no sample.")

    def entropy(self) -> Any:
        """The entropy."""
        raise NotImplementedError(f"{type(self).__name__} has no entropy.")

    def kl_divergence(self, other: Any) -> Any:
        """The Kullback-Leibler divergence from another one of the same kind."""
        raise NotImplementedError(f"{type(self).__name__} has no kl_divergence.")

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density of a value."""
        raise NotImplementedError(f"{type(self).__name__} has no log_prob.")

    def _check_other(self, other: Any) -> None:
        if not isinstance(other, type(self)):
            raise TypeError(f"kl_divergence(other): must be {type(self).__name__}. Received {type(other).__name__}.")


class Uniform(Distribution):
    """Values between `low` and `high`, all alike."""

    def __init__(self, low: Any, high: Any):
        self.low, self.high = _variable(low), _variable(high)
        self._given = low, high

    @face
    def sample(self, shape: Sequence[int], seed: int = 0) -> Any:
        """Values that are drawn."""
        width = elementwise_sub(self.high, self.low)
        drawn = _noise(uniform_random, width, uniform_random_batch_size_like, shape, seed, min=0.0, max=1.0)
        return _sampled(elementwise_add(elementwise_mul(drawn, width), self.low), shape, *self._given)

    @face
    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density: of 0 outside."""
        inside = elementwise_mul(cast(less_than(self.low, value), value.dtype),
                                 cast(less_than(value, self.high), value.dtype))
        return elementwise_sub(log(inside), log(elementwise_sub(self.high, self.low)))

    @face
    def entropy(self) -> Any:
        """log(high - low)."""
        return log(elementwise_sub(self.high, self.low))


class Normal(Distribution):
    """Normal values of mean `loc` and standard deviation `scale`.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program()):
    ...     fluid.layers.Normal([0.0, 1.0], 2.0).sample([3]).shape
    (3, 2)
    """

    def __init__(self, loc: Any, scale: Any):
        self.loc, self.scale = _variable(loc), _variable(scale)
        self._given = loc, scale

    @face
    def sample(self, shape: Sequence[int], seed: int = 0) -> Any:
        """Values that are drawn."""
        both = elementwise_add(self.loc, self.scale)
        drawn = _noise(gaussian_random, both, gaussian_random_batch_size_like, shape, seed, mean=0.0, std=1.0)
        return _sampled(elementwise_add(elementwise_mul(drawn, self.scale), self.loc), shape, *self._given)

    @face
    def entropy(self) -> Any:
        """0.5 + log(2π) / 2 + log(scale)."""
        spread = elementwise_add(scale(elementwise_add(self.loc, self.scale), 0.0), self.scale)
        return scale(log(spread), 1.0, 0.5 + 0.5 * math.log(2 * math.pi))

    @face
    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density."""
        away = elementwise_div(elementwise_sub(value, self.loc), self.scale)
        return scale(elementwise_add(scale(elementwise_mul(away, away), 0.5), log(self.scale)), -1.0,
                     -0.5 * math.log(2 * math.pi))

    @face
    def kl_divergence(self, other: Any) -> Any:
        """The divergence from another normal distribution."""
        self._check_other(other)
        ratio = elementwise_div(self.scale, other.scale)
        ratio = elementwise_mul(ratio, ratio)
        away = elementwise_div(elementwise_sub(self.loc, other.loc), other.scale)
        away = elementwise_mul(away, away)
        return scale(elementwise_sub(elementwise_add(ratio, away), log(ratio)), 0.5, -0.5)


class Categorical(Distribution):
    """One of several, by `logits` along the last dimension."""

    def __init__(self, logits: Any):
        self.logits = _variable(logits)

    def _probabilities(self) -> tuple[Any, Any]:
        """The probabilities and their logarithms."""
        logits = elementwise_sub(self.logits, reduce_max(self.logits, dim=-1, keep_dim=True))
        powers = exp(logits)
        total = reduce_sum(powers, dim=-1, keep_dim=True)
        return elementwise_div(powers, total), elementwise_sub(logits, log(total))

    @face
    def kl_divergence(self, other: Any) -> Any:
        """The divergence from another choice, [..., 1]."""
        self._check_other(other)
        chances, logarithms = self._probabilities()
        _, theirs = other._probabilities()
        return reduce_sum(elementwise_mul(chances, elementwise_sub(logarithms, theirs)), dim=-1, keep_dim=True)

    @face
    def entropy(self) -> Any:
        """The entropy, [..., 1]."""
        chances, logarithms = self._probabilities()
        return scale(reduce_sum(elementwise_mul(chances, logarithms), dim=-1, keep_dim=True), -1.0)


class MultivariateNormalDiag(Distribution):
    """Normal vectors of mean `loc` [k] whose covariance is `scale` [k, k], zero beside its diagonal."""

    def __init__(self, loc: Any, scale: Any):
        self.loc, self.scale = _variable(loc), _variable(scale)

    def _diagonal(self) -> Any:
        size = self.scale.shape[-1]
        return reduce_sum(elementwise_mul(self.scale, eye(size)), dim=-1)

    def _determinant(self) -> Any:
        return reduce_prod(self._diagonal(), dim=-1, keep_dim=True)

    @face
    def entropy(self) -> Any:
        """(k (1 + log(2π)) + log |scale|) / 2."""
        size = self.scale.shape[0]
        return scale(scale(log(self._determinant()), 1.0, size * (1 + math.log(2 * math.pi))), 0.5)

    @face
    def kl_divergence(self, other: Any) -> Any:
        """The divergence from another such distribution."""
        self._check_other(other)
        theirs = other._diagonal()
        trace = reduce_sum(elementwise_div(self._diagonal(), theirs), dim=-1, keep_dim=True)
        away = elementwise_sub(other.loc, self.loc)
        far = matmul(unsqueeze(elementwise_div(away, theirs), [0]), unsqueeze(away, [1]))
        sizes = elementwise_sub(log(other._determinant()), log(self._determinant()))
        total = elementwise_add(elementwise_add(trace, reduce_sum(far)), sizes)
        return scale(total, 0.5, -0.5 * self.scale.shape[0])


__all__ = ["Categorical", "MultivariateNormalDiag", "Normal", "Uniform"]
