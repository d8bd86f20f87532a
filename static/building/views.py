"""Views in Programs: what is done in place to a part of a variable is done to the variable (see `dygraph/views.py`).

A variable that an operator gave as a view knows what it is of, and how often that had been changed then. In a converted
function a view is read as what it is of is by now, as in eager code; in a Program by hand, whose variables go by their
names, as it was made.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.errors import user_line
from ...ops.array.assign import assign_op
from ...ops.array.where import where
from ...ops.core.infer import product
from ...ops.core.operator import Operator
from ...ops.core.trace import apply, current_trace, grad_mode, state
from ...ops.math.unary import logical_not
from ..ir.variable import Variable
from .renaming import take_name

_OPEN = 12  # stands for a size that is not known yet


def source_of(op: Operator | None, inputs: tuple, attrs: dict[str, Any]) -> tuple:
    """What the result of an operator on these inputs is a view of; without an operator it is the first, detached.

    Of further inputs, an index say, those of now are kept: where the view is does not change with them.
    """
    base, *others = inputs
    if base.is_of is not None and base.is_of.chosen:  # read as it is by now: what is done to the view is done to it
        base = base.is_of
    return base, base.changes, op, attrs, tuple(map(_as_now, others))


def _as_now(value: Any) -> Any:
    if type(value) is list:
        return list(map(_as_now, value))
    if value is None:
        return None
    if current_trace().captures:  # a branch, a loop or a later run may change it under its name
        with grad_mode(False):
            return apply(assign_op, value)
    now = copy.copy(value)
    now.is_of = value
    return now


def _others(variable: Variable) -> tuple:
    """The further inputs of a view's operator; RuntimeError where one has been changed since, under its name."""
    assert variable.view_of is not None
    others: tuple = variable.view_of[4]
    for now in others:
        for one in now if type(now) is list else [now]:
            value = getattr(one, "is_of", None)
            if value is not None and value.changes != one.changes and value.name == one.name:
                raise RuntimeError(
                    f"{variable.name!r} is a view of {variable.view_of[0].name!r} at the index {value.name!r}, which "
                    "was changed in place since: in a Program that is written by hand the index of before is gone. "
                    "Take the view behind the change, or take it at a copy of the index: y[paddle.assign(i)].")
            if isinstance(one, Variable) and not _is_in_sight(one):
                raise RuntimeError(
                    f"{user_line()}: a branch or a loop that a tensor decides about has made a view of "
                    f"{variable.view_of[0].name!r}, which was changed in place since, at an index that is known there "
                    "alone. Take the view again, behind it.")
    return others


def _is_in_sight(variable: Variable) -> bool:
    """Whether the block that is being written, or one around it, has the variable."""
    block: Any = current_trace().block
    while block is not None and block is not variable.block:
        block = block.parent
    return block is not None


def bases_of(variable: Any) -> list[Variable]:
    """What a variable is a view of, what that is a view of, and so on."""
    found: list[Variable] = []
    while isinstance(variable, Variable) and variable.view_of is not None:
        found.append(variable := base_of(variable))
    return found


def base_of(view: Variable) -> Variable:
    """What a view is of: where that was given another shape, or dtype, since, what it was before is its memory."""
    assert view.view_of is not None
    base, changes, *_ = view.view_of
    former: Variable = next((former for number, former in base.partings if number > changes), base)
    return former


def part(variable: Variable, former: Variable, anew: tuple | None) -> None:
    """Lets the views of a variable that was given another shape, or dtype, be those of what it was before.

    Where that is seen in the same memory (`x.reshape_(…)`), the variable is a view of it from now on itself; `anew`
    says how, as `view_of` does.
    """
    variable.partings = (*variable.partings, (variable.changes, former))
    if anew is not None:
        of, *how = anew
        variable.view_of = (former if of is variable else of, *how)


def is_seen_anew(variable: Variable, result: Variable) -> bool:
    """Whether an operation in place has given a variable no values, but another shape of those that it has."""
    of = None if result.view_of is None else result.view_of[0]
    return of is not None and (of is variable or of.is_of is variable)


def up_to_date(variable: Variable, is_read: bool = False) -> Variable:
    """The variable, or, where it is a view of one that was changed since, a view of what that has become.

    To be changed itself it is one of what that has become in any case, where an earlier round of a loop may have
    changed it; where a loop does so, what is only read in it has been found to be behind when it was traced before.
    """
    if variable.chosen:
        return _chosen_now(variable, as_read if is_read else up_to_date)
    if variable.view_of is None:
        return variable
    base, (_, changes, op, attrs, _) = base_of(variable), variable.view_of
    current = up_to_date(base, is_read)
    if current is base and base.changes == changes and (is_read or variable.block is current_trace().block):
        return variable
    if not _shares_memory(variable):
        variable.view_of = None
        return variable
    if current is base and base.before_cut is not None and changes < base.before_cut[0] == base.changes:
        current = _before_cut(base)
    hooks = variable.program.hooked.get(variable.name)
    made_of = (current, current.changes, state.grad_enabled, variable.stop_gradient)
    if is_read and hooks is None and variable.shown and _is_there(variable.shown, made_of):
        return variable.shown[0]  # gradients with respect to the view are those of one variable
    if op is None:
        fresh = current.detach()
    else:
        is_stopped = variable.stop_gradient and variable.flows_to is not None  # else only as its value had no gradient
        with grad_mode(hooks is not None or state.grad_enabled and not is_stopped):
            fresh = apply(op, current, *_others(variable), **attrs)
    fresh.is_of = variable
    variable.shown = (fresh, made_of, fresh.changes)
    return fresh if hooks is None else _hooked(variable, fresh, hooks[1])


def _is_there(shown: tuple, made_of: tuple) -> bool:
    """Whether what a view was read as last was made of this, and stands in the block that is being written.

    What was made with gradients is read without them too: behind that it is still what gradients are asked of.
    """
    fresh, former, changes = shown
    current, version, with_gradient, is_stopped = made_of
    alike = former[0] is current and former[1] == version and former[2] >= with_gradient and former[3] == is_stopped
    return alike and fresh.changes == changes and fresh.block is current_trace().block and fresh.op is not None


def _hooked(view: Variable, fresh: Variable, hooks: tuple) -> Variable:
    """A view that has hooks on its gradient, which is from now on what it shows now, with the hooks on that."""
    if view.block is not current_trace().block:
        raise RuntimeError(
            f"{user_line()}: what is read is a view of {base_of(view).name!r}, which was changed in place, and has "
            "hooks on its gradient: they would not see the whole gradient in a branch or a loop that a tensor decides. "
            "Take the view again, behind the change, or read it before the branch: y = x[0] * 1.")
    for hook in hooks:
        fresh.register_hook(hook)
    take_name(view, fresh)
    view.stop_gradient = fresh.stop_gradient
    view.program.hooked[view.name] = view.program.hooked[fresh.name]
    note_shown(view, fresh)
    return view


def note_shown(variable: Variable, now: Variable) -> None:
    """Notes that a variable, if it is a view, is itself what it shows by now, `now`, which others are views of then."""
    if variable.view_of is not None:
        base = base_of(variable)
        variable.view_of = (base, base.changes, *variable.view_of[2:])
        variable.changes += now is not variable


def _before_cut(base: Variable) -> Variable:
    """What a value was before it was cut off from its gradient, in words an error where only a branch had that."""
    assert base.before_cut is not None
    former: Variable | None = base.before_cut[1]
    if former is None:
        raise RuntimeError(
            f"{user_line()}: what is read is a view of {base.name!r}, which was changed in place, and then cut off "
            "from its gradient in a branch or a loop that a tensor decides. Take the view behind the change.")
    return former


def as_read(variable: Variable) -> Variable:
    """The variable as a converted function reads it: with what has become of what it is, or is a view of."""
    if variable.chosen:
        return _chosen_now(variable, as_read)
    return variable if variable.view_of is None else up_to_date(variable, is_read=True)


def _chosen_now(variable: Variable, look: Callable[[Variable], Variable]) -> Variable:
    """A value that a condition chose, with what those that it is one of have become since.

    Each of `chosen` is the condition, whether it holds where the variable is that value, the value, and how often that
    had been changed when both were last the same. Of what a loop leaves nobody knows the condition (None);
    errors call it by what stands in the place of `holds`.
    """
    chosen = variable
    for condition, holds, value, changes in chosen.chosen:
        there = value if isinstance(value, Variable) else current_trace().lift(value, "a tensor that a condition chose")
        if condition is None:
            if there.changes != changes:
                raise RuntimeError(
                    f"{holds} is read ({user_line()}), and has been changed in place as another variable, if both are "
                    "one tensor: that depends on how often a loop runs or which branch, which a tensor decides. Give "
                    "one of them a copy: x.clone().")
            continue
        now = look(there)
        if now is not there or there.changes != changes:
            if not _is_in_sight(now):
                raise RuntimeError(
                    f"{user_line()}: what a branch has made is read, which shares memory with a value that was changed "
                    "in place: that is known in the branch alone. Give it a copy there: x.clone().")
            former = copy.copy(variable)
            former.chosen = ()
            with grad_mode(state.grad_enabled and not (chosen.stop_gradient and chosen.flows_to is not None)):
                variable = where(condition if holds else logical_not(condition), now, former)
            variable.is_of = chosen
    return variable


def may_be_one(a: Any, b: Any) -> bool:
    """Whether a condition decides if two values, Tensors that are captured or variables, are one."""
    return not _that_may_be(a).isdisjoint(_that_may_be(b))


def _that_may_be(value: Any) -> set[int]:
    """The ids of the variables that a value may be."""
    seen: set[int] = set()
    pending = [value]
    while pending:
        there = pending.pop()
        there = there if isinstance(there, Variable) else current_trace().lift(there, "a tensor that is compared")
        if id(there) not in seen:
            seen.add(id(there))
            pending += [other for _, _, other, _ in there.chosen]
    return seen


def pass_on(variable: Variable) -> None:
    """Lets what a view is of have the value that the view was given."""
    assert variable.view_of is not None
    if not _shares_memory(variable):
        variable.view_of = None
        return
    base, (_, _, op, attrs, _) = base_of(variable), variable.view_of
    others = _others(variable)
    variable.view_of = None
    if op is None:
        with grad_mode(False):
            base._rebind(variable if variable.stop_gradient else apply(assign_op, variable))
    else:
        base._rebind(op.written(up_to_date(base), variable, *others, **attrs))
    always = variable.block is current_trace().block  # else only where this branch or round has run
    variable.view_of = (base, base.changes if always else base.changes - 1, op, attrs, others)


def _shares_memory(variable: Variable) -> bool:
    """Whether a view can be seen in the memory of its value: `x.t().flatten()` cannot, as elements have to move.

    A size that is not known yet is taken for one above 1.
    """
    assert variable.view_of is not None
    base, op = base_of(variable), variable.view_of[2]
    if op is None or not op.may_copy or base.view_of is None or product(base.shape) in (0, 1):
        return True
    try:
        memory = _memory(base)
    except (ValueError, IndexError):  # the stand-ins for open sizes do not fit
        return True
    try:
        return memory is None or np.may_share_memory(memory, _seen_in(memory, variable))
    except ValueError:  # `x.t().reshape([2, 3])`: they do not fit the new shape, to which elements have to move or not
        return bool(memory.flags.c_contiguous)


def _memory(variable: Variable) -> Any:
    """An array that lies in memory as the variable's value does; None where that is not known."""
    if variable.view_of is None:
        return stand_in(variable)
    _, _, op, _, others = variable.view_of
    memory = _memory(base_of(variable))
    if memory is None or op is None:
        return memory
    if not all(x is None or type(x) is list and not x for x in others):
        return None
    return _seen_in(memory, variable) if op.views else stand_in(variable)


def stand_in(variable: Variable) -> np.ndarray:
    """An array of the variable's shape and dtype that lies row by row; open sizes are one for all."""
    return np.empty([_OPEN if size < 0 else size for size in variable.shape], variable.dtype.dtype)


def _seen_in(memory: Any, variable: Variable) -> Any:
    assert variable.view_of is not None
    _, _, op, attrs, others = variable.view_of
    return op.kernel(np, memory, *others, **attrs)
