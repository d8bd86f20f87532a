"""Operations of files that stand for several others, taken apart: what `ops/core/decomposition.py` knows."""

from __future__ import annotations

from typing import Any

from ...core.files import CorruptFileError
from ...ops.core.decomposition import Decomposition, find_decomposition
from ...ops.core.trace import using
from ..ir.block import Block
from ..ir.lod import set_lod
from ..ir.operation import Operation
from ..ir.program import Program
from ..ir.shape_inference import declare_results
from ..ir.variable import Variable


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
    block, place = op.block, f"block {op.block.idx}, operator {len(op.block.ops)} ({op.type})"
    begin = len(block.ops)
    from ..building.trace import ProgramTrace  # for what is taken apart

    trace = ProgramTrace(block.program)
    trace.source = f"{source}, {place}"
    try:
        with using(trace):
            results = made_of([_given(block, op, slot) for slot in made_of.inputs], op.attrs)
        _name(block, op, made_of, results, begin)
    except NotImplementedError as error:
        raise NotImplementedError(f"{source}: {place}: {error}") from error
    except (ValueError, TypeError, IndexError, KeyError, AttributeError, ArithmeticError) as error:
        raise CorruptFileError(source, place, f"it cannot be taken apart: {error}") from error
    return True


def _given(block: Block, op: Operation, slot: Any) -> Any:
    values = [block.var(name) for name in op.input(slot.name)]
    if not values and not slot.optional:
        raise ValueError(f"nothing is given as {slot.name}")
    if slot.many:
        return values
    return values[0] if values else None


def _name(block: Block, op: Operation, made_of: Decomposition, results: tuple, begin: int) -> None:
    """Lets the results be the variables that the operation names."""
    renamed: dict[str, str] = {}
    for slot, made in zip(made_of.outputs, results, strict=True):
        values = made if isinstance(made, list) else [made]
        for name, value in zip(op.output(slot.name), values, strict=False):
            if value is None or value.name == name or block.find_var(name) is None:
                continue
            if value.name in renamed or not any(value.name in each.output_arg_names for each in block.ops[begin:]):
                block.append("assign", {"X": [value.name]}, {"Out": [name]}, {})  # it is an input, or has a name now
            else:
                renamed[value.name] = name
            _declare(block.var(name), value)
    for each in block.ops[begin:]:
        for side in (each.inputs, each.outputs):
            for slot_name, names in side.items():
                side[slot_name] = [renamed.get(name, name) for name in names]
        each._reads = each._writes = None
    for name in renamed:
        del block.vars[name]


def _declare(variable: Variable, made: Variable) -> None:
    """The shape and the sequences of a result."""
    if not variable.persistable:
        variable.shape, variable._dtype = made.shape, made.dtype
    if made.lod:
        set_lod(variable, made.lod)
