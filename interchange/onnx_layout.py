"""Images whose channels come last (NHWC), for the converter to ONNX, which takes their height for channels silently."""

from __future__ import annotations

from collections.abc import Sequence

from ..static.ir.block import Block
from ..static.ir.operation import Operation
from ..static.ir.program import Program

_FIRST = {"NHWC": "NCHW", "NDHWC": "NCDHW", "NLC": "NCL", "NWC": "NCW"}
_ATTRIBUTES = ("data_format", "data_layout")


def may_have_channels_last(data: bytes) -> bool:
    """Whether a Program's file names such a layout anywhere."""
    return any(layout.encode() in data for layout in _FIRST)


def put_channels_first(program: Program) -> bool:
    """Puts each operation on such images between two transpositions; whether there was one."""
    found = False
    for block in program.blocks:
        ops = [made for op in block.ops for made in _turned(block, op)]
        found |= len(ops) > len(block.ops)
        block.ops[:] = ops
    return found


def _turned(block: Block, op: Operation) -> list[Operation]:
    layouts = {name: _FIRST[op.attrs[name]] for name in _ATTRIBUTES if op.attrs.get(name) in _FIRST}
    if not layouts:
        return [op]
    slot = "Input" if op.input("Input") else "X"
    result = next(slot for slot in ("Output", "Y", "Out") if op.output(slot))
    (given,), (made,) = op.input(slot), op.output(result)
    rank = len(block.var(given).shape)
    there, back = [0, rank - 1, *range(1, rank - 1)], [0, *range(2, rank), 1]
    image, out = (_turned_variable(block, name, f"{made}@{what}", there)
                  for name, what in ((given, "image"), (made, "channels_first")))
    return [_transposed(block, given, image, there),
            Operation(block, op.type, {**op.inputs, slot: [image]}, {**op.outputs, result: [out]},
                      {**op.attrs, **layouts}),
            _transposed(block, out, made, back)]


def _turned_variable(block: Block, of: str, name: str, axes: Sequence[int]) -> str:
    source, shape = block.var(of), block.var(of).shape
    block.new_var(name, tuple(shape[axis] for axis in axes), source._dtype, stop_gradient=True)
    return name


def _transposed(block: Block, given: str, made: str, axes: Sequence[int]) -> Operation:
    return Operation(block, "transpose2", {"X": [given]}, {"Out": [made]}, {"axis": list(axes)})
