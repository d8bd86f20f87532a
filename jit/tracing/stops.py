"""Whether gradients stop at a value of a Program, where what the function is given may stop them."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from ...static.ir.variable import Variable


def may_stop(value: Any, captured: Container[str]) -> bool:
    """Whether the arguments decide: gradients flow through them here, and nothing else lets them flow to the value.

    `captured`: the names of Tensors that are no arguments, and of which it is known.
    """
    pending, seen, reached = [value], set(), False
    while pending:
        variable = pending.pop()
        if not isinstance(variable, Variable) or variable.stop_gradient or variable.name in seen:
            continue
        seen.add(variable.name)
        if variable.name in captured:
            return False
        if variable.op is None:
            reached = True
            continue
        sources = [variable.block.find_var(name) for name in variable.op.input_arg_names]
        flowing = [source for source in sources if source is not None and not source.stop_gradient]
        if not flowing:  # it was told to want a gradient
            return False
        pending += flowing
    return reached
