"""`fluid.average`: means of numbers, added up batch by batch."""

from __future__ import annotations

from typing import Any

from ..core.lazy import listed
from .metrics import _number


class WeightedAverage:
    """The weighted mean of what is added.

    >>> import proa.fluid as fluid
    >>> mean = fluid.average.WeightedAverage()
    >>> mean.add(value=2.0, weight=1); mean.add(value=4.0, weight=3)
    >>> mean.eval()
    3.5
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forgets what was added."""
        self.numerator: Any = None
        self.denominator: Any = None

    def add(self, value: Any, weight: Any) -> None:
        """Adds a number, or an array, with its weight."""
        value = _number("WeightedAverage.add(value)", value, or_matrix=True)
        weight = _number("WeightedAverage.add(weight)", weight)
        first = self.numerator is None
        self.numerator = value * weight if first else self.numerator + value * weight
        self.denominator = weight if first else self.denominator + weight

    def eval(self) -> Any:
        """The mean; ValueError where nothing was added."""
        if self.numerator is None:
            raise ValueError("WeightedAverage.eval(): nothing has been added. Call add(value, weight).")
        return self.numerator / self.denominator


__all__ = ["WeightedAverage"]
__dir__ = listed(__name__)
