"""Operations of files that stand for several others, taken apart: what `ops/core/decomposition.py` knows, and PyLayers.
"""

from __future__ import annotations

from typing import Any

from ...core.files import CorruptFileError
from ...ops.core.decomposition import find_decomposition
from ..format.attributes import BlockList
from ..ir.block import Block
from ..ir.decomposed import append_parts
from ..ir.operation import Operation
from ..ir.program import Program
from ..ir.shape_inference import declare_results
from .types_in_files import PY_LAYER as _PY_LAYER


def inline_forwards(program: Program, source: str) -> None:
    """Puts what a PyLayer's forward computes in the place of its operation: in Paddle's files it is a block of its own.

    Raises CorruptFileError, naming file and place, where there is no such block.
    """
    for block in program.blocks:
        if any(op.type == _PY_LAYER for op in block.ops):
            block.ops = [each for op in block.ops for each in _inlined(op, block, source)]


def _inlined(op: Operation, block: Block, source: str) -> list[Operation]:
    if op.type != _PY_LAYER:
        return [op if op.block is block else Operation(block, op.type, op.inputs, op.outputs, op.attrs)]
    blocks: Any = op.attrs.get("blocks")
    names_blocks = isinstance(blocks, BlockList)
    if not names_blocks or not blocks:
        raise CorruptFileError(source, f"block {block.idx} ({op.type})", "it has no block of what its forward computes")
    forward = block.program.blocks[blocks[0]]
    for name, variable in forward.vars.items():
        if name in block.vars:
            raise CorruptFileError(source, f"block {forward.idx}", f"a variable {name!r} is in block {block.idx} too")
        block.add_var(variable)
    operations, forward.ops, forward.vars = forward.ops, [], {}
    return [each for inner in operations for each in _inlined(inner, block, source)]


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
