"""Control flow in a Program: `cond` and `while_loop`.

A branch or loop body is traced into a block of its own. What it gives is assigned to variables of the enclosing block,
which is how Paddle's `conditional_block` and `while` hand values on. With a condition that has a value, both are plain
Python.
"""

from __future__ import annotations

import contextlib
import numbers
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...core import nest
from ...core.dtype import DType, float64, promote
from ...core.errors import user_line
from ...core.unique_name import drawing
from ...ops.array.creation import assign, to_tensor
from ...ops.array.full import full, is_value, number
from ...ops.core.result_names import results_named
from ...ops.core.trace import apply, current_trace, grad_mode
from ...ops.math.casting import cast
from ...ops.math.unary import logical_not
from ...ops.program.control_flow import select_input_op
from ..ir.block import Block
from ..ir.lod import assign_lod, own_lod, select_lod
from ..ir.program import Program
from ..ir.usage import block_reads, block_writes
from ..ir.variable import Variable
from .views import bases_of


def _program() -> Program:
    return current_trace().main


def _role() -> dict[str, int]:
    """The attribute that says which part of a training step the operation belongs to, where it is no forward one."""
    role = current_trace().role or _program()._op_role
    return {"op_role": role} if role else {}


def _as_variable(value: Any) -> Any:
    """A leaf as a Variable of the Program: numbers become constants, None stays."""
    if value is None or isinstance(value, Variable):
        return value
    if isinstance(value, float):
        return full((), value, float64)  # as Python has it
    if isinstance(value, (numbers.Number, bool)):
        return number(value)
    if is_value(value):
        return current_trace().lift(value, "a value in a branch or loop")
    return to_tensor(value)


def _assign_to(target: Any, value: Variable) -> None:
    if target.kind == "array":
        target.assign(value)
    elif value is not target:
        target.program.current_block().append("assign", {"X": [value.name]}, {"Out": [target.name]}, {})
        assign_lod(target, value.lod)


def _handed_out(block: Block, value: Variable) -> Variable:
    """A variable of the enclosing block that the branch being traced assigns `value` to."""
    parent = block.parent
    assert parent is not None
    outer = parent.new_var(block.program.draw_name("_generated_var"), value.shape, value.dtype, kind=value.kind,
                           stop_gradient=value.stop_gradient)
    _assign_to(outer, value)
    return outer


def check_what_branches_keep(program: Program) -> None:
    """RuntimeError where a value of a branch or loop is read outside of it."""
    for block in program.blocks:
        for op in block.ops:
            lost = next((name for name in op.input_arg_names if block.find_var(name) is None), None)
            if lost is not None:
                raise RuntimeError(
                    f"{op.source or user_line()}: a function that static.nn's `cond`, `case`, `switch_case` or "
                    f"`while_loop` calls gave an attribute or a list a value ({lost!r}), which is one of the branch or "
                    "loop alone, and which is read behind it. Give it back as a result, or write an `if` or `while` "
                    "statement.")


@contextlib.contextmanager
def _taken_back(program: Program) -> Iterator[None]:
    """When the block raises, what is appended goes where it went before, and blocks that were begun are gone."""
    blocks, current = len(program.blocks), program.current_block_idx
    try:
        yield
    except BaseException:
        del program.blocks[blocks:]
        program.current_block_idx = current
        raise


def _branch(pred: Variable, function: Callable[[], Any] | None) -> tuple[Any, list[Any]]:
    """Traces a branch that runs when `pred` is true: its structure, and its leaves as outer variables."""
    program = _program()
    with _taken_back(program):
        block = program.create_block()
        result = function() if function is not None else None
        leaves = [_as_variable(leaf) for leaf in nest.leaves(result)]
        outer = [None if leaf is None else _handed_out(block, leaf) for leaf in leaves]
        program.rollback()
    append_branch(block, [pred], True, [v.name for leaf in outer if leaf is not None for v in (leaf, *leaf.lod)])
    return result, outer


def append_branch(block: Block, conditions: Sequence[Variable], is_scalar: bool, own: Sequence[str]) -> None:
    """Appends what runs a block under conditions. `own`: the names it writes that have no value where it does not."""
    parent = block.parent
    assert parent is not None
    scope = parent.new_var(block.program.draw_name("_generated_var"), kind="scopes")
    written = list(dict.fromkeys([*own, *block_writes(block)]))
    kept = [n for n in written if n not in own]  # where the branch does not run
    read = dict.fromkeys([*block_reads(block), *kept])
    parent.append("conditional_block", {"Cond": [v.name for v in conditions], "Input": list(read)},
                  {"Out": written, "Scope": [scope.name]},
                  {"sub_block": block.idx, "is_scalar_condition": is_scalar, "skip_eager_deletion_vars": [],
                   **_role()})


def cond(pred: Any, true_fn: Callable[[], Any] | None = None, false_fn: Callable[[], Any] | None = None,
         name: str | None = None, return_names: Sequence[str] | None = None) -> Any:
    """`true_fn()` if `pred` (a bool tensor of one element) is true, otherwise `false_fn()`.

    Both must give the same structure. Where its tensors differ in their number of dimensions a warning is given, as in
    Paddle, and the Program declares as many dimensions as the one with more has, of unknown sizes.

    >>> import proa as paddle
    >>> paddle.static.nn.cond(paddle.to_tensor(True), lambda: 1, lambda: 2)
    1
    """
    for argument, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if function is not None and not callable(function):
            raise TypeError(f"cond({argument}): must be callable. Received {type(function).__name__}.")
    if not isinstance(pred, Variable):
        function = true_fn if bool(pred) else false_fn
        return function() if function is not None else None
    return staged_cond(pred, true_fn, false_fn, tells=True)


def staged_cond(pred: Variable, true_fn: Callable[[], Any] | None, false_fn: Callable[[], Any] | None,
                tells: bool) -> Any:
    """`cond` by a condition that only a run knows; it `tells` of values whose numbers of dimensions differ."""
    true_result, true_leaves = _branch(pred, true_fn)
    false_result, false_leaves = _branch(_negated(pred), false_fn) if false_fn is not None else (None, [None])
    if true_result is None and false_result is None:
        return None
    merged = _merge(pred, (true_result, true_leaves), (false_result, false_leaves), tells)
    return nest.pack(true_result, merged)


def _merge(pred: Variable, true: tuple[Any, list], false: tuple[Any, list], tells: bool) -> list[Any]:
    plain_true, plain_false = nest.flatten(true[0]), nest.flatten(false[0])
    if len(plain_true) != len(plain_false) or tells and not _are_alike(true[0], false[0]):
        raise ValueError(
            f"cond: both branches must give the same structure. Received {len(plain_true)} values from true_fn and "
            f"{len(plain_false)} from false_fn: {true[0]!r} and {false[0]!r}."
        )
    if tells and (true[0] is None) is not (false[0] is None):
        raise ValueError("cond: one branch gives None and the other one a value. Give a value in both, or None in "
                         "both.")
    mask = _as_number(pred)
    merged: list[Any] = []
    for position, (a, b) in enumerate(zip(true[1], false[1], strict=True)):
        if a is None and b is None:
            merged.append(None)
            continue
        if a is None or b is None:
            raise TypeError(f"cond: value {position} is None in one branch and a tensor in the other.")
        if a.dtype is not b.dtype:
            a, b = _recast(a, b, _common_dtype(a, b, plain_true[position], plain_false[position]))
        if tells and a.kind == b.kind == "tensor" and a.ndim != b.ndim:
            warnings.warn(f"cond: value {position} has shape {list(a.shape)} in true_fn and {list(b.shape)} in "
                          f"false_fn ({user_line()}). The Program declares no size of it; a run gives what it gives.",
                          stacklevel=4)
        with grad_mode(True):  # under `no_grad`, too, what a branch hands on as it is keeps its gradient
            merged.append(_selected(a, b, mask))
        select_lod(merged[-1], b.lod, a.lod, mask)
    return merged


def _are_alike(one: Any, other: Any) -> bool:
    """Whether values stand in the same places of both, under the same keys."""
    if isinstance(one, dict) or isinstance(other, dict):
        return isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys() and all(
            _are_alike(value, other[key]) for key, value in one.items())
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_are_alike, one, other))
    return not isinstance(one, (list, tuple)) and not isinstance(other, (list, tuple))


@results_named(overall=True, always=True)
def _negated(pred: Variable) -> Variable:
    return logical_not(pred)


@results_named(overall=True, always=True)
def _as_number(pred: Variable) -> Variable:
    return cast(pred, "int32")


@results_named("_generated_var", bare=True, always=True)
def _selected(a: Variable, b: Variable, mask: Variable) -> Variable:
    return apply(select_input_op, [b, a], mask)


def _common_dtype(a: Variable, b: Variable, plain_a: Any, plain_b: Any) -> DType:
    """The dtype for the values of both branches: a Python number follows a tensor whose dtype can hold it."""
    if is_value(plain_a) != is_value(plain_b):
        tensor, plain = (a, plain_b) if is_value(plain_a) else (b, plain_a)
        if _holds(tensor.dtype, plain):
            return tensor.dtype
    return promote(a.dtype, b.dtype)


def _holds(dtype: DType, plain: Any) -> bool:
    """Whether a number of Python is the same number in a dtype: 0.5 is none in int64, and 2 none in bool."""
    if dtype.kind in "fc" or not isinstance(plain, numbers.Real):
        return True
    if dtype.kind == "b":
        return isinstance(plain, (bool, np.bool_))
    limits = np.iinfo(dtype.dtype)
    return isinstance(plain, (int, np.integer)) and limits.min <= int(plain) <= limits.max


def _recast(a: Variable, b: Variable, dtype: DType) -> tuple[Variable, Variable]:
    """Casts inside the branches: outside them, the value of the branch not taken does not exist."""
    block = a.block
    for outer in (a, b):
        if outer.dtype is dtype:
            continue
        op = next(op for op in block.ops if op.type == "conditional_block" and outer.name in op.output("Out"))
        inner = outer.program.blocks[op.attrs["sub_block"]]
        last = next(o for o in reversed(inner.ops) if outer.name in o.output_arg_names)
        before = inner.new_var(outer.program.draw_name("_generated_var"), outer.shape, outer.dtype,
                               stop_gradient=outer.stop_gradient)
        last.rename_output(outer.name, before.name)
        inner.append("cast", {"X": [before.name]}, {"Out": [outer.name]}, {"in_dtype": outer.dtype, "out_dtype": dtype})
        outer._dtype = dtype
    return a, b


def while_loop(cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Sequence[Any], is_test: bool = False,
               name: str | None = None) -> list[Any]:
    """Repeats `loop_vars = body(*loop_vars)` while `cond(*loop_vars)`, a bool tensor of one element, is true.

    A loop variable keeps its dtype and number of dimensions; its sizes may change from one round to the next. In a
    Program that is written by hand, the Variables in `loop_vars` are overwritten, as in Paddle: each holds what it is
    after the rounds so far, and the result is these Variables. A parameter is left alone: the result has another
    Variable in its place.

    >>> import proa as paddle
    >>> paddle.static.nn.while_loop(lambda i: i < 3, lambda i: [i + 1], [paddle.to_tensor(0)])[0].item()
    3
    """
    if not callable(cond) or not callable(body):
        raise TypeError("while_loop(cond, body): both must be callable.")
    if not isinstance(loop_vars, (list, tuple)):
        raise TypeError(f"while_loop(loop_vars): must be a list or tuple. Received {type(loop_vars).__name__}.")
    if not loop_vars:
        raise ValueError("while_loop(loop_vars): must be a list or tuple with something in it. Received an empty one.")
    return loop(cond, body, loop_vars, is_test, overwrites=not current_trace().captures)


def loop(cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Sequence[Any], is_test: bool = False,
         overwrites: bool = False) -> list[Any]:
    """As `while_loop`; a loop that changes tensors in place, and nothing else, has no loop variables.

    Without `overwrites` the Variables that it is given stay as they are.
    """
    values = list(loop_vars)
    pred = cond(*values)
    if overwrites and not current_trace().computes:
        _check_condition(pred)
    if isinstance(pred, Variable):
        with _taken_back(_program()):
            return _traced_loop(cond, body, values, is_test, overwrites)
    while bool(pred):
        results = _as_values(body(*values))
        if values and len(results) != len(values):
            raise ValueError(
                f"while_loop: body must give {len(values)} values, as many as loop_vars. It gave {len(results)}.")
        values = results
        pred = cond(*values)
    return values


def _check_condition(pred: Any) -> None:
    """TypeError for what would make a run, or already the building of the Program, go on for ever."""
    told = repr(pred)
    if isinstance(pred, Variable):
        if pred.dtype.kind == "b" and all(n in (-1, 1) for n in pred.shape):
            return
        told = f"one of {pred.dtype.name}, shape {list(pred.shape)}"
    elif not isinstance(pred, (bool, int, float)):
        return
    raise TypeError(f"while_loop(cond): must give a bool Variable of one element while a Program is built. "
                    f"Received {told}. Compute it from loop_vars, with paddle.less_than for one.")


def _as_values(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (list, tuple)) else [result]


def _loop_variable(value: Any, taken: Sequence[str] | None) -> Variable:
    """What a loop changes for a value that it is given: itself, or a copy if its name is `taken` (None: all are)."""
    initial = number(value) if isinstance(value, float) else _as_variable(value)
    if initial is None:
        raise TypeError("while_loop: a loop variable is None before the loop; give it a tensor or a number.")
    overwritten = taken is not None and not initial.is_parameter and initial.name not in taken
    if overwritten or initial.kind == "array":  # a list changes in place
        return initial
    variable = assign(initial)
    variable.stop_gradient = initial.stop_gradient
    return variable


def _loop_variables(values: list[Any], overwrites: bool) -> list[Variable]:
    found: list[Variable] = []
    for leaf in nest.leaves(values):
        found.append(_loop_variable(leaf, [v.name for v in found] if overwrites else None))
        own_lod(found[-1])
    return found


def _traced_loop(cond: Callable, body: Callable, values: list[Any], is_test: bool, overwrites: bool) -> list[Any]:
    program = _program()
    flat = _loop_variables(values, overwrites)
    lists = [v for v in program.list_vars() if v.kind == "array"]
    outer = _variables_around(program.current_block())
    rounds = 2 + 2 * len(outer) + sum(v.ndim + 2 for v in (*flat, *lists))
    shown: set[str] = set()
    for _ in range(rounds):  # each makes a size unknown, a gradient wanted or a view one that changes, or stops
        stops = [v.stop_gradient for v in outer]
        changes = [v.changes for v in outer]
        checkpoint = len(program.blocks)
        known = [v.known for v in lists]
        packed = nest.pack(values, flat)
        with drawing() as give_names_back:
            pred = assign(cond(*packed))
            block = program.create_block()
            block.repeats = True
            given = body(*packed)
            if given is None:
                raise TypeError("while_loop(body): must give the loop variables. It gave None: does it return them?")
            results = [_as_variable(leaf) for leaf in nest.leaves(_as_values(given))]
            if len(results) != len(flat):
                raise ValueError(
                    f"while_loop: body must give {len(flat)} values, as many as loop_vars. It gave {len(results)}."
                )
            widened = _widened(flat, results)
            wanted = _wanted_in_place(outer, stops)
            behind = _seen_in_views(outer, changes) - shown
            shown |= behind
            is_known = known == [v.known for v in lists]
            if is_known and not (widened or wanted or behind):
                break
            give_names_back()  # parameters of the body are the same ones in the next round
        del program.blocks[checkpoint:]
        program.current_block_idx = block.parent_idx
    own = {v.name for v in flat}
    results = [assign(r) if r.name in own and r is not v and r.kind == "tensor" else r
               for v, r in zip(flat, results, strict=True)]
    going_on = cond(*nest.pack(values, results)) if overwrites else None  # sees what a round gives, and has not stored
    for variable, result in zip(flat, results, strict=True):
        _assign_to(variable, result)
    _assign_to(pred, cond(*nest.pack(values, flat)) if going_on is None else going_on)
    program.rollback()
    append_while(block, pred, is_test)
    return nest.pack(values, flat)


def _variables_around(block: Block | None) -> list[Variable]:
    """The tensors that a loop in a block can change in place."""
    found: list[Variable] = []
    while block is not None:
        found += [v for v in block.vars.values() if v.kind == "tensor"]
        block = block.parent
    return found


def _seen_in_views(variables: list[Variable], changes: list[int]) -> set[str]:
    """Those that a round has changed in place, and that others are views of: read before, in the next, they differ."""
    changed = [v for v, before in zip(variables, changes, strict=True) if v.changes != before]
    if not changed or not current_trace().captures:
        return set()
    bases = {id(base) for v in variables for base in bases_of(v)}
    return {v.name for v in changed if id(v) in bases}


def _wanted_in_place(variables: list[Variable], before: list[bool]) -> bool:
    """Whether a round has made gradients wanted of variables by changing them in place; that stays so."""
    changed = False
    for variable, stopped in zip(variables, before, strict=True):
        if variable.stop_gradient != stopped:
            changed, variable.stop_gradient = changed or stopped, False
    return changed


def _widened(variables: list[Variable], results: list[Variable]) -> bool:
    """Makes sizes unknown, and gradients wanted, where a round changed them; True when anything changed."""
    changed = False
    for position, (variable, result) in enumerate(zip(variables, results, strict=True)):
        if variable.kind == "array":
            continue
        if result.dtype is not variable.dtype or result.ndim != variable.ndim:
            raise TypeError(
                f"while_loop: a loop variable keeps its dtype and number of dimensions. Variable {position} began as "
                f"{variable.dtype.name}{list(variable.shape)} and body gave {result.dtype.name}{list(result.shape)}. "
                f"Convert it in body, or start from a value of that kind."
            )
        shape = tuple(a if a == b else -1 for a, b in zip(variable.shape, result.shape, strict=True))
        stop = variable.stop_gradient and result.stop_gradient
        if shape != variable.shape or stop != variable.stop_gradient:
            variable.shape, variable.stop_gradient = shape, stop
            changed = True
    return changed


def append_while(block: Block, pred: Variable, is_test: bool) -> None:
    """Appends what runs a block as long as `pred`, which the block writes, is true."""
    program, parent = block.program, block.parent
    assert parent is not None
    scopes = parent.new_var(program.draw_name("_generated_var"), kind="scopes")
    written = [name for name in block_writes(block) if name != pred.name]
    read = list(dict.fromkeys([*block_reads(block), *written]))
    parent.append("while", {"X": [n for n in read if n != pred.name], "Condition": [pred.name]},
                  {"Out": [*written, pred.name], "StepScopes": [scopes.name]},
                  {"sub_block": block.idx, "is_test": is_test, "skip_eager_deletion_vars": [], **_role()})
