"""Views in Programs: what is done in place to a part of a variable is done to the variable (see `dygraph/views.py`).

A variable that an operator gave as a view knows what it is of, and how often that had been changed then.
"""

from __future__ import annotations

from typing import Any

from ...ops.core.operator import Operator
from ...ops.core.trace import apply, grad_mode
from ..ir.variable import Variable


def source_of(op: Operator | None, inputs: tuple, attrs: dict[str, Any]) -> tuple:
    """What the result of an operator on these inputs is a view of; without an operator it is the first, detached."""
    base, *others = inputs
    return base, base.changes, op, attrs, tuple(others)


def up_to_date(variable: Variable) -> Variable:
    """The variable, or, where it is a view of one that was changed since, a view of what that has become."""
    if variable.view_of is None:
        return variable
    base, changes, op, attrs, others = variable.view_of
    current = up_to_date(base)
    if current is base and base.changes == changes:
        return variable
    return current.detach() if op is None else apply(op, current, *others, **attrs)


def pass_on(variable: Variable, result: Variable, former: Variable | None) -> None:
    """Lets what a view is of have the value `result` that the view was given.

    A view of the view, `former` once the view has taken its name, takes its place: the elements are the same.
    """
    assert variable.view_of is not None
    if former is not None and result.view_of is not None and result.view_of[0] is variable:
        variable.view_of = (former, *result.view_of[1:])
        return
    base, _, op, attrs, others = variable.view_of
    variable.view_of = None
    if op is None:
        with grad_mode(False):
            base._rebind(variable)
    else:
        base._rebind(op.written(up_to_date(base), variable, *others, **attrs))
    variable.view_of = (base, base.changes, op, attrs, others)
