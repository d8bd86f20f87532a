"""The line search of `functional`: strong Wolfe conditions, by steps that double, and then an interval that narrows.

Nocedal and Wright, Numerical Optimization, 2006, algorithms 3.5 and 3.6. The lengths that are tried are those that
PaddlePaddle tries there; LBFGS, the optimizer, has a search of its own (`optimizer/line_search.py`). Knows numbers
only, and of a point's gradient nothing but that it goes with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...optimizer.line_search import DECREASE, FLATTENING, Point

LONGEST = 10.0  # step
SHORTEST_INTERVAL = 1e-8
MARGIN = 0.1  # of an interval; a trial step closer to an end gives way to the middle


def strong_wolfe(at: Callable[[Any], Point], zero: Any, length: Any, max_iters: int) -> tuple[Point, int]:
    """A point that fulfils the conditions, or that of length 0; and the number of points that counted.

    `at(length)` gives the point of a length; `zero` is 0 as such a length.
    """
    start = before = at(zero)
    for tries in range(max_iters):
        point, calls = at(length), tries + 2
        if math.isinf(point.loss):
            return start, calls
        if _too_high(start, point) or (tries > 1 and point.loss >= before.loss):
            found, more = _between(at, start, before._replace(slope=start.slope), point, max_iters)
            return found, calls + more
        if _flat_enough(start, point):
            return point, calls
        if point.slope >= 0:
            found, more = _between(at, start, point, before._replace(slope=start.slope), max_iters)
            return found, calls + more
        before, length = point, min(2 * length, type(length)(LONGEST))
    return start, max_iters + 1


def _between(at: Callable[[Any], Point], start: Point, low: Point, high: Point, max_iters: int) -> tuple[Point, int]:
    """Narrows an interval whose end `low` is the better; the point that fulfils the conditions is not counted."""
    tries = 0
    while tries < max_iters and not abs(high.length - low.length) < SHORTEST_INTERVAL:
        point = at(_inside(low, high))
        if _too_high(start, point) or point.loss >= low.loss:
            high = point
        elif _flat_enough(start, point):
            return point, tries
        else:
            low, high = point, low if point.slope * (high.length - low.length) >= 0 else high
        tries += 1
    return low, tries


def _too_high(start: Point, point: Point) -> Any:
    return not point.loss <= start.loss + DECREASE * point.length * start.slope  # NaN is too high


def _flat_enough(start: Point, point: Point) -> Any:
    return abs(point.slope) <= -FLATTENING * start.slope


def _inside(low: Point, high: Point) -> Any:
    """Where the cubic through both points is least; the middle where that is too close to an end, or nowhere."""
    left, right = (low, high) if low.length <= high.length else (high, low)
    width = right.length - left.length
    with np.errstate(all="ignore"):
        bend = low.slope + high.slope - 3 * (low.loss - high.loss) / (low.length - high.length)
        root = np.sqrt(bend * bend - low.slope * high.slope)
        length = right.length - width * ((right.slope + root - bend) / (right.slope - left.slope + 2 * root))
        length = min(max(length, left.length), right.length)
    close = not min(length - left.length, right.length - length) >= MARGIN * width
    return 0.5 * (low.length + high.length) if close else length
