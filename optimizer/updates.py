"""What a rule is told of each parameter (`Update`); penalties added."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..regularizer import L2Decay


class Update(NamedTuple):
    """A parameter to update, its gradient, its learning rate (one element), and the coefficient of its L2 penalty."""

    parameter: Any
    gradient: Any
    rate: Any
    decay: float


def decays_of(updates: Sequence[Update]) -> list[float]:
    """The coefficients of the penalties; empty where there is none."""
    decays = [update.decay for update in updates]
    return decays if any(decays) else []


def decayed_gradients(updates: Sequence[Update]) -> list[Any]:
    """The gradients with those of their L2 penalties added."""
    return [L2Decay(decay).added(parameter, gradient) if decay else gradient
            for parameter, gradient, _, decay in updates]


def penalized(penalty: Any, gradient: Any, target: Any) -> tuple[Any, float]:
    """The gradient with a penalty's added; of an L2 penalty only the coefficient, which is left to the rule."""
    return (gradient, penalty.coeff) if type(penalty) is L2Decay else (penalty.added(target, gradient), 0.0)
