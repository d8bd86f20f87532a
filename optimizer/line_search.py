"""A search along a line for a step that lowers a function enough and flattens it enough: the strong Wolfe conditions.

Nocedal and Wright, Numerical Optimization, 2006, algorithms 3.5 and 3.6. Knows numbers only, and of a point's gradient
nothing but that it goes with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

DECREASE, FLATTENING = 1e-4, 0.9  # the conditions' constants, c₁ and c₂
LONGEST_GROWTH = 10.0  # of a trial step over the one before


class Point(NamedTuple):
    """A step's length, the loss and its slope along the line there, and the gradient."""

    length: float
    loss: float
    slope: float
    gradient: Any


def strong_wolfe(at: Callable[[float], Point], start: Point, length: float, tolerance: float,
                 budget: int) -> tuple[Point, int]:
    """A point that fulfils the conditions, or the best found within `budget` calls of `at`; and the number of calls.

    `start` is the point of length 0; an interval shorter than `tolerance` is not divided.
    """
    low, used = start, 0
    while used < max(budget, 1):
        point = at(length)
        used += 1
        if _too_high(start, point) or (used > 1 and point.loss >= low.loss):
            return _between(at, start, low, point, tolerance, budget, used)
        if abs(point.slope) <= -FLATTENING * start.slope:
            return point, used
        if point.slope >= 0:
            return _between(at, start, point, low, tolerance, budget, used)
        length = min(max(_minimum(low, point, grows=True), point.length * 1.01 + 0.01 * (point.length - low.length)),
                     point.length * LONGEST_GROWTH)
        low = point
    return low, used


def _between(at: Callable[[float], Point], start: Point, low: Point, high: Point, tolerance: float, budget: int,
             used: int) -> tuple[Point, int]:
    """Narrows an interval that holds a good point; `low` is its end with the lower loss."""
    while used < budget and abs(high.length - low.length) > tolerance:
        point = at(_inside(low, high, _minimum(low, high)))
        used += 1
        if _too_high(start, point) or point.loss >= low.loss:
            high = point
            continue
        if abs(point.slope) <= -FLATTENING * start.slope:
            return point, used
        if point.slope * (high.length - low.length) >= 0:
            high = low
        low = point
    return low, used


def _too_high(start: Point, point: Point) -> bool:
    return not point.loss <= start.loss + DECREASE * point.length * start.slope  # NaN is too high


def _minimum(left: Point, right: Point, grows: bool = False) -> float:
    """Where the cubic through two points with these slopes is least; the middle where it has no minimum."""
    middle = (left.length + right.length) / 2
    if left.length == right.length or not math.isfinite(right.loss) or not math.isfinite(left.loss):
        return right.length * 2 if grows else middle
    if left.length > right.length:
        left, right = right, left
    width = right.length - left.length
    bend = left.slope + right.slope - 3 * (left.loss - right.loss) / (left.length - right.length)
    root = bend * bend - left.slope * right.slope
    if root < 0:
        return right.length * 2 if grows else middle
    root = math.sqrt(root)
    divisor = right.slope - left.slope + 2 * root
    return middle if divisor == 0 else right.length - width * (right.slope + root - bend) / divisor


def _inside(low: Point, high: Point, length: float) -> float:
    """The length, kept a tenth of the interval away from its ends."""
    first, last = sorted((low.length, high.length))
    margin = (last - first) / 10
    return min(max(length, first + margin), last - margin)
