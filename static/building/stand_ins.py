"""Variables that stand for others, in another Program or for a result."""

from __future__ import annotations

from typing import Any

from ...core.dtype import DType
from ..ir.block import Block
from ..ir.variable import ParameterVariable, Variable


def twin(variable: Variable, block: Block) -> Variable:
    """What stands for a variable in the startup Program: a parameter for a parameter."""
    if not isinstance(variable, ParameterVariable):
        return Variable(block, variable.name, variable.shape, variable.dtype, persistable=True)
    return ParameterVariable(block, variable.name, variable.shape, variable.dtype, trainable=variable.trainable,
                             optimize_attr=variable.optimize_attr, regularizer=variable.regularizer,
                             need_clip=variable.need_clip)


def like(variable: Variable, program: Any) -> Variable:
    """The Variable of the same name in another Program's first block."""
    block = program.global_block()
    if block.has_var(variable.name):
        return block.var(variable.name)
    return block.new_var(variable.name, variable.shape, variable.dtype, persistable=True)


def filled(variable: Variable, shape: tuple[int, ...], dtype: DType, stop_gradient: bool) -> Variable:
    """A variable that a result is written to: what it is follows from that, unless it outlives a run."""
    if not variable.persistable:
        variable.shape, variable._dtype = shape, dtype
        variable.stop_gradient = variable.stop_gradient or stop_gradient
    return variable
