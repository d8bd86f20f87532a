"""Recomputation: what a backward pass needs of the forward one is computed again where it needs it, and not kept.

Between checkpoints nothing of the forward pass has to live until the backward pass comes to it: a copy of the segment's
operations stands before the first gradient that reads of it. What draws numbers, has an effect, or changes something in
place is not done twice; its results are kept, as checkpoints are.

Chen et al., Training Deep Nets with Sublinear Memory Cost, 2016.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...ops.core.operator import find, is_declared
from ..ir.block import Block
from ..ir.operation import Operation
from ..ir.usage import needed_operations, reads, sub_block

ATTRIBUTE = "recompute"  # keeps the compiler from taking the second computation for the first
_SUFFIX = "@RECOMPUTE"


def recompute(block: Block, begin: int, checkpoints: Sequence[str]) -> None:
    """Lets the operations of a block from `begin` on, a backward pass, read what is computed again.

    `checkpoints`: the names of values of the forward pass that are kept; what follows the last one is kept as well.
    Raises ValueError for a checkpoint that the forward pass does not compute.
    """
    forward, backward = block.ops[:begin], block.ops[begin:]
    made = {name: number for number, op in enumerate(forward) for name in op.output_arg_names}
    unknown = [name for name in checkpoints if name not in made]
    if unknown:
        raise ValueError(f"append_backward(checkpoints): {unknown} are no values that the Program computes before.")
    ends = sorted({made[name] for name in checkpoints})
    done: list[Operation] = list(backward)
    for number, (first, last) in enumerate(zip([0, *(end + 1 for end in ends)], [end + 1 for end in ends],
                                               strict=False)):
        segment = [op for op in forward[first:last] if _can_be_repeated(block, op, forward)]
        own = {name for op in segment for name in op.output_arg_names} - {*checkpoints}
        wanted = {name for op in done for name in reads(op) if name in own and sub_block(op) is None}
        wanted -= {name for op in done if sub_block(op) is not None for name in reads(op)}
        copies = [_again(block, op, own, number) for op in needed_operations(segment, wanted)]
        names = {name: name + _SUFFIX for name in wanted}
        place = next((n for n, op in enumerate(done) if not wanted.isdisjoint(op.input_arg_names)), 0)
        for op in done:
            for name in wanted.intersection(op.input_arg_names):
                op.rename_input(name, names[name])
        done[place:place] = copies
    block.ops = [*forward, *done]
    block.program.version += 1


def _can_be_repeated(block: Block, op: Operation, forward: Sequence[Operation]) -> bool:
    if not is_declared(op.type) or sub_block(op) is not None or not find(op.type).is_pure:
        return False
    return all(_writes(forward, name) == 1 for name in op.output_arg_names)


def _writes(ops: Sequence[Operation], name: str) -> int:
    return sum(name in op.output_arg_names for op in ops)


def _again(block: Block, op: Operation, own: set[str], number: int) -> Operation:
    """A copy of an operation of a segment, which reads what the segment computes again and writes what is new."""
    def renamed(names: Sequence[str]) -> Iterator[str]:
        return (name + _SUFFIX if name in own else name for name in names)

    for name in op.output_arg_names:
        variable = block.var(name)
        if name in own and not block.has_var(name + _SUFFIX):
            made = block.new_var(name + _SUFFIX, variable.shape, variable._dtype, kind=variable.kind,
                                 stop_gradient=variable.stop_gradient)
            made.lod_level, made.lod = variable.lod_level, variable.lod
    inputs = {slot: [*renamed(names)] for slot, names in op.inputs.items()}
    outputs = {slot: [*renamed(names)] for slot, names in op.outputs.items()}
    attrs = {**op.attrs, ATTRIBUTE: number + 1, "op_role": 1}
    return Operation(block, op.type, inputs, outputs, attrs, op.source, op.inferred)
