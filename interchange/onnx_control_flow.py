"""What blocks inside a Program read, in a form that the converter to ONNX reads rightly.

What a loop takes and gives, and what is written again, gets new names from the converter, by which it goes in the block
itself; blocks inside it go on with the old name, of which ONNX knows the value before, or nothing. What such a block
reads is a copy here, which is written once; and what a loop takes from outside its block is a copy in its block.
"""

from __future__ import annotations

from collections import Counter

from ..static.ir.block import Block
from ..static.ir.frame import feed_names, fetch_names
from ..static.ir.operation import Operation
from ..static.ir.program import Program
from ..static.ir.usage import block_reads, sub_block, writes

_LOOP = "while"


def prepare_blocks(program: Program) -> bool:
    """Puts copies before blocks, of what the converter would not find in them; whether anything changed."""
    if not any(op.type == _LOOP for block in program.blocks for op in block.ops):
        return any([_for_blocks(block) for block in program.blocks])
    _rename_numbered(program)
    for block in program.blocks[1:]:
        _for_loops(block)
    for block in program.blocks:
        _for_blocks(block)
    return True


def _rename_numbered(program: Program) -> None:
    """Renames `x.1` where there is an `x`: so the converter calls what a loop takes of the name `x`."""
    known = {name for block in program.blocks for name in block.vars}
    kept = {*feed_names(program), *fetch_names(program)}
    for name in sorted(known - kept):
        stem, _, number = name.rpartition(".")
        if number.isdigit() and stem in known and not any(
                block.vars[name].persistable for block in program.blocks if name in block.vars):
            new = f"{stem}_{number}"
            while new in known:
                new += "_"
            known.add(new)
            for block in program.blocks:
                if name in block.vars:
                    block._rename_var(name, new)
                for op in block.ops:
                    op.rename_input(name, new)
                    op.rename_output(name, new)


def _for_loops(block: Block) -> None:
    """Copies what loops of an inner block take from outside it, unless they write it."""
    ops: list[Operation] = []
    for op in block.ops:
        if op.type == _LOOP:
            written = set(op.output_arg_names)
            for name in dict.fromkeys(op.input("X")):
                if name not in written and name not in block.vars and not block.var(name).persistable:
                    ops += _copied(block, op, name)
        ops.append(op)
    block.ops[:] = ops


def _for_blocks(block: Block) -> bool:
    """Copies what blocks inside this one read, where it goes by several names in the file."""
    times = Counter(name for op in block.ops for name in op.output_arg_names)
    renamed = {name for name, count in times.items() if count > 1 or name not in block.vars}
    for op in block.ops:
        if op.type == _LOOP:
            renamed.update([*op.input("X"), *op.output_arg_names])
        elif op.type == "assign":  # the converter leaves it out
            renamed.update(op.output_arg_names)
    ops: list[Operation] = []
    for op in block.ops:
        inner = sub_block(op)
        if inner is not None:
            written = set(writes(op))
            for name in dict.fromkeys(block_reads(inner)):
                if name in renamed and name not in written and not (op.type == _LOOP and name in op.input("X")):
                    ops += _copied(block, op, name)
        ops.append(op)
    more = len(ops) > len(block.ops)
    block.ops[:] = ops
    return more


def _copied(block: Block, op: Operation, name: str) -> list[Operation]:
    """What copies a variable for an operation with a block.

    Not `assign`, which the converter leaves out again.
    """
    of, made = block.var(name), f"{name}@in_{op.attrs['sub_block']}"
    block.new_var(made, tuple(of.shape), of._dtype, stop_gradient=True)
    block.new_var(f"{made}_1", (1, *of.shape), of._dtype, stop_gradient=True)
    _read_instead(op, name, made)
    return [Operation(block, "unsqueeze2", {"X": [name]}, {"Out": [f"{made}_1"]}, {"axes": [0]}),
            Operation(block, "squeeze2", {"X": [f"{made}_1"]}, {"Out": [made]}, {"axes": [0]})]


def _read_instead(op: Operation, name: str, other: str) -> None:
    """Puts another name where an operation reads one, and where blocks inside it do."""
    for slot, names in list(op.inputs.items()):
        if name in names:
            op.set_input(slot, [other if each == name else each for each in names])
    inner = sub_block(op)
    if inner is not None and name not in inner.vars:
        for each in inner.ops:
            _read_instead(each, name, other)
