"""`paddle.distribution.constraint`: what values a random variable may take, asked of tensors element by element."""

from __future__ import annotations

from typing import Any


class Constraint:
    """A condition on values; a subclass defines `__call__`, which gives a bool tensor.

    >>> import proa as paddle
    >>> from proa.distribution import constraint
    >>> constraint.Range(0.0, 1.0)(paddle.to_tensor([0.5, 2.0])).tolist()
    [True, False]
    """

    def __call__(self, value: Any) -> Any:
        """Whether the condition holds, of each element of a value."""
        raise NotImplementedError(f"{type(self).__name__} must define __call__.")


class Real(Constraint):
    """Numbers: not NaN."""

    def __call__(self, value: Any) -> Any:
        """Whether elements are numbers."""
        return value == value


class Range(Constraint):
    """Numbers from `lower` to `upper`, both among them."""

    def __init__(self, lower: Any, upper: Any):
        self._lower, self._upper = lower, upper

    def __call__(self, value: Any) -> Any:
        """Whether elements lie in the range."""
        return (value >= self._lower) & (value <= self._upper)


class Positive(Constraint):
    """Numbers of 0 or more."""

    def __call__(self, value: Any) -> Any:
        """Whether elements are not below 0."""
        return value >= 0.0


class Simplex(Constraint):
    """Shares along the last dimension: none below 0, and they sum to 1, within 1e-6."""

    def __call__(self, value: Any) -> Any:
        """Whether rows are shares: a dimension fewer than the value has."""
        return (value >= 0.0).all(-1) & ((value.sum(-1) - 1.0).abs() < 1e-6)


real, positive, simplex = Real(), Positive(), Simplex()
"""The constraints that take no arguments."""
