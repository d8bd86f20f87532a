"""Sums in generated loops that stay accurate over long stretches: of parts in the kernel's type, added in float64."""

# ruff: noqa: D103 - functions of generated loops, described above or where they are called

from __future__ import annotations

from .. import loops
from ..loops.names import f64


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
