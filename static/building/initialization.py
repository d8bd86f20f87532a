"""What an initializer appends to a Program: the operations that make a parameter's first value."""

from __future__ import annotations

from typing import Any

from ...ops.core.trace import initialized, using
from ..ir.block import Block
from ..ir.variable import Variable
from .stand_ins import twin
from .trace import StartupTrace


def append_initializer(block: Block, variable: Variable, initializer: Any) -> None:
    """Appends to a block what an initializer makes the value of a variable of."""
    program = block.program
    before, program.current_block_idx = program.current_block_idx, block.idx
    try:
        with using(StartupTrace(program)):
            made = initialized(initializer, variable.shape, variable.dtype)
    finally:
        program.current_block_idx = before
    if tuple(made.shape) != tuple(variable.shape):
        raise ValueError(f"{initializer!r}: its value has the shape {list(made.shape)}. {variable.name!r}, which is to "
                         f"be filled, has {list(variable.shape)}.")
    block.give_as(made, variable.name)
    if block._find_var_recursive(variable.name) is None:
        block.add_var(twin(variable, block))
