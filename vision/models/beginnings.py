"""What the older models begin with: weights spread evenly within bounds of their own, as Paddle's are."""

from __future__ import annotations

from ...nn.initializer import Uniform


def even(inputs: int, variance: float = 1.0 / 3.0) -> Uniform:
    """Numbers between -b and b whose variance is `variance / inputs`: by default b is 1 / sqrt(inputs)."""
    bound = (3.0 * variance / inputs) ** 0.5
    return Uniform(-bound, bound)
