"""`x.register_hook` on a variable of a Program: what is computed from x from here on gives its gradient to the hook.

As a PyLayer's `backward` it runs once, where it is registered, and becomes part of the Program's backward pass.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from ...ops.core.trace import Trace, current_trace, grad_mode
from ..autodiff.py_layer import with_gradient
from ..ir.variable import Variable
from .renaming import assign, take_name
from .views import note_shown


class ProgramHook:
    """What registering a hook in a Program returns."""

    def remove(self) -> bool:
        """Raises RuntimeError: what the hook does is part of the Program."""
        raise RuntimeError("register_hook(…).remove(): the hook of a variable is part of the Program by now, and "
                           "cannot be taken away. Register it only where it is wanted.")


def register_hook(variable: Variable, hook: Callable[[Any], Any]) -> ProgramHook:
    """Lets the gradient of a variable that was just computed go through `hook`, behind those it has."""
    if variable.stop_gradient:
        raise RuntimeError("register_hook(hook): this Tensor has stop_gradient=True, so it gets no gradient.")
    trace = current_trace()
    now = variable._alias()
    _check_own(variable, trace)
    hooked = variable.program.hooked
    former, hooks = hooked.get(variable.name) or (copy.copy(now), ())
    hooks = (*hooks, hook)

    def through_hooks(gradient: Variable) -> Any:
        for each in hooks:
            found = trace.called(each)(gradient)
            gradient = gradient if found is None else found
        return gradient

    with grad_mode(True):
        result = with_gradient(trace, former, [former], through_hooks, "a hook of register_hook")
        (take_name if trace.captures else assign)(variable, result)
    note_shown(variable, now)
    hooked[variable.name] = former, hooks
    return ProgramHook()


def before_hooks(variable: Variable) -> Variable:
    """What a variable was before it had hooks: the gradient of that is the one that its hooks have given back."""
    former: Variable
    former, _ = variable.program.hooked.get(variable.name) or (variable, ())
    return former


def _check_own(variable: Variable, trace: Trace) -> None:
    """RuntimeError where the gradient that flows to the value already would not go through the hook."""
    if variable.is_data or variable.persistable or variable.block is not trace.block:
        raise RuntimeError(
            f"register_hook(hook): {variable.name!r} was not computed in this place of the Program: its gradient has "
            "other parts too. Register the hook outside of the function, or on x * 1 and use that from there on.")
    if any(variable.name in op.input_arg_names for block in variable.program.blocks for op in block.ops):
        raise RuntimeError(
            f"register_hook(hook): {variable.name!r} has been used already, and what was computed from it would give "
            "its gradient past the hook. Register the hook right behind the operation that computes the tensor.")
