"""`stop_gradient` in a Program that was read: which values gradients flow through, and where they were told to stop.

A file says of every variable whether gradients stop there. A value is stopped on purpose (`detach`, `no_grad`,
`stop_gradient` set by hand) where something that it is computed from wants a gradient; any other is stopped because
nothing does, which changes when an input or a parameter is to have a gradient after all.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...ops.core.operator import find, is_declared
from ..ir.block import Block
from ..ir.operation import Operation
from ..ir.program import Program
from ..ir.usage import holds_values, sub_block
from ..ir.variable import Variable


def stopped_on_purpose(program: Program) -> list[Variable]:
    """The values at which gradients that come this far stop, as `stop_gradient` stands now."""
    return [v for block in program.blocks for op in block.ops if _wants_gradient(block, op)
            for v in _results(block, op) if v.stop_gradient]


def propagate_gradients(program: Program, stopped: Iterable[Variable] = ()) -> None:
    """Marks every value that depends, by operators with a gradient, on one that wants a gradient.

    `stopped`: values that stay as they are.
    """
    kept = set(map(id, stopped))
    while any([_propagate(block, kept) for block in program.blocks]):
        pass


def _propagate(block: Block, stopped: set[int]) -> bool:
    """What a branch or loop hands out is written by operations in its block, and marked with these."""
    changed = False
    for op in block.ops:
        if not is_declared(op.type) or find(op.type).gradient is None or not _wants_gradient(block, op):
            continue
        for variable in _results(block, op):
            if variable.stop_gradient and id(variable) not in stopped:
                variable.stop_gradient = False
                changed = True
    return changed


def _wants_gradient(block: Block, op: Operation) -> bool:
    """Whether an operation that computes something has an input through which gradients flow."""
    if sub_block(op) is not None:
        return False
    inputs = map(block.find_var, op.input_arg_names)
    return any(v is not None and not v.stop_gradient and _differentiable(v) for v in inputs)


def _results(block: Block, op: Operation) -> list[Variable]:
    """What an operation writes that can have a gradient; state that outlives a run has none."""
    found = map(block.find_var, op.output_arg_names)
    return [v for v in found if v is not None and not v.persistable and _differentiable(v)]


def _differentiable(variable: Variable) -> bool:
    return holds_values(variable) and variable.dtype.is_differentiable
