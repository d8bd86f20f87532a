"""`x.register_hook` on a variable of a Program: what is computed from x gives its gradient to the hook.

As a PyLayer's `backward` it runs once, where it is registered, and becomes part of the Program's backward pass.
"""

from __future__ import annotations

import collections
import copy
from collections.abc import Callable
from typing import Any

from ...core import nest
from ...core.hooks import HookHandle, add_hook
from ...ops.core.trace import Trace, current_trace, grad_mode
from ...ops.program.control_flow import select_input_op
from ..autodiff.py_layer import with_gradient
from ..ir.block import Block
from ..ir.operation import Operation
from ..ir.program import Program
from ..ir.usage import sub_block
from ..ir.variable import Variable
from .renaming import assign, take_name
from .views import note_shown


class ProgramHook:
    """What registering a hook in a Program returns."""

    def remove(self) -> bool:
        """Raises RuntimeError: what the hook does is part of the Program."""
        raise RuntimeError("register_hook(…).remove(): the hook of a variable is part of the Program by now, and "
                           "cannot be taken away. Register it only where it is wanted.")


def register_hook(variable: Variable, hook: Callable[[Any], Any]) -> ProgramHook | HookHandle:
    """Lets the gradient of a variable that was just computed go through `hook`, behind those it has.

    In a Program that is written by hand a parameter, or what is fed, has hooks too: its whole gradient goes through
    them where it is appended.
    """
    if variable.stop_gradient:
        raise RuntimeError("register_hook(hook): this Tensor has stop_gradient=True, so it gets no gradient.")
    trace = current_trace()
    if (variable.is_data or variable.persistable) and not trace.captures:
        return add_hook(variable.program.leaf_hooks.setdefault(variable.name, {}), hook)
    now = variable._alias()
    _check_own(variable, trace)
    hooked = variable.program.hooked
    former, hooks = hooked.get(variable.name) or (copy.copy(now), ())
    hooks = (*hooks, hook)
    block, used, before = variable.block, variable.name, len(variable.block.ops)

    def through_hooks(gradient: Variable) -> Any:
        for each in hooks:
            found = trace.called(each)(gradient)
            gradient = gradient if found is None else found
        return gradient

    with grad_mode(True):
        result = with_gradient(trace, former, [former], through_hooks, "a hook of register_hook")
        (take_name if trace.captures else assign)(variable, result)
    if _is_read(block.ops[:before], used):
        _move_before_uses(block, before, used, variable.name)
    note_shown(variable, now)
    hooked[variable.name] = former, hooks
    variable.program.read_by_hooks += _read_by(hook, variable)
    return ProgramHook()


def check_what_hooks_read(program: Program) -> None:
    """RuntimeError where a name that a hook reads has got another value since: without conversion it would read that.

    Hooks run at the end, in the backward pass; those of a Program have run where they were registered.
    """
    for hooked, name, cell, values, writes in program.read_by_hooks:
        if hooked.block not in program.blocks or hooked.block.vars.get(hooked.name) is not hooked:
            continue  # of a branch or loop that was traced once more
        now = _held(cell)
        if len(now) != len(values) or not all(map(_is_same, now, values)) or _writes(program, now) != writes:
            raise RuntimeError(
                f"register_hook(hook): the hook reads {name!r}, which is given another value behind it, and without "
                "conversion would read that. Give what it reads a name that stays: register_hook(lambda g, kept=kept: "
                "…).")


def _read_by(hook: Callable, hooked: Variable) -> list[tuple]:
    """What a hook of a variable reads of around it: names, their cells, what these hold and how often it was written.

    The variable is as it is now: it may be given another name.
    """
    function, found = getattr(hook, "__func__", hook), []
    names = getattr(getattr(function, "__code__", None), "co_freevars", ())
    for name, cell in zip(names, getattr(function, "__closure__", None) or (), strict=False):
        values = _held(cell)
        found.append((hooked.block.vars[hooked.name], name, cell, values, _writes(hooked.program, values)))
    return found


def _held(cell: Any) -> list:
    try:
        return list(nest.leaves(cell.cell_contents))
    except ValueError:  # nothing is in it yet, or no longer
        return []


def _writes(program: Program, values: list) -> list[tuple]:
    """The names of Variables, and how many operations write to them: in a loop, what is carried is written behind."""
    names = [value.name for value in values if isinstance(value, Variable)]
    count = collections.Counter(n for block in program.blocks for op in block.ops for n in op.output_arg_names)
    return [(name, count[name]) for name in names]


def _is_same(a: Any, b: Any) -> bool:
    return a is b or isinstance(a, (int, float, str)) and type(a) is type(b) and a == b


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
    if variable.chosen or _is_hooked_inside(variable.block.ops, variable.name):
        raise RuntimeError(
            f"register_hook(hook): {variable.name!r} may be a tensor of before the `if` or loop that gave it, which a "
            "tensor decides, or one that has hooks there: its other uses and these hooks would come in too. Register "
            "the hook on x * 1 and use that from there on.")
    if not trace.captures and _is_read(variable.block.ops, variable.name):
        raise _used_already(variable.name)


def _is_hooked_inside(ops: list[Operation], name: str) -> bool:
    """Whether a name is that of what a statement's block gives, in which something has hooks."""
    made_by = next((op for op in reversed(ops) if name in op.output_arg_names), None)
    if made_by is None:
        return False
    inner = sub_block(made_by)
    if inner is not None:
        return not inner.vars.keys().isdisjoint(inner.program.hooked)
    return made_by.type == select_input_op.type and any(_is_hooked_inside(ops, each) for each in made_by.input("X"))


def _used_already(name: str) -> RuntimeError:
    return RuntimeError(
        f"register_hook(hook): {name!r} has been used already, and what was computed from it would give its gradient "
        "past the hook, or the hook reads what was computed since. Register the hook right behind the operation that "
        "computes the tensor.")


def _is_read(ops: list[Operation], name: str) -> bool:
    """Whether one of the operations, or one in their blocks, reads a name."""
    return any(name in op.input_arg_names or (inner := sub_block(op)) is not None and _is_read(inner.ops, name)
               for op in ops)


def _move_before_uses(block: Block, begin: int, used: str, hooked: str) -> None:
    """Puts what registering has appended, from `begin` on, right behind what computes the value, before its uses.

    These read what the hook gives from now on. RuntimeError where the hook reads what is computed between.
    """
    behind = 1 + max(n for n, op in enumerate(block.ops[:begin]) if used in op.output_arg_names)
    appended, between = block.ops[begin:], block.ops[behind:begin]
    written = {name for op in between for name in op.output_arg_names}
    if any(not written.isdisjoint(op.input_arg_names) for op in appended):
        error = _used_already(used)
        block.program.value_wanted = block.program.value_wanted or error
        raise error
    _read_instead(between, used, hooked)
    block.ops[behind:] = [*appended, *between]


def _read_instead(ops: list[Operation], used: str, hooked: str) -> None:
    for op in ops:
        op.rename_input(used, hooked)
        inner = sub_block(op)
        if inner is not None:
            _read_instead(inner.ops, used, hooked)
