"""TransformedDistribution: of f(x), x from another; Independent: batches that count as one value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .base import Distribution
from .transform_groups import ChainTransform, _summed
from .transforms import Transform


class TransformedDistribution(Distribution):
    """The distribution of the values of `base` after the transforms, the first one first.

    >>> import proa as paddle
    >>> from proa.distribution import ExpTransform, Normal, TransformedDistribution
    >>> log_normal = TransformedDistribution(Normal(0.0, 1.0), [ExpTransform()])
    >>> round(float(log_normal.log_prob(paddle.to_tensor(1.0))), 4)
    -0.9189
    """

    def __init__(self, base: Distribution, transforms: Sequence[Transform]):
        if not isinstance(base, Distribution):
            raise TypeError(f"TransformedDistribution(base): must be a Distribution. Received {type(base).__name__}.")
        if not isinstance(transforms, Sequence) or not all(isinstance(t, Transform) for t in transforms):
            raise TypeError("TransformedDistribution(transforms): must be a sequence of Transforms.")
        self._base, self._transforms, self._dtype = base, list(transforms), base._dtype
        self._chain = ChainTransform(self._transforms)
        shape = self._chain.forward_shape((*base.batch_shape, *base.event_shape))
        changed = self._chain.output_rank - self._chain.input_rank
        self._event_rank = max(self._chain.output_rank, len(base.event_shape) + changed)
        cut = len(shape) - self._event_rank
        super().__init__(shape[:cut], shape[cut:])

    def sample(self, shape: Any = ()) -> Any:
        """Values drawn at random, through which no gradient flows."""
        return self._chain.forward(self._base.sample(shape))

    def rsample(self, shape: Any = ()) -> Any:
        """Values drawn at random, with gradients with respect to the parameters."""
        return self._chain.forward(self._base.rsample(shape))

    def log_prob(self, value: Any) -> Any:
        """log p(f⁻¹(y)) + log |det ∂f⁻¹/∂y|."""
        if not self._chain.is_injective:
            raise NotImplementedError("log_prob: a transform that is not injective has no density here.")
        y, total, rank = self._like(value), 0.0, self._event_rank
        for transform in reversed(self._transforms):
            x = transform.inverse(y)
            rank += transform.input_rank - transform.output_rank
            total = total - _summed(transform.forward_log_det_jacobian(x), rank - transform.input_rank)
            y = x
        return total + _summed(self._base.log_prob(y), rank - len(self._base.event_shape))


class Independent(Distribution):
    """`base` with the last `reinterpreted_batch_rank` dimensions of its batch counted as one value's."""

    def __init__(self, base: Distribution, reinterpreted_batch_rank: int):
        if not isinstance(base, Distribution):
            raise TypeError(f"Independent(base): must be a Distribution. Received {type(base).__name__}.")
        if not 0 < reinterpreted_batch_rank <= len(base.batch_shape):
            raise ValueError(f"Independent(reinterpreted_batch_rank): must lie in [1, {len(base.batch_shape)}]. "
                             f"Received {reinterpreted_batch_rank}.")
        self._base, self._more, self._dtype = base, reinterpreted_batch_rank, base._dtype
        shape = (*base.batch_shape, *base.event_shape)
        cut = len(base.batch_shape) - reinterpreted_batch_rank
        super().__init__(shape[:cut], shape[cut:])

    @property
    def mean(self) -> Any:
        """That of the base."""
        return self._base.mean

    @property
    def variance(self) -> Any:
        """That of the base."""
        return self._base.variance

    def sample(self, shape: Any = ()) -> Any:
        """Values drawn at random, through which no gradient flows."""
        return self._base.sample(shape)

    def rsample(self, shape: Any = ()) -> Any:
        """Values drawn at random, with gradients with respect to the parameters."""
        return self._base.rsample(shape)

    def log_prob(self, value: Any) -> Any:
        """The base's, summed over the dimensions of a value."""
        return _summed(self._base.log_prob(value), self._more)

    def entropy(self) -> Any:
        """The base's, summed over the dimensions of a value."""
        return _summed(self._base.entropy(), self._more)
