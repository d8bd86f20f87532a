"""A line search for a step that lowers a function enough and flattens it enough: the strong Wolfe conditions.

Nocedal and Wright, Numerical Optimization, 2006, algorithms 3.5 and 3.6, with cubic interpolation. The lengths
tried are those that PaddlePaddle's LBFGS tries. Knows numbers only, and of a point's gradient nothing but that it goes
with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

DECREASE, FLATTENING = 1e-4, 0.9  # the conditions' constants, c₁ and c₂
LONGEST_GROWTH = 10.0  # of a trial step over the one before
TRIALS = 25  # after the first one
MARGIN = 0.1  # of an interval, that a trial step twice in a row may not be close to its ends by


class Point(NamedTuple):
    """A step's length, the loss and its slope along the line there, and the gradient."""

    length: Any
    loss: float
    slope: Any
    gradient: Any


def strong_wolfe(at: Callable[[Any], Point], start: Point, length: Any, reach: float,
                 tolerance: float) -> tuple[Point, int]:
    """A point that fulfils the conditions, or the best found within TRIALS; and the number of calls of `at`.

    `start` is the point of length 0. An interval that moves no element by `tolerance` is not divided: `reach` is how
    far the element that moves most moves in a step of length 1.
    """
    before, point, tries = start, at(length), 0
    while tries < TRIALS:
        if _too_high(start, point) or (tries > 1 and point.loss >= before.loss):
            break
        if _flat_enough(start, point):
            return point, tries + 1
        if point.slope >= 0:
            break
        shortest = point.length + 0.01 * (point.length - before.length)
        length = _minimum(before, point, shortest, point.length * LONGEST_GROWTH)
        before, point, tries = point, at(length), tries + 1
    if tries == TRIALS:
        before = start
    return _between(at, start, [before, point], tries, lambda width: width * reach < tolerance)


def _between(at: Callable[[Any], Point], start: Point, ends: list[Point], tries: int,
             narrow: Callable[[Any], Any]) -> tuple[Point, int]:
    """Narrows an interval that holds a good point; gives the end with the lower loss, and the number of calls."""
    low, close = _lower(ends), False
    while tries < TRIALS and not narrow(abs(ends[1].length - ends[0].length)):
        length, close = _inside(ends, close)
        point = at(length)
        tries += 1
        if _too_high(start, point) or point.loss >= ends[low].loss:
            ends[1 - low] = point
            low = _lower(ends)
            continue
        done = _flat_enough(start, point)
        if not done and point.slope * (ends[1 - low].length - ends[low].length) >= 0:
            ends[1 - low] = ends[low]
        ends[low] = point
        if done:
            break
    return ends[low], tries + 1


def _too_high(start: Point, point: Point) -> Any:
    return not point.loss <= start.loss + DECREASE * point.length * start.slope  # NaN is too high


def _flat_enough(start: Point, point: Point) -> Any:
    return abs(point.slope) <= -FLATTENING * start.slope


def _lower(ends: list[Point]) -> int:
    return int(ends[1].loss < ends[0].loss or math.isnan(ends[0].loss))


def _minimum(one: Point, other: Point, least: Any, most: Any) -> Any:
    """Where between these bounds the cubic through two points with their slopes is least; else their middle."""
    left, right = (one, other) if one.length <= other.length else (other, one)
    with np.errstate(all="ignore"):
        bend = left.slope + right.slope - 3 * (left.loss - right.loss) / (left.length - right.length)
        root = bend**2 - left.slope * right.slope
        if root >= 0:
            root = root**0.5
            share = (right.slope + root - bend) / (right.slope - left.slope + 2 * root)
            length = right.length - (right.length - left.length) * share
            if math.isfinite(length):
                return min(max(length, least), most)
    return (least + most) / 2.0


def _inside(ends: list[Point], close: bool) -> tuple[Any, bool]:
    """The next length to try in an interval, and whether it is close to an end, as it may be once in a row only."""
    first, last = sorted(end.length for end in ends)
    length, margin = _minimum(ends[0], ends[1], first, last), MARGIN * (last - first)
    if min(last - length, length - first) >= margin:
        return length, False
    if not close and first < length < last:
        return length, True
    return (last - margin if abs(length - last) < abs(length - first) else first + margin), False
