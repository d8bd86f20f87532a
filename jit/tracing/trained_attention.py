"""Attention in a training step: what a Program spells out is one operation before its gradient is taken.

The gradient of `attention` computes the weights again, tile by tile, so that the step keeps a number for each query
where it kept one for each pair of query and key. The Program that it is done to is a copy that no file gets.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...ops.core.checking import check_in_force
from ...ops.nn.attention import attention_op
from ...ops.nn.softmax import softmax_op
from ...static.compiler.passes.attention import Attention, attention_in, replaced
from ...static.compiler.unit import Unit, unit_of
from ...static.ir.block import Block
from ...static.ir.operation import Operation
from ...static.ir.program import Program
from .recomputing import SEGMENT


def join_attention(program: Program, inputs: Sequence[str], outputs: Sequence[str]) -> None:
    """Puts `attention` where the Program's first block spells it out, and nothing else wants what is inside.

    `inputs`: what it is given; `outputs`: what must be there under its name. Nothing changes while operations are
    looked at one by one.
    """
    block = program.global_block()
    if check_in_force() is not None or not any(op.type == softmax_op.type for op in block.ops):
        return
    unit = unit_of(block, block.ops, inputs, outputs)
    found = [each for each in attention_in(unit) if _is_as_written(unit, block.ops, each)]
    for each in found:
        _complete(block, block.ops[each.place], each.whole)
    if found:
        block.ops = replaced(block.ops, found)
        program.version += 1


def _is_as_written(unit: Unit, ops: Sequence[Operation], found: Attention) -> bool:
    """Whether sizes are known, no name has two values, and all of it is computed again, or nothing."""
    members = [ops[number] for number in found.members]
    segments = {op.attrs.get(SEGMENT) for op in members}
    return (found.whole.type == attention_op.type and len(segments) == 1
            and all(unit.ops[number] is ops[number] for number in found.members))


def _complete(block: Block, last: Operation, whole: Operation) -> None:
    """Gives an operation that stands for others what their gradients need."""
    out, (query,) = block.var(last.output("Out")[0]), whole.input("Q")
    total = block.new_var(None, block.var(query).shape[:3], "float32", stop_gradient=out.stop_gradient)
    whole.outputs["LogTotal"] = [total.name]
    whole.attrs["causal"] = False
    if SEGMENT in last.attrs:
        whole.attrs[SEGMENT] = last.attrs[SEGMENT]
