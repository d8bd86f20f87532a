"""Which values of a Program may have another number of dimensions than it declares: what branches differ in.

A condition whose branches give values of several numbers of dimensions declares the largest. A value of which
dimensions are squeezed that only a run can tell keeps those of another size than 1. What is computed of such a value is
no surer, so that nothing may be chosen by what is declared of it.
"""

from __future__ import annotations

from ...ops.array.reshape import squeeze_of_fed_op
from ...ops.program.control_flow import select_input_op
from .block import Block
from .operation import Operation
from .program import Program


def open_ranks(program: Program) -> frozenset[str]:
    """The names of these values."""
    version, found = program.open_ranks
    if version != program.version:
        found = _find(program)
        program.open_ranks = program.version, found
    return found


def _find(program: Program) -> frozenset[str]:
    ops = [(block, op) for block in program.blocks for op in block.ops]
    found = {name for block, op in ops if _differs(block, op) for name in op.output_arg_names}
    before = 0
    while found and len(found) > before:  # a loop hands them back to its begin
        before = len(found)
        for block, op in ops:
            if not found.isdisjoint(op.input_arg_names):
                found.update(name for name in op.output_arg_names if not _is_kept(block, name))
    return frozenset(found)


def _differs(block: Block, op: Operation) -> bool:
    if op.type == squeeze_of_fed_op.type:
        return True
    if op.type != select_input_op.type:
        return False
    branches = [block.find_var(name) for name in op.input("X")]
    return len({variable.ndim for variable in branches if variable is not None and variable.kind == "tensor"}) > 1


def _is_kept(block: Block, name: str) -> bool:
    """Whether a name stands for a value of which files and scopes know the shape."""
    variable = block.find_var(name)
    return variable is not None and variable.persistable
