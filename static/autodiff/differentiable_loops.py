"""Gradients of control flow as control flow: so that they have gradients in their turn.

`while_grad` and `conditional_block_grad` read what a forward block kept for each round, by a way of its own. Here that
becomes lists: the forward block appends each value to a list, and the gradient is a `while` over the rounds from the
last to the first, or a `conditional_block`, that reads them. First-order gradients do without: they are faster so.
"""

from __future__ import annotations

from typing import Any

from ...core.dtype import bool_, int64
from ..ir.block import Block
from ..ir.operation import Operation
from ..ir.program import Program
from ..ir.usage import block_reads, block_writes, sub_block
from ..ir.variable import Variable
from .stop_gradient import propagate_gradients, stopped_on_purpose

_FORWARD = {"while_grad": ("while", "StepScopes"), "conditional_block_grad": ("conditional_block", "Scope")}


def make_differentiable(program: Program) -> None:
    """Rewrites the gradients of control flow in a Program, if there are any."""
    block = program.global_block()
    pairs = _pairs(block, block)
    stopped = stopped_on_purpose(program) if pairs else []
    for forward, gradient in pairs:
        _rewrite(forward, gradient)
    if pairs:
        program.version += 1
        propagate_gradients(program, stopped)


def _pairs(forward: Block, backward: Block) -> list[tuple[Operation, Operation]]:
    """The gradients of control flow in a block, each with the operation in another that it is of."""
    found = []
    for op in backward.ops:
        if op.type in _FORWARD:
            kind, slot = _FORWARD[op.type]
            (scope,) = op.input(slot)
            found.append((next(o for o in forward.ops if o.type == kind and scope in o.output(slot)), op))
    return found


def _rewrite(forward: Operation, gradient: Operation) -> None:
    inner, block = sub_block(forward), sub_block(gradient)
    assert inner is not None and block is not None
    for pair in _pairs(inner, block):
        _rewrite(*pair)
    for name in [n for n, v in block.vars.items() if v.kind == "scopes" and n in inner.vars]:
        del block.vars[name]
    kept = _read_first(block, inner)
    kinds = {name: inner.vars[name].kind for name in kept}
    lists = {name: _list_of(forward, inner, name) for name in kept}
    rounds = _list_of(forward, inner, None)
    _append_to_lists(forward, inner, {**lists, None: rounds})
    forward.attrs.pop("saved", None)
    _replace(gradient, block, lists, kinds, rounds)


def _read_first(block: Block, inner: Block) -> list[str]:
    """The values of the forward block that a gradient block reads before it writes anything of that name."""
    written: set[str] = set()
    found: dict[str, None] = {}
    for op in block.ops:
        nested = sub_block(op)
        names = [*op.input_arg_names, *(block_reads(nested) if nested is not None else ())]
        found.update((n, None) for n in names if n not in written and n in inner.vars)
        written.update(op.output_arg_names)
    return list(found)


def _list_of(forward: Operation, inner: Block, name: str | None) -> Variable:
    """A list, empty before the forward operation, for a value of each of its rounds; None: for a mark of each."""
    parent = forward.block
    source = None if name is None else inner.vars[name]
    fresh = parent.program.new_name("rounds" if name is None else f"{name}@ROUNDS")
    shape, dtype = ((1,), bool_) if source is None else (source.shape, source._dtype)
    made = parent.new_var(fresh, shape, dtype, kind="array",
                          stop_gradient=source is None or source.stop_gradient)
    at = parent.ops.index(forward)
    parent.ops.insert(at, Operation(parent, "empty_array", {}, {"Out": [fresh]}, {}))
    return made


def _append_to_lists(forward: Operation, inner: Block, lists: dict[Any, Variable]) -> None:
    index = _made(inner, "lod_array_length", {"X": [lists[None].name]}, (1,), int64)
    mark = _made(inner, "fill_constant", {}, (1,), bool_, {"shape": [1], "dtype": bool_, "value": 1.0})
    for name, array in lists.items():
        inner.append("write_to_array", {"X": [mark if name is None else name], "I": [index], "Array": [array.name]},
                     {"Out": [array.name]}, {})
    names = [array.name for array in lists.values()]
    slot = "X" if forward.type == "while" else "Input"
    forward.set_input(slot, [*forward.input(slot), *names])
    forward.set_output("Out", [*names, *forward.output("Out")])  # the condition stays last


def _made(block: Block, kind: str, inputs: dict[str, list[str]], shape: Any, dtype: Any, attrs: Any = None) -> str:
    """Appends an operation with one result, and gives its name."""
    name = block.program.new_name(kind)
    block.new_var(name, shape, dtype)
    block.append(kind, inputs, {"Out": [name]}, attrs or {})
    return name


def _replace(gradient: Operation, block: Block, lists: dict[str, Variable], kinds: dict[str, str],
             rounds: Variable) -> None:
    """Puts a loop, or a branch, in the place of a gradient operation."""
    outer = gradient.block
    for array in (*lists.values(), rounds):
        if outer.find_var(array.name) is None:  # a gradient block, which gets the list from its own list
            outer.new_var(array.name, array.shape, array._dtype, kind=array.kind, stop_gradient=array.stop_gradient)
    at = outer.ops.index(gradient)
    tail = outer.ops[at + 1:]
    del outer.ops[at:]
    index = _made(outer, "lod_array_length", {"X": [rounds.name]}, (1,), int64)
    condition = _is_positive(outer, index)
    at_round = _read_from_lists(block, lists, kinds, index)
    for name in gradient.output("Out"):
        outer.var(name).stop_gradient = False
    if gradient.type == "while_grad":
        _close_loop(block, index, at_round, condition)
        _append_loop(gradient, block, condition)
    else:
        _append_branch(gradient, block, condition)
    outer.ops += tail


def _is_positive(block: Block, index: str) -> str:
    """Appends the question whether an index is above 0; its answer's name."""
    zero = _made(block, "fill_constant", {}, (1,), int64, {"shape": [1], "dtype": int64, "value": 0.0})
    return _made(block, "greater_than", {"X": [index], "Y": [zero]}, (1,), bool_, {"axis": -1})


def _read_from_lists(block: Block, lists: dict[str, Variable], kinds: dict[str, str], index: str) -> str:
    """Lets a block begin with reading what stands at index - 1 of its lists; the name of that position."""
    body, block.ops = block.ops, []
    at_round = _made(block, "scale", {"X": [index]}, (1,), int64, {"scale": 1.0, "bias": -1.0})
    for name, array in lists.items():
        block.new_var(name, array.shape, array._dtype, kind=kinds[name], stop_gradient=array.stop_gradient)
        block.append("read_from_array", {"X": [array.name], "I": [at_round]}, {"Out": [name]}, {})
    block.ops += body
    return at_round


def _close_loop(block: Block, index: str, at_round: str, condition: str) -> None:
    """Lets a block end with going one round back, and asking whether there is one."""
    block.append("assign", {"X": [at_round]}, {"Out": [index]}, {})
    block.append("assign", {"X": [_is_positive(block, index)]}, {"Out": [condition]}, {})


def _append_loop(gradient: Operation, block: Block, condition: str) -> None:
    written = [n for n in block_writes(block) if n != condition]
    read = list(dict.fromkeys([*block_reads(block), *written]))
    _append_running(gradient, block, "while", {"X": read, "Condition": [condition]}, [*written, condition],
                    "StepScopes", {"is_test": False})


def _append_branch(gradient: Operation, block: Block, condition: str) -> None:
    written = block_writes(block)
    read = list(dict.fromkeys([*block_reads(block), *written]))
    _append_running(gradient, block, "conditional_block", {"Cond": [condition], "Input": read}, written, "Scope",
                    {"is_scalar_condition": True})


def _append_running(gradient: Operation, block: Block, kind: str, inputs: dict[str, list[str]], results: list[str],
                    scope: str, attrs: dict[str, Any]) -> None:
    """Appends an operation that runs the block, in the role of the gradient operation."""
    outer = gradient.block
    scopes = outer.new_var(outer.program.new_name("scopes"), kind="scopes")
    outer.append(kind, inputs, {"Out": results, scope: [scopes.name]},
                 {"sub_block": block.idx, "op_role": gradient.attrs.get("op_role", 0), **attrs})
