"""Transform, the base of transforms, ChainTransform; TransformedDistribution, of f(x), x from another; Independent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .base import Distribution


class Transform:
    """A function y = f(x), its inverse, and the logarithm of the size of its derivative.

    `input_rank` and `output_rank` are the numbers of last dimensions that make up one value; over them the logarithm of
    the Jacobian determinant is summed. A subclass defines `_forward`, `_inverse` and one of the two log-determinants.
    """

    input_rank = output_rank = 0
    is_injective = True

    def forward(self, x: Any) -> Any:
        """f(x)."""
        self._check_rank(x.shape, self.input_rank)
        return self._forward(x)

    def inverse(self, y: Any) -> Any:
        """The x whose f(x) is y; of a transform that is not injective, all of them."""
        self._check_rank(y.shape, self.output_rank)
        return self._inverse(y)

    def forward_log_det_jacobian(self, x: Any) -> Any:
        """log |det ∂f/∂x| at x."""
        if not self.is_injective:
            raise NotImplementedError(f"{type(self).__name__} is not injective: it has no log-determinant forward.")
        self._check_rank(x.shape, self.input_rank)
        if type(self)._forward_log_det is Transform._forward_log_det:
            return self._inverse_log_det(self._forward(x)) * -1.0
        return self._forward_log_det(x)

    def inverse_log_det_jacobian(self, y: Any) -> Any:
        """log |det ∂f⁻¹/∂y| at y."""
        self._check_rank(y.shape, self.output_rank)
        if type(self)._inverse_log_det is Transform._inverse_log_det:
            return self._forward_log_det(self._inverse(y)) * -1.0
        return self._inverse_log_det(y)

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of f(x) for an x of this shape."""
        return tuple(shape)

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of x for an f(x) of this shape."""
        return tuple(shape)

    def __call__(self, input: Any) -> Any:
        """Of a value f(x); of a distribution that of f(x); of a transform, that one after this."""
        if isinstance(input, Distribution):
            return TransformedDistribution(input, [self])
        return ChainTransform([self, input]) if isinstance(input, Transform) else self.forward(input)

    def _check_rank(self, shape: Sequence[int], rank: int) -> None:
        if len(shape) < rank:
            raise ValueError(f"{type(self).__name__}: needs at least {rank} dimension(s). "
                             f"Received shape {list(shape)}.")

    def _forward(self, x: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define _forward.")

    def _inverse(self, y: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define _inverse.")

    def _forward_log_det(self, x: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no log-determinant.")

    def _inverse_log_det(self, y: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no log-determinant.")


def _summed(value: Any, dimensions: int) -> Any:
    """The value summed over this number of last dimensions."""
    return value.sum(list(range(-dimensions, 0))) if dimensions > 0 else value


class ChainTransform(Transform):
    """The transforms one after the other, the first one first.

    >>> import proa as paddle
    >>> from proa.distribution import AffineTransform, ChainTransform, ExpTransform
    >>> zero, two = paddle.to_tensor(0.0), paddle.to_tensor(2.0)
    >>> ChainTransform([AffineTransform(zero, two), ExpTransform()]).forward(zero).tolist()
    1.0
    """

    def __init__(self, transforms: Sequence[Transform]):
        if not isinstance(transforms, Sequence) or not all(isinstance(t, Transform) for t in transforms):
            raise TypeError("ChainTransform(transforms): must be a sequence of Transforms.")
        self.transforms = list(transforms)
        self.is_injective = all(t.is_injective for t in self.transforms)
        rank = most = 0
        for transform in self.transforms:  # the last dimensions that any of them needs, seen from the input
            most = max(most, transform.input_rank - rank)
            rank += transform.output_rank - transform.input_rank
        self.input_rank = most
        self.output_rank = most + rank

    def _forward(self, x: Any) -> Any:
        for transform in self.transforms:
            x = transform.forward(x)
        return x

    def _inverse(self, y: Any) -> Any:
        for transform in reversed(self.transforms):
            y = transform.inverse(y)
        return y

    def _forward_log_det(self, x: Any) -> Any:
        total, rank = 0.0, self.input_rank
        for transform in self.transforms:
            total = total + _summed(transform.forward_log_det_jacobian(x), rank - transform.input_rank)
            x = transform.forward(x)
            rank += transform.output_rank - transform.input_rank
        return total

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The shape after all of them."""
        for transform in self.transforms:
            shape = transform.forward_shape(shape)
        return tuple(shape)

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The shape before all of them."""
        for transform in reversed(self.transforms):
            shape = transform.inverse_shape(shape)
        return tuple(shape)


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
        """Values drawn at random, through which gradients flow where they do through those of the base."""
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
    """`base` with the last `reinterpreted_batch_rank` dimensions of its batch counted as one value's.

    >>> import proa as paddle
    >>> from proa import distribution as D
    >>> one = D.Normal(paddle.zeros([3]), paddle.ones([3]))
    >>> D.Independent(one, 1).log_prob(paddle.zeros([3])).shape
    []
    """

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
        """Values drawn at random, through which gradients flow where they do through those of the base."""
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
