"""Constant, Normal, TruncatedNormal, Uniform."""

from __future__ import annotations

from typing import Any

from ...core.errors import AssertedError
from ...ops.array.full import full
from ...ops.random.sampling import gaussian, truncated_gaussian, uniform
from .initializer import Initializer, sizes


class Constant(Initializer):
    """Every element is `value`.

    >>> import proa as paddle
    >>> paddle.nn.Linear(1, 2, weight_attr=paddle.nn.initializer.Constant(0.5)).weight.tolist()
    [[0.5, 0.5]]
    """

    def __init__(self, value: float = 0.0):
        self.number = value

    def value(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """A value of this shape and dtype."""
        return full(sizes(shape), self.number, dtype)


class Normal(Initializer):
    """Normal with a mean and a standard deviation.

    >>> import proa as paddle
    >>> start = paddle.nn.initializer.Normal(0.0, 0.1)
    >>> w = paddle.nn.Linear(20, 40, weight_attr=start).weight
    >>> abs(w.mean().item()) < 0.1
    True
    """

    def __init__(self, mean: float = 0.0, std: float = 1.0, name: str | None = None):
        self.mean, self.std = mean, std

    def value(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """A value of this shape and dtype."""
        return gaussian(sizes(shape), self.mean, self.std, self.seed, dtype)


class TruncatedNormal(Initializer):
    """Normal, drawn again outside [a, b], by default two standard deviations from the mean.

    >>> import proa as paddle
    >>> start = paddle.nn.initializer.TruncatedNormal(0.0, 0.1)
    >>> w = paddle.nn.Linear(20, 40, weight_attr=start).weight
    >>> w.abs().max().item() <= 0.2
    True
    """

    def __init__(self, mean: float = 0.0, std: float = 1.0, name: str | None = None, *, a: float = -2.0,
                 b: float = 2.0):
        self.mean, self.std, self.a, self.b = mean, std, a, b

    def value(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """A value of this shape and dtype."""
        return truncated_gaussian(sizes(shape), self.mean, self.std, self.seed, dtype, self.a, self.b)


class Uniform(Initializer):
    """Uniform in [low, high).

    >>> import proa as paddle
    >>> start = paddle.nn.initializer.Uniform(-0.5, 0.5)
    >>> w = paddle.nn.Linear(20, 40, weight_attr=start).weight
    >>> w.abs().max().item() <= 0.5
    True
    """

    def __init__(self, low: float = -1.0, high: float = 1.0, name: str | None = None):
        if low > high:
            raise AssertedError(f"Uniform(low, high): low must not exceed high. Received {low} and {high}.")
        self.low, self.high = low, high

    def value(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """A value of this shape and dtype."""
        return uniform(sizes(shape), dtype, self.low, self.high, self.seed)
