"""Transform, the base of transforms, ChainTransform; TransformedDistribution, of f(x), x from another; Independent."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..ops.array.full import is_value
from . import variable
from .base import Distribution


class Type(enum.Enum):
    """What kind of function a transform is: whether different values stay different, and whether all are reached."""

    BIJECTION = "bijection"
    INJECTION = "injection"
    SURJECTION = "surjection"
    OTHER = "other"

    @classmethod
    def is_injective(cls, _type: Type) -> bool:
        """Whether different values stay different."""
        return _type in (cls.BIJECTION, cls.INJECTION)


class Transform:
    """A function y = f(x), its inverse, and the logarithm of the size of its derivative.

    A subclass defines `_forward`, `_inverse` and one of `_forward_log_det_jacobian` and `_inverse_log_det_jacobian`;
    where shapes change also `_forward_shape` and `_inverse_shape`, and where the last dimensions make up one value,
    over which that logarithm is summed, `_domain` and `_codomain` (`paddle.distribution.variable`). `_type` says
    whether it is injective.

    >>> import proa as paddle
    >>> class Cube(paddle.distribution.Transform):
    ...     def _forward(self, x):
    ...         return x ** 3
    ...     def _inverse(self, y):
    ...         return y ** (1 / 3)
    ...     def _forward_log_det_jacobian(self, x):
    ...         return (3 * x ** 2).log()
    >>> round(Cube().inverse_log_det_jacobian(paddle.to_tensor(8.0)).item(), 4)
    -2.4849
    """

    _type = Type.INJECTION

    @classmethod
    def _is_injective(cls) -> bool:
        """Whether different values stay different, so that there is a density of what comes out."""
        return Type.is_injective(cls._type)

    @property
    def _domain(self) -> variable.Variable:
        """What is taken."""
        return variable.real

    @property
    def _codomain(self) -> variable.Variable:
        """What is given."""
        return variable.real

    @property
    def input_rank(self) -> int:
        """How many of the last dimensions make up one value that is taken."""
        return self._domain.event_rank

    @property
    def output_rank(self) -> int:
        """How many of the last dimensions make up one value that is given."""
        return self._codomain.event_rank

    def forward(self, x: Any) -> Any:
        """f(x)."""
        self._check_value("forward(x)", x)
        self._check_rank(x.shape, self.input_rank)
        return self._forward(x)

    def inverse(self, y: Any) -> Any:
        """The x whose f(x) is y; of a transform that is not injective, all of them."""
        self._check_value("inverse(y)", y)
        self._check_rank(y.shape, self.output_rank)
        return self._inverse(y)

    def forward_log_det_jacobian(self, x: Any) -> Any:
        """log |det ∂f/∂x| at x."""
        self._check_value("forward_log_det_jacobian(x)", x)
        if not self._is_injective():
            raise NotImplementedError(f"{type(self).__name__} is not injective: it has no log-determinant forward.")
        self._check_rank(x.shape, self.input_rank)
        if hasattr(self, "_forward_log_det_jacobian"):
            return self._forward_log_det_jacobian(x)
        return self._defined("_inverse_log_det_jacobian")(self._forward(x)) * -1.0

    def inverse_log_det_jacobian(self, y: Any) -> Any:
        """log |det ∂f⁻¹/∂y| at y."""
        self._check_value("inverse_log_det_jacobian(y)", y)
        self._check_rank(y.shape, self.output_rank)
        if hasattr(self, "_inverse_log_det_jacobian"):
            return self._inverse_log_det_jacobian(y)
        return self._defined("_forward_log_det_jacobian")(self._inverse(y)) * -1.0

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of f(x) for an x of this shape."""
        return tuple(self._forward_shape(self._checked("forward_shape(shape)", shape)))

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of x for an f(x) of this shape."""
        return tuple(self._inverse_shape(self._checked("inverse_shape(shape)", shape)))

    def __call__(self, input: Any) -> Any:
        """Of a value f(x); of a distribution that of f(x); of a transform, that one after this."""
        if isinstance(input, Distribution):
            return TransformedDistribution(input, [self])
        return ChainTransform([self, input]) if isinstance(input, Transform) else self.forward(input)

    def _check_value(self, what: str, value: Any) -> None:
        if not (is_value(value) or isinstance(value, np.ndarray)):
            raise TypeError(f"{type(self).__name__}.{what}: must be a tensor. Received {type(value).__name__}.")

    def _checked(self, what: str, shape: Sequence[int]) -> Sequence[int]:
        if not isinstance(shape, Sequence):
            raise TypeError(f"{type(self).__name__}.{what}: must be a list or tuple of sizes. Received {shape!r}.")
        return shape

    def _check_rank(self, shape: Sequence[int], rank: int) -> None:
        if len(shape) < rank:
            raise ValueError(f"{type(self).__name__}: needs at least {rank} dimension(s). "
                             f"Received shape {list(shape)}.")

    def _forward(self, x: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define _forward.")

    def _inverse(self, y: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define _inverse.")

    def _forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return shape

    def _inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return shape

    def _defined(self, name: str) -> Any:
        """The log-determinant of this name, which a subclass may have."""
        if not hasattr(self, name):
            raise NotImplementedError(f"{type(self).__name__} has no log-determinant: it defines neither "
                                      f"_forward_log_det_jacobian nor _inverse_log_det_jacobian.")
        return getattr(self, name)


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
        rank = self._most = 0
        for transform in self.transforms:  # the last dimensions that any of them needs, seen from the input
            self._most = max(self._most, transform.input_rank - rank)
            rank += transform.output_rank - transform.input_rank
        self._changed = rank

    def _is_injective(self) -> bool:  # type: ignore[override]  # of this chain, not of all
        return all(transform._is_injective() for transform in self.transforms)

    @property
    def _domain(self) -> variable.Variable:
        first = self.transforms[0]._domain if self.transforms else variable.real
        return variable.Independent(first, self._most - first.event_rank)

    @property
    def _codomain(self) -> variable.Variable:
        last = self.transforms[-1]._codomain if self.transforms else variable.real
        return variable.Independent(last, self._most + self._changed - last.event_rank)

    def _forward(self, x: Any) -> Any:
        for transform in self.transforms:
            x = transform.forward(x)
        return x

    def _inverse(self, y: Any) -> Any:
        for transform in reversed(self.transforms):
            y = transform.inverse(y)
        return y

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        total, rank = 0.0, self.input_rank
        for transform in self.transforms:
            total = total + _summed(transform.forward_log_det_jacobian(x), rank - transform.input_rank)
            x = transform.forward(x)
            rank += transform.output_rank - transform.input_rank
        return total

    def _forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        for transform in self.transforms:
            shape = transform.forward_shape(shape)
        return tuple(shape)

    def _inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
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

    _keeps_wider = True

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
        if not self._chain._is_injective():
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
