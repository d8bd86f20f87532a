"""What a rule is told of each parameter (`Update`) and the compiled form of a rule (`StepForm`); penalties added."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..ops.core.operator import Operator
from ..regularizer import L2Decay


class Update(NamedTuple):
    """A parameter to update, its gradient, its learning rate (one element), and the coefficient of its L2 penalty."""

    parameter: Any
    gradient: Any
    rate: Any
    decay: float


class StepForm(NamedTuple):
    """What the compiled form (`ops/core/_steps.c`) is told of a rule: its number there, and the operator that it does.

    `numbers` gives the rule's own, of an optimizer; None where its options are not what the form knows.
    """

    rule: int
    op: Operator
    numbers: Callable[[Any], tuple[float, ...] | None]


def may_be_asked_twice(clip: Any) -> bool:
    """Whether nobody notices that a clip is called before the compiled form finds that it does not take a step."""
    return clip is None or "_may_be_asked_twice" in type(clip).__dict__


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
