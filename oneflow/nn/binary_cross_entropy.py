"""Binary cross entropy, element by element, whose targets have gradients too: as in OneFlow; Paddle's are constants."""

from __future__ import annotations

from typing import Any

from ...nn import functional
from ...ops.math.clip import clip
from ...ops.math.elementwise import add, multiply, scale, subtract
from ...ops.math.unary import log

_LEAST_LOGARITHM = -100.0


def _with_slope(losses: Any, target: Any, slope: Any) -> Any:
    """The losses, unchanged; along the target their slope is what `slope` gives."""
    return losses if target.stop_gradient else add(losses, multiply(subtract(target, target.detach()), slope()))


def of_probabilities(input: Any, target: Any) -> Any:
    """-(target * log(input) + (1 - target) * log(1 - input)); the logarithms are cut at -100."""
    def slope() -> Any:
        given = input.detach()
        there, absent = log(given), log(scale(given, -1.0, 1.0))
        return subtract(clip(absent, min=_LEAST_LOGARITHM), clip(there, min=_LEAST_LOGARITHM))

    return _with_slope(functional.binary_cross_entropy(input, target, reduction="none"), target, slope)


def of_logits(input: Any, target: Any, pos_weight: Any = None) -> Any:
    """`of_probabilities` of sigmoid(input), without its overflows; `pos_weight` weighs the part of target 1."""
    def slope() -> Any:
        opposite = scale(input, -1.0)
        if pos_weight is None:
            return opposite
        return subtract(opposite, multiply(functional.log_sigmoid(input), subtract(pos_weight, 1.0)))

    losses = functional.binary_cross_entropy_with_logits(input, target, reduction="none", pos_weight=pos_weight)
    return _with_slope(losses, target, slope)
