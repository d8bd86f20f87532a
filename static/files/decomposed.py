"""Operations of files that stand for several others, taken apart: what `ops/core/decomposition.py` knows."""

from __future__ import annotations

from typing import Any

from ...core.files import CorruptFileError
from ...ops.core.decomposition import find_decomposition
from ..ir.decomposed import append_parts
from ..ir.operation import Operation
from ..ir.program import Program
from ..ir.shape_inference import declare_results


def has_decomposed(program: Program) -> bool:
    """Whether an operation stands for several others."""
    return any(find_decomposition(op.type) is not None for block in program.blocks for op in block.ops)


def in_parts(program: Any) -> Any:
    """A Program to compile: itself, or a copy whose operations are taken apart where some stand for several others."""
    if not has_decomposed(program):
        return program
    copy = program.clone()
    from_file(copy, "the Program")
    return copy


def from_file(program: Program, source: str) -> None:
    """Takes the operations of a Program apart that was read and holds no LoD."""
    current = program.current_block_idx
    for block in program.blocks:
        operations, block.ops, program.current_block_idx = block.ops, [], block.idx
        for op in operations:
            if not take_apart(op, source):
                block.ops.append(op)
                declare_results(op)
    program.current_block_idx = current


def take_apart(op: Operation, source: str) -> bool:
    """Appends to the block of an operation what it is made of, if it is; its results keep their names.

    CorruptFileError, naming file and place, where they do not fit together.
    """
    made_of = find_decomposition(op.type)
    if made_of is None:
        return False
    place = f"block {op.block.idx}, operator {len(op.block.ops)} ({op.type})"
    from ..building.trace import ProgramTrace  # for what is taken apart

    trace = ProgramTrace(op.block.program)
    trace.source = f"{source}, {place}"
    try:
        append_parts(op, made_of, trace)
    except NotImplementedError as error:
        raise NotImplementedError(f"{source}: {place}: {error}") from error
    except (ValueError, TypeError, IndexError, KeyError, AttributeError, ArithmeticError) as error:
        raise CorruptFileError(source, place, f"it cannot be taken apart: {error}") from error
    return True
