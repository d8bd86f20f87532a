"""What productions are: each takes the body and gives the text, shape and kind of an expression, or None."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..body import Body, Shape

Found = tuple[str, Shape, str]
Production = Callable[[Body], Found | None]
PRODUCTIONS: list[tuple[float, str | None, Production]] = []


def production(weight: float, feature: str | None = None) -> Callable[[Production], Production]:
    """Registers a production: how often it is tried, and the feature without which it is left out."""

    def add(function: Production) -> Production:
        PRODUCTIONS.append((weight, feature, function))
        return function

    return add


def product(sizes: Any) -> int:
    """The product of sizes."""
    result = 1
    for s in sizes:
        result *= s
    return result
