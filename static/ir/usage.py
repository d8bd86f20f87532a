"""What the operations of a block read and write, sub-blocks included."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...ops.core.operator import find, is_declared, without_declaration
from .block import Block
from .operation import Operation
from .variable import Variable

OWN = frozenset({"listen_and_serv"})
"""What an Executor runs by itself (`static/run/own_operations.py`): it takes a scope, and lasts as long as a job."""
OUTSIDE = OWN | {"feed", "fetch", "create_py_reader", "create_double_buffer_reader", "read"}
"""What an Executor does around a plan: operations on values that are no tensors, as readers, which no kernel sees."""

without_declaration([*OUTSIDE, "while_grad", "conditional_block_grad", "recurrent_grad"])  # the latter are blocks


def sub_block(op: Operation) -> Block | None:
    """The block that a control-flow operation runs; None for any other operation."""
    index = op.attrs.get("sub_block")
    return None if index is None else op.block.program.blocks[index]


def has_effect(op: Operation) -> bool:
    """Whether an operation does something beyond the Program, in its sub-block perhaps.

    One of a type that is not known here, and that gives nothing, can be there for nothing else.
    """
    if "sub_block" not in op.attrs:
        return find(op.type).has_effect if is_declared(op.type) else not op.output_arg_names
    block = sub_block(op)
    return block is not None and any(map(has_effect, block.ops))


def draws(op: Operation) -> bool:
    """Whether an operation takes random numbers of the sequence of `paddle.seed`, in its sub-block perhaps.

    Not one with a seed of its own, nor one that draws nothing in evaluation or with a probability of 0.
    """
    if "sub_block" in op.attrs:
        block = sub_block(op)
        return block is not None and any(map(draws, block.ops))
    if not is_declared(op.type) or not find(op.type).random:
        return False
    return not (op.attrs.get("is_test") or op.attrs.get("seed") or op.attrs.get("dropout_prob", 1) == 0)


def views(op: Operation) -> list[tuple[str, str]]:
    """(result, input): the names of values that may lie in one memory without being the same variable."""
    if "sub_block" in op.attrs or not is_declared(op.type):
        return []
    operator = find(op.type)
    return [(result, given) for i, j in operator.views for result in op.output(operator.results[i].name)
            for given in op.input(operator.inputs[j].name)]


def reads(op: Operation) -> list[str]:
    """The outer names that an operation reads, through its sub-block too."""
    if "sub_block" not in op.attrs:
        return op.input_arg_names
    block = sub_block(op)
    return op.input_arg_names if block is None else [*op.input_arg_names, *block_reads(block)]


def block_reads(block: Block) -> list[str]:
    """The names of enclosing blocks that a block reads before it writes them."""
    found: dict[str, None] = {}
    written: set[str] = set()
    for op in block.ops:
        found.update((name, None) for name in reads(op) if name not in written and name not in block.vars)
        if sub_block(op) is None:
            written.update(op.output_arg_names)
    return list(found)


def block_writes(block: Block) -> list[str]:
    """The names of enclosing blocks that a block writes."""
    found: dict[str, None] = {}
    for op in block.ops:
        names = op.output_arg_names
        inner = sub_block(op)
        if inner is not None:
            names = [*names, *block_writes(inner)]
        found.update((name, None) for name in names if name not in block.vars)
    return list(found)


def writes(op: Operation) -> list[str]:
    """The names that an operation writes, through its sub-block too."""
    if "sub_block" not in op.attrs:
        return op.output_arg_names
    block = sub_block(op)
    return op.output_arg_names if block is None else [*op.output_arg_names, *block_writes(block)]


def needed_operations(ops: Sequence[Operation], wanted: set[str], drawing: bool = False,
                      given: Collection[str] = ()) -> list[Operation]:
    """Those of the operations that the wanted names, or an effect beyond the Program, depend on.

    With `drawing` also those that draw random numbers: what is drawn after them is then what eager code draws. What is
    `given` is not computed for others.
    """
    wanted = set(wanted)
    kept = []
    for op in reversed(ops):
        if op.type in OUTSIDE:
            continue
        if not wanted.isdisjoint(writes(op)) or has_effect(op) or drawing and draws(op):
            kept.append(op)
            wanted.update(set(reads(op)).difference(given) if given else reads(op))
    return kept[::-1]


def without_gradient(op: Operation) -> list[Operation]:
    """The operation; instead of one that is there for its gradient alone, assignments, which every reader knows."""
    if op.type != "custom_gradient":
        return [op]
    return [Operation(op.block, "assign", {"X": [x]}, {"Out": [out]}, {}, op.source)
            for x, out in zip(op.input("X"), op.output("Out"), strict=True)]


def holds_values(variable: Variable) -> bool:
    """Whether a variable holds what can have a gradient: a tensor, or a list of these."""
    return variable._dtype is not None and variable.kind in ("tensor", "array", "array_gradient")
