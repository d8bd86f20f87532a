"""Steps in one call of the compiled form (`ops/core/_steps.c`): what a rule declares of itself for that, `StepForm`.

The compiled form does what `Optimizer._apply` does, for parameters of float32, or declines before anything has changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..ops.core import native
from ..ops.core.operator import Operator
from ..ops.core.trace import current_trace
from ..regularizer import L1Decay, L2Decay
from .options import Options

Numbers = tuple[float, ...]
Asked = Callable[[list[Any]], list[Numbers]]


def _alike(rule: Any, options: Options) -> Asked | None:
    """The numbers of all parameters are the same."""
    return None


class StepForm(NamedTuple):
    """What the compiled form is told of a rule: its number in `_step_rules.h`, and the operator that it does.

    `numbers` gives the rule's own, of an optimizer and the options of a group; None where these are not what the form
    knows. `of_parameters` gives a function that tells them of each parameter, where the options have functions to be
    asked, else None.
    """

    rule: int
    op: Operator
    numbers: Callable[[Any, Options], Numbers | None]
    of_parameters: Callable[[Any, Options], Asked | None] = _alike

    def takes_step_of(self, rule: Any) -> bool:
        """Whether the compiled form has taken the step of an optimizer; nothing has changed where not."""
        groups = rule._groups
        if native.module is None or not groups.parameters or rule._of_master:
            return False
        parts = tuple([self._part(rule, group) for group in (None, *groups.groups)])
        states = tuple([rule._accumulators[kind] for kind in rule._kinds])
        return None not in parts and native.module.take_step(
            self.rule, self.op, groups.parameters, states, rule.get_lr, parts, groups.index, groups.before,
            (L2Decay, L1Decay))

    def _part(self, rule: Any, group: Options | None) -> tuple[Any, ...] | None:
        """What is said of the parameters of a group, or of those in none; None where the form does not know that."""
        options, clip = rule._options_of(group), rule._clip_of(group)
        numbers = self.numbers(rule, options)
        if numbers is None or not _may_be_asked_twice(clip):
            return None
        factor = 1.0 if group is None else group.get("learning_rate", 1.0)
        return (factor, rule._shared_penalty(group), numbers, None if clip is None else _updating(clip),
                _updating(self.of_parameters(rule, options)))


def _may_be_asked_twice(clip: Any) -> bool:
    """Whether nobody notices that a clip is called before the compiled form finds that it does not take a step."""
    return clip is None or "_may_be_asked_twice" in type(clip).__dict__


def _updating(function: Any) -> Any:
    """A function that is called as within an update."""
    if function is None:
        return None

    def called(given: list[Any]) -> Any:
        with current_trace().updating():
            return function(given)

    return called
