"""Operations in place on variables of a Program: `y.add_(1)`, `y.unsqueeze_(0)`, `y[0] = 1`.

A value of the block that is being written gets a name of its own, and the variable goes by that from then on: what has
read it before goes on reading what it read. What has to keep its name is assigned to: a parameter or other state, a
value of an enclosing block (which a branch or loop changes), and in a Program by hand any, as it is fetched by name.
"""

from __future__ import annotations

import copy
from typing import Any

from ...core.errors import user_line
from ...ops.array.unknown_sizes import sizes
from ...ops.array.where import where
from ...ops.core.infer import product
from ...ops.core.trace import current_trace, grad_mode, state
from ...ops.math.unary import logical_not
from ..autodiff.py_layer import with_gradient
from ..ir.operation import Operation
from ..ir.usage import sub_block
from ..ir.variable import Variable
from .renaming import assign, take_name
from .views import as_read, bases_of, is_seen_anew, note_shown, part, pass_on, up_to_date


def rebind(variable: Variable, result: Variable) -> Variable:
    """Gives a variable the value of another from here on.

    ValueError for a result of another number of elements; RuntimeError where the variable must keep its shape or dtype.
    """
    if result is variable:
        return variable
    trace = current_trace()
    alike = result.dtype is variable.dtype and _may_agree(result.shape, variable.shape)
    if not alike:
        _check_size(variable, result)
    anew = result.view_of if trace.captures and is_seen_anew(variable, result) else None
    if not state.grad_enabled and not variable.stop_gradient and result.dtype.is_differentiable:
        result = _with_former_gradient(variable, result)
    if variable.is_one_of_several:
        raise RuntimeError(
            f"{variable.name!r} is changed in place ({user_line()}), and a tensor decides which item of a list it is, "
            "or which value it is a view of: what changes with it is known only when the program runs. Write into the "
            "value itself, as `x[i] = …`, or use the form that gives another value, as `items[i] = items[i] + 1`.")
    former = None
    if variable.persistable or variable.block is not trace.block:
        _check_kept(variable, result, alike)
        assign(variable, result)
    elif trace.captures or not alike:
        former = take_name(variable, result)
    else:
        assign(variable, result)
    variable.changes += 1
    if former is not None and not (alike and anew is None):
        part(variable, former, anew)
    elsewhere = variable.block is not trace.block  # where this branch or round does not run, the old value remains
    if elsewhere and variable.stop_gradient and not result.stop_gradient and not variable.persistable:
        _check_no_detached_view(variable)
        _begin_stopped(variable)
    variable.stop_gradient = result.stop_gradient and (variable.stop_gradient or not elsewhere)
    if variable.view_of is not None and (former is None or anew is None):
        pass_on(variable)
    for each in variable.chosen:
        if each[0] is None:
            raise RuntimeError(
                f"{each[1]} is changed in place ({user_line()}), and how often a loop runs or which branch, which a "
                "tensor decides, says whether another variable is the same tensor and changes too. Give one of them a "
                "copy: x.clone().")
    if variable.chosen:
        given = copy.copy(variable)
        given.chosen = ()  # read as it is: those that it may be have not been given it yet
        for each in variable.chosen:
            _change_where_chosen(variable, given, each)
            if elsewhere:  # only where this branch or round has run it is again what it was made of
                each[3] = -1
    _show_in_hooked(variable)
    return variable


def _show_in_hooked(variable: Variable) -> None:
    """Gives the views of a changed variable that have hooks on their gradients what it has become, with the hooks."""
    block = current_trace().block
    for view in [block.vars[name] for name in variable.program.hooked if name in block.vars]:
        if any(base is variable for base in bases_of(view)):
            up_to_date(view)


def _change_where_chosen(variable: Variable, given: Variable, each: list) -> None:
    """Lets a value have what a variable was given, in runs in which the variable is that value."""
    condition, holds, value, _ = each
    if list(value.shape) != list(variable.shape):
        raise RuntimeError(
            f"{variable.name!r} is another value where a tensor decides so, and its shape is changed in place "
            f"({user_line()}) from {list(value.shape)} to {list(variable.shape)}. Use the form that gives another.")
    value._rebind(where(condition if holds else logical_not(condition), given, value._alias()))
    each[3] = current_trace().lift(value, "a tensor that a condition chose").changes


def _check_no_detached_view(variable: Variable) -> None:
    """RuntimeError for y.detach(), whose memory is that of y: behind the branch it is read as y, without gradient."""
    if variable.view_of is not None and variable.view_of[2] is None:
        raise RuntimeError(
            f"{user_line()}: {variable.name!r} shares its memory with what it was detached from, and is given a value "
            "that has a gradient, in place, in a branch or a loop that a tensor decides. Give it a copy: "
            "y.detach().clone().")


def _begin_stopped(variable: Variable) -> None:
    """Keeps what an outer value was computed from without its gradient (`no_grad`) when it gets one in a branch."""
    ops = variable.block.ops
    places = [place for place, op in enumerate(ops) if variable.name in op.output_arg_names]
    if not places or sub_block(ops[places[-1]]) is not None:
        return
    maker = ops[places[-1]]
    former = variable.block.new_var(
        variable.program.new_name("stopped"), variable.shape, variable.dtype, stop_gradient=True)
    maker.rename_output(variable.name, former.name)
    ops.insert(places[-1] + 1, Operation(
        variable.block, "assign", {"X": [former.name]}, {"Out": [variable.name]}, {}))


def keeping_gradient(variable: Variable, result: Variable) -> Variable:
    """A value for a variable; one that stops gradients leaves the variable's as it was, as `assign` of Tensors does."""
    stops = result.stop_gradient and not variable.stop_gradient and result.dtype.is_differentiable
    return _with_former_gradient(variable, result) if stops and state.grad_enabled else result


def assigned(variable: Variable, result: Variable) -> Variable:
    """What `assign(value, variable)` does in a Program by hand: a variable that stops gradients goes on to do so.

    Whether a parameter is trained is not up to what it is set to.
    """
    stops = variable.stop_gradient
    if result.dtype is variable.dtype and _may_agree(result.shape, variable.shape):
        assign(variable, result)
        variable.changes += 1
    else:
        rebind(variable, result)
    variable.stop_gradient = stops if variable.is_parameter else stops or result.stop_gradient
    return variable


def _may_agree(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    return len(a) == len(b) and all(x == y or -1 in (x, y) for x, y in zip(a, b, strict=True))


def _check_size(variable: Variable, result: Variable) -> None:
    if -1 not in (*variable.shape, *result.shape) and product(variable.shape) != product(result.shape):
        raise ValueError(
            f"An in-place operation must keep the shape {list(variable.shape)} and dtype {variable.dtype.name}. "
            f"The result has shape {list(result.shape)} and dtype {result.dtype.name}.")


def _check_kept(variable: Variable, result: Variable, alike: bool) -> None:
    if not alike:
        raise RuntimeError(
            f"The tensor {variable.name!r} is changed in place in a branch or loop that a tensor decides, or outlives "
            f"the call: it must keep its shape {list(variable.shape)} and dtype {variable.dtype.name} there. The "
            f"result has shape {list(result.shape)} and dtype {result.dtype.name}. Use the form that returns another.")


def _with_former_gradient(variable: Variable, result: Variable) -> Variable:
    """Under `no_grad` a new value leaves the gradient as it was: it flows to what the old value was computed from."""
    with grad_mode(True):
        former = copy.copy(variable._alias())
    return result if former.stop_gradient else _with_gradient_of(former, result)


def _with_gradient_of(former: Variable, result: Variable) -> Variable:
    """`result`, whose gradient flows to another value of as many elements, as if it were that."""
    def as_former(g: Any) -> Any:
        if former.shape == result.shape:
            return g
        return g.reshape(former.shape if former.shape.count(-1) < 2 else sizes(former))

    return with_gradient(current_trace(), result, [former], as_former, "an operation in place")


def cut_off(variable: Variable) -> Variable:
    """Lets no gradient flow through a variable from here on; gives what it was.

    It has not changed: views of it that are behind go on to show what it was (`before_cut`). In a branch or a loop it
    keeps its name: where that does not run, gradients go on to flow.
    """
    now = as_read(variable)
    if variable.block is not current_trace().block:
        if now is not variable:
            raise RuntimeError(
                f"{user_line()}: {variable.name!r} is cut off from its gradient in a branch or a loop that a tensor "
                "decides, and is a view of a value that was changed in place before: it would be a view of that again "
                "behind the branch. Use the form that gives another value: y = y.detach().")
        assign(variable, now.detach())
        variable.before_cut = variable.changes, None
        return now
    former = take_name(variable, now.detach())
    former = former if now is variable else now
    note_shown(variable, now)
    variable.before_cut, variable.stop_gradient = (variable.changes, former), True
    for condition, holds, value, _ in variable.chosen:
        if condition is not None:
            _cut_off_where(condition if holds else logical_not(condition), value)
    return former


def _cut_off_where(condition: Variable, value: Any) -> None:
    """Lets no gradient flow through a value from here on in runs in which a condition holds."""
    there = current_trace().lift(value, "a tensor that a condition chose")
    if there.block is current_trace().block and not there.stop_gradient and not there.persistable:
        now = there._alias()
        former = take_name(there, where(condition, now.detach(), now))
        note_shown(there, now)
        there.before_cut = there.changes, former if now is there else now


def set_stop_gradient(variable: Variable, value: bool) -> None:
    """`variable.stop_gradient = value` in a converted function: it holds for what reads the variable from here on.

    What has read it before keeps its gradient. Where gradients are to flow again, they flow to what the value had been
    computed from when it was stopped; those of one that never had any end there. A value that was given, or is of an
    enclosing block, keeps its name, so that all that reads it is concerned.
    """
    trace = current_trace()
    own = variable.block is trace.block and not variable.persistable and not variable.is_data
    if own and trace.captures and bool(value) != variable.stop_gradient and variable.kind == "tensor":
        former, variable.flows_to = variable.flows_to, None
        if former is not None:
            take_name(variable, _with_gradient_of(former, variable.detach()))
            variable.stop_gradient = False
            return
        stopped = cut_off(variable)
        variable.flows_to = stopped if value else None
    variable.stop_gradient = bool(value)
    if own and trace.captures and not variable.stop_gradient:
        variable.program.leaves.add(variable.name)
