"""A random expression."""

from __future__ import annotations

from ..body import Body, Shape
from .registry import PRODUCTIONS, Found, product
from .same_shape import unary


def expression(body: Body, tries: int = 12) -> Found:
    """A random expression."""
    fitting = [(w, p) for w, feature, p in PRODUCTIONS if body.network.allows(feature)]
    weights = [w for w, _ in fitting]
    for _ in range(tries):
        found = body.rng.choices(fitting, weights)[0][1](body)
        if found is not None and len(found[1]) <= 4 and _small(found[1]):
            return found
    v = body.value("float")
    assert v is not None
    return unary(body, v), v.shape, "float"


def _small(shape: Shape) -> bool:
    return product(s if isinstance(s, int) else 3 for s in shape) <= 160 and 0 not in shape
