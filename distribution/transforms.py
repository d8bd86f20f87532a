"""Transforms of values that know how they stretch volumes: exp, affine, power, sigmoid, tanh, abs, softmax, sticks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..nn.functional import softmax
from ..ops.array.concat_split import concat
from ..ops.array.creation import ones_like
from ..ops.core.infer import broadcast_shapes
from ..ops.math.cumulative import cumprod
from ..ops.math.unary import abs, atanh, exp, log, log1p, tanh
from ..ops.nn.activation import sigmoid, softplus
from . import constraint, variable
from .base import as_parameters
from .transformed import Transform, Type


class AbsTransform(Transform):
    """|x|; not injective: the inverse of y is the pair (-y, y), whose log-determinants are 0.

    >>> import proa as paddle
    >>> from proa import distribution as D
    >>> D.AbsTransform().forward(paddle.to_tensor([-2.0])).tolist()
    [2.0]
    """

    _type = Type.SURJECTION

    @property
    def _codomain(self) -> variable.Variable:
        return variable.positive

    def _forward(self, x: Any) -> Any:
        return abs(x)

    def _inverse(self, y: Any) -> Any:
        return y * -1.0, y

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return y * 0.0, y * 0.0


class AffineTransform(Transform):
    """loc + scale · x.

    >>> import proa as paddle
    >>> affine = paddle.distribution.AffineTransform(paddle.to_tensor(1.0), paddle.to_tensor(2.0))
    >>> affine.forward(paddle.to_tensor([1.0])).tolist()
    [3.0]
    """

    _type = Type.BIJECTION

    def __init__(self, loc: Any, scale: Any):
        self._given = loc, scale
        self._loc, self._scale = as_parameters(loc, scale)
        (self._factor,) = as_parameters(scale)  # in its own shape, by which determinants go

    @property
    def loc(self) -> Any:
        """What is added."""
        return self._given[0]

    @property
    def scale(self) -> Any:
        """What x is multiplied by."""
        return self._given[1]

    def _forward(self, x: Any) -> Any:
        return self._loc + self._scale * x

    def _inverse(self, y: Any) -> Any:
        return (y - self._loc) / self._scale

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return log(abs(self._factor)) + x * 0.0

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return self._forward_log_det_jacobian(y) * -1.0

    def _forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return broadcast_shapes("AffineTransform: the value and loc", shape, self._loc.shape)

    _inverse_shape = _forward_shape


class ExpTransform(Transform):
    """e^x.

    >>> import proa as paddle
    >>> from proa import distribution as D
    >>> D.ExpTransform().forward(paddle.to_tensor([0.0])).tolist()
    [1.0]
    """

    _type = Type.BIJECTION

    @property
    def _codomain(self) -> variable.Variable:
        return variable.positive

    def _forward(self, x: Any) -> Any:
        return exp(x)

    def _inverse(self, y: Any) -> Any:
        return log(y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return x


class PowerTransform(Transform):
    """x^power, of positive x.

    >>> import proa as paddle
    >>> from proa import distribution as D
    >>> D.PowerTransform(paddle.to_tensor(2.0)).forward(paddle.to_tensor([3.0])).tolist()
    [9.0]
    """

    _type = Type.BIJECTION

    @property
    def _codomain(self) -> variable.Variable:
        return variable.positive

    def __init__(self, power: Any):
        self._power = as_parameters(power)[0]

    @property
    def power(self) -> Any:
        """The exponent."""
        return self._power

    def _forward(self, x: Any) -> Any:
        return x ** self._power

    def _inverse(self, y: Any) -> Any:
        return y ** (1.0 / self._power)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return log(abs(self._power * x ** (self._power - 1.0)))


class SigmoidTransform(Transform):
    """1 / (1 + e^-x).

    >>> import proa as paddle
    >>> from proa import distribution as D
    >>> D.SigmoidTransform().forward(paddle.to_tensor([0.0])).tolist()
    [0.5]
    """

    @property
    def _codomain(self) -> variable.Variable:
        return variable.Variable(False, 0, constraint.Range(0.0, 1.0))

    def _forward(self, x: Any) -> Any:
        return sigmoid(x)

    def _inverse(self, y: Any) -> Any:
        return log(y) - log1p(y * -1.0)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return (softplus(x * -1.0) + softplus(x)) * -1.0


class TanhTransform(Transform):
    """tanh x.

    >>> import proa as paddle
    >>> from proa import distribution as D
    >>> D.TanhTransform().forward(paddle.to_tensor([0.0])).tolist()
    [0.0]
    """

    _type = Type.BIJECTION

    @property
    def _codomain(self) -> variable.Variable:
        return variable.Variable(False, 0, constraint.Range(-1.0, 1.0))

    def _forward(self, x: Any) -> Any:
        return tanh(x)

    def _inverse(self, y: Any) -> Any:
        return atanh(y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return (x * -1.0 + math.log(2.0) - softplus(x * -2.0)) * 2.0


class _ToShares(Transform):
    """From rows of real numbers to rows of shares."""

    @property
    def _domain(self) -> variable.Variable:
        return variable.Independent(variable.real, 1)

    @property
    def _codomain(self) -> variable.Variable:
        return variable.Variable(False, 1, constraint.simplex)


class SoftmaxTransform(_ToShares):
    """Softmax over the last dimension; its inverse is the logarithm, and it has no log-determinant.

    >>> import proa as paddle
    >>> from proa import distribution as D
    >>> D.SoftmaxTransform().forward(paddle.zeros([2])).tolist()
    [0.5, 0.5]
    """

    _type = Type.OTHER

    def _forward(self, x: Any) -> Any:
        return softmax(x, -1)

    def _inverse(self, y: Any) -> Any:
        return log(y)


class StickBreakingTransform(_ToShares):
    """From k numbers to k + 1 shares that sum to 1: each takes a part of what the ones before it left of a stick.

    >>> import proa as paddle
    >>> from proa import distribution as D
    >>> D.StickBreakingTransform().forward(paddle.zeros([1])).tolist()
    [0.5, 0.5]
    """

    _type = Type.BIJECTION

    def _offset(self, x: Any, count: int) -> Any:
        """log of the number of pieces that are still to be broken off."""
        return log(ones_like(x).cumsum(-1) * -1.0 + (count + 1.0))

    def _forward(self, x: Any) -> Any:
        taken = sigmoid(x - self._offset(x, x.shape[-1]))
        left = cumprod(taken * -1.0 + 1.0, -1)
        one = ones_like(x[..., :1])
        return concat([taken, one], -1) * concat([one, left], -1)

    def _inverse(self, y: Any) -> Any:
        shares = y[..., :-1]
        left = shares.cumsum(-1) * -1.0 + 1.0
        return log(shares) - log(left) + self._offset(shares, shares.shape[-1])

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        y = self._forward(x)
        shifted = x - self._offset(x, x.shape[-1])
        return (log(y[..., :-1]) - softplus(shifted)).sum(-1)

    def _forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        self._check_rank(shape, 1)
        return (*shape[:-1], shape[-1] + 1)

    def _inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        self._check_rank(shape, 1)
        return (*shape[:-1], shape[-1] - 1)
