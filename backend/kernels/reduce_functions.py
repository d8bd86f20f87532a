"""Reductions of a stretch of elements, sums, extremes and products, as functions that generated loops call.

Sums stay accurate over long stretches: they are taken of parts in the kernel's type, and these are added in float64.
"""

# ruff: noqa: D103 - functions of generated loops, described above or where they are called

from __future__ import annotations

from .. import loops
from ..loops.names import f64, in_order, of_order, sqrt


@loops.function
def total_of(x, n):
    total = f64(0.0)
    for start in range(0, n, 1024):
        part = 0.0
        for i in range(start, min(start + 1024, n)):
            part += x[i]
        total += part
    return total


@loops.function
def squares_around(x, middle, n):
    total = f64(0.0)
    for start in range(0, n, 1024):
        part = 0.0
        for i in range(start, min(start + 1024, n)):
            away = x[i] - middle
            part += away * away
        total += part
    return total


@loops.function
def squares_of(x, n):
    return squares_around(x, 0.0, n)


@loops.function
def mean_and_spread(x, n, epsilon):
    """The mean, the variance, and 1 / sqrt(variance + epsilon)."""
    mean, variance = 0.0, 0.0
    mean = total_of(x, n) / n
    variance = squares_around(x, mean, n) / n
    return mean, variance, 1.0 / sqrt(variance + epsilon)


@loops.function
def product_of(x, n):
    total = 1.0
    for i in range(n):
        total *= x[i]
    return total


@loops.function
def largest(x, n):
    return largest_scaled(x, 1.0, n)


@loops.function
def largest_scaled(x, scale, n):
    """Of x * scale. Extremes of whole numbers are what every LLVM vectorizes; they tell zeros and NaNs apart."""
    top = in_order(x[0] * scale)
    bottom = top
    for i in range(n):
        place = in_order(x[i] * scale)
        top = max(top, place)
        bottom = min(bottom, place)
    return first_that_is_nan(of_order(bottom), of_order(top))


@loops.function
def smallest(x, n):
    top = in_order(x[0])
    bottom = top
    for i in range(n):
        place = in_order(x[i])
        top = max(top, place)
        bottom = min(bottom, place)
    return first_that_is_nan(of_order(top), of_order(bottom))


@loops.function
def first_that_is_nan(a, b):
    """a where that is NaN, and b otherwise: NaNs lie at either end, by their sign."""
    return a if a != a else b


@loops.function
def product_totals(g, x, middle, n):
    """The sums of g and of g * (x - middle)."""
    total, along = f64(0.0), f64(0.0)
    for start in range(0, n, 1024):
        part, part_along = 0.0, 0.0
        for i in range(start, min(start + 1024, n)):
            part += g[i]
            part_along += g[i] * (x[i] - middle)
        total += part
        along += part_along
    return total, along
