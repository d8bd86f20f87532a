"""First values of parameters that a layer's `__init__` changes in a Program by hand: `w.scale_(0.5)`, `Normal()(w)`."""

from __future__ import annotations

from ...core.errors import user_line
from ..ir.block import Block
from ..ir.operation import Operation
from ..ir.program import Program
from ..ir.usage import reads, sub_block
from ..ir.variable import ParameterVariable, Variable


def begin_with(variable: ParameterVariable, result: Variable, startup: Program | None) -> bool:
    """Lets a parameter begin with what its first value was changed to; whether that is what the change means.

    So it is where nothing in the Program has read the parameter, as in a layer's `__init__`: what computes the result
    goes to the startup Program. In the Program itself it would change the weight again in each run.
    """
    block = variable.block
    if startup is None or block is not block.program.current_block():
        return False
    makers = _makers(block, variable.name, result.name)
    begun = {name for op in startup.global_block().ops for name in op.output_arg_names}
    if makers is None or not {variable.name, *_given(makers)} <= begun:
        return False
    if _is_used(block.program, makers, variable.name):
        return False
    for op in makers:
        _move(op, startup.global_block())
    block.ops[:] = [op for op in block.ops if op not in makers]
    block.program.version += 1
    startup.global_block().append("assign", {"X": [result.name]}, {"Out": [variable.name]}, {})
    return True


def _makers(block: Block, name: str, result: str) -> list[Operation] | None:
    """The operations that compute a result; None where another line of the user's has what was computed of `name`."""
    wanted, found = {result}, list[Operation]()
    for op in reversed(block.ops):
        if not wanted.isdisjoint(op.output_arg_names):
            if sub_block(op) is not None:
                return None
            wanted.update(op.input_arg_names)
            found.insert(0, op)
    computed, line = {name}, user_line()
    for op in found:
        if not computed.isdisjoint(op.input_arg_names):
            if op.source != line:
                return None
            computed.update(op.output_arg_names)
    return found


def _given(makers: list[Operation]) -> set[str]:
    """What operations read that none of them makes."""
    made = {name for op in makers for name in op.output_arg_names}
    return {name for op in makers for name in op.input_arg_names} - made


def _is_used(program: Program, makers: list[Operation], name: str) -> bool:
    """Whether another operation of the Program reads or gives a value, or reads what the makers have made."""
    made = {name, *(each for op in makers for each in op.output_arg_names)}
    others = [op for block in program.blocks for op in block.ops if op not in makers]
    return any(not made.isdisjoint([*reads(op), *op.output_arg_names]) for op in others)


def _move(op: Operation, block: Block) -> None:
    """Appends an operation, with the variables of its results, to another block."""
    for name in op.output_arg_names:
        one = op.block.var(name)
        block.new_var(name, one.shape, one.dtype)
    block.append(op.type, op.inputs, op.outputs, op.attrs, op.source, op.inferred)
