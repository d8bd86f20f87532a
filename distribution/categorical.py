"""Categorical, one of several, and Multinomial, how often each in a number of draws."""

from __future__ import annotations

from typing import Any

from ..nn.functional import log_softmax, softmax
from ..ops.array.assign import one_hot
from ..ops.array.creation import to_tensor
from ..ops.array.full import is_value
from ..ops.array.reshape import reshape
from ..ops.array.take_along_axis import take_along_axis
from ..ops.math.casting import cast
from ..ops.math.gamma import lgamma
from ..ops.math.unary import exp, log
from ..ops.random.sampling import multinomial
from .base import Distribution, as_parameters, as_shape


class Categorical(Distribution):
    """One of k classes, with weights over the last dimension of `logits`.

    As in Paddle, `sample`, `entropy` and `kl_divergence` take the softmax of `logits`, while `probs` and `log_prob`
    take them as weights, logits / Σ logits, which must not be negative then. To sample by weights, give their
    logarithms.

    >>> import proa as paddle
    >>> weighted = paddle.distribution.Categorical(paddle.to_tensor([1.0, 3.0]))
    >>> weighted.probs(paddle.to_tensor([1])).tolist()
    [0.75]
    """

    def __init__(self, logits: Any, name: str | None = None):
        self.logits = as_parameters(logits)[0]
        self.name, self._dtype = name or "Categorical", self.logits.dtype
        self._shares = self.logits / self.logits.sum(-1, keepdim=True)
        super().__init__(self.logits.shape[:-1])
        self._sized = self.logits

    def sample(self, shape: Any = ()) -> Any:
        """Numbers of classes, int64."""
        sizes = as_shape(shape)
        count = 1
        for size in sizes:
            count *= size
        shares = softmax(self.logits)
        rows = reshape(shares, [-1, self.logits.shape[-1]]) if self._batch_shape else shares
        drawn = multinomial(rows, count, replacement=True)
        if self._batch_shape:
            drawn = drawn.t()
        return reshape(drawn, self._sample_shape(shape))

    def probs(self, value: Any) -> Any:
        """The probabilities of classes: `value` is a vector for one distribution, else its shape ends with the batch's.

        A vector with a batch gives each distribution's.
        """
        value = value if is_value(value) else to_tensor(value)
        value = cast(value, "int64")
        if not self._batch_shape:
            if len(value.shape) == 1:
                return take_along_axis(self._shares, value, -1)
            flat = reshape(value, [-1])
            return reshape(take_along_axis(self._shares, flat, -1), list(value.shape))
        if len(value.shape) == 1:  # the same for each, however many a Program will find
            value = reshape(value, [1] * len(self._batch_shape) + [-1])
        return take_along_axis(self._shares, value, -1)

    def prob(self, value: Any) -> Any:
        """As `probs`."""
        return self.probs(value)

    def log_prob(self, value: Any) -> Any:
        """The logarithm of `probs`."""
        return log(self.probs(value))

    def entropy(self) -> Any:
        """-Σ p log p, p the softmax of logits."""
        logs = log_softmax(self.logits, -1)
        return (exp(logs) * logs).sum(-1) * -1.0


class Multinomial(Distribution):
    """How often each of k classes comes in `total_count` draws, with the weights `probs` over the last dimension.

    >>> import proa as paddle
    >>> from proa import distribution as D
    >>> draws = D.Multinomial(10, paddle.to_tensor([0.5, 0.5])).sample([3])
    >>> draws.shape, draws.sum(1).tolist()
    ([3, 2], [10.0, 10.0, 10.0])
    """

    def __init__(self, total_count: int, probs: Any):
        if not isinstance(total_count, int) or total_count < 1:
            raise ValueError(f"Multinomial(total_count): must be an int of at least 1. Received {total_count!r}.")
        weights = as_parameters(probs)[0]
        if not weights.shape:
            raise ValueError("Multinomial(probs): must have at least one dimension. Received a scalar.")
        self.total_count, self.probs = total_count, weights / weights.sum(-1, keepdim=True)
        self._dtype = weights.dtype
        self._shaped_as(weights, 1)

    @property
    def mean(self) -> Any:
        """n · p."""
        return self.probs * float(self.total_count)

    @property
    def variance(self) -> Any:
        """n · p · (1 - p)."""
        return self.probs * (self.probs * -1.0 + 1.0) * float(self.total_count)

    def prob(self, value: Any) -> Any:
        """The probability of counts."""
        return exp(self.log_prob(value))

    def log_prob(self, value: Any) -> Any:
        """log Γ(Σx + 1) - Σ log Γ(x + 1) + Σ x log p."""
        value = self._like(value)
        logs = log(self.probs.clip(1e-38))
        return lgamma(value.sum(-1) + 1.0) - lgamma(value + 1.0).sum(-1) + (value * logs).sum(-1)

    def sample(self, shape: Any = ()) -> Any:
        """Counts, of the dtype of probs."""
        logits = log(self.probs.clip(1e-38))
        drawn = Categorical(logits).sample([self.total_count, *as_shape(shape)])
        return cast(one_hot(drawn, self.probs.shape[-1]), self._dtype).sum(0)

    def entropy(self) -> Any:
        """The entropy, by summing over the counts of each class, which are binomial."""
        count = self.total_count
        support = self._like([float(n) for n in range(1, count + 1)])
        support = reshape(support, [-1, *(1 for _ in self.probs.shape)])
        inside = self.probs.clip(1e-7, 1 - 1e-7)
        logs = (lgamma(self._like(float(count + 1))) - lgamma(support + 1.0) - lgamma(support * -1.0 + (count + 1.0))
                + support * log(inside) + (support * -1.0 + float(count)) * log(inside * -1.0 + 1.0))
        expected = (exp(logs) * lgamma(support + 1.0)).sum([0, -1])
        own = (self.probs * log(inside)).sum(-1) * -float(count)
        return own - lgamma(self._like(float(count + 1))) + expected


