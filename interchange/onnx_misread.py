"""What the converter to ONNX would get wrong without a word: written in a form that it reads, or refused.

Of a recurrence it gives the states of the last layer alone: each layer becomes one of its own. Of lengths of sequences
it takes no notice, windows of sizes that only a run knows it gives a stride of 0, and of frames of such sizes it writes
a shape with several of them: these are refused.
"""

from __future__ import annotations

from ..static.ir.block import Block
from ..static.ir.operation import Operation
from ..static.ir.program import Program

_RECURRENCE = "rnn"
_POOLS = ("pool2d", "pool3d", "max_pool2d_with_index", "max_pool3d_with_index")
READ_WITH_CARE = frozenset((_RECURRENCE, *_POOLS, "temporal_shift"))
"""The operators where something may have to be done."""


def check(program: Program) -> None:
    """NotImplementedError where the converter would write what computes something else, or nothing."""
    for block in program.blocks:
        for op in block.ops:
            if op.type == _RECURRENCE and op.input("SequenceLength"):
                raise NotImplementedError(
                    f"onnx.export: the converter paddle2onnx takes no notice of the lengths of sequences "
                    f"({op.input('SequenceLength')[0]!r}) that the operator rnn has, which makes "
                    f"{op.output('Out')[0]!r}: padding would be computed with. Export the model without "
                    "sequence_length, and feed sequences of one length at a time.")
            if op.type in _POOLS and op.attrs.get("adaptive") and not op.attrs.get("global_pooling"):
                _check_adaptive_pool(block, op)
            if op.type == "temporal_shift":
                _check_temporal_shift(block, op)


def _check_adaptive_pool(block: Block, op: Operation) -> None:
    (name,), sizes = op.input("X"), list(op.attrs["ksize"])
    shape = list(block.var(name).shape)
    inner = shape[1:-1] if op.attrs.get("data_format") in ("NHWC", "NDHWC") else shape[2:]
    if any(size != 1 for size in sizes) and any(size < 0 for size in inner):
        raise NotImplementedError(
            f"onnx.export: adaptive pooling to {sizes}, which makes {op.output('Out')[0]!r}, has windows whose size "
            f"only a run knows: its input has the shape {shape}, and ONNX has no such operator. Give the sizes of the "
            "image in input_spec=, or pool to a size of 1.")


def _check_temporal_shift(block: Block, op: Operation) -> None:
    shape = list(block.var(op.input("X")[0]).shape)
    if any(size < 0 for size in shape[1:]):
        raise NotImplementedError(
            f"onnx.export: the converter paddle2onnx writes the operator temporal_shift, which makes "
            f"{op.output('Out')[0]!r}, for known sizes of frames alone. Its input has the shape {shape}: give all "
            "sizes but the first in input_spec=.")


def divide_layers(program: Program) -> bool:
    """Puts an operation for each layer in the place of a recurrence of several; whether there was one."""
    found = False
    for block in program.blocks:
        ops = [made for op in block.ops for made in (
            _layers(block, op) if op.type == _RECURRENCE and int(op.attrs.get("num_layers", 1)) > 1 else [op])]
        found |= len(ops) > len(block.ops)
        block.ops[:] = ops
    return found


def _layers(block: Block, op: Operation) -> list[Operation]:
    count, directions = int(op.attrs["num_layers"]), 2 if op.attrs.get("is_bidirec") else 1
    weights, each = op.input("WeightList"), 2 * directions
    biases = weights[each * count:]
    (whole,) = op.output("Out")
    made: list[Operation] = []
    states: list[list[str]] = [[] for _ in op.input("PreState")]
    given = op.input("Input")[0]
    for layer in range(count):
        before, behind = [], []
        for index, name in enumerate(op.input("PreState")):
            before.append(_like(block, name, f"{whole}@begin_{layer}_{index}"))
            behind.append(_like(block, op.output("State")[index], f"{whole}@end_{layer}_{index}"))
            states[index].append(behind[-1])
            made.append(Operation(block, "slice", {"Input": [name]}, {"Out": [before[-1]]}, {
                "axes": [0], "starts": [layer * directions], "ends": [(layer + 1) * directions], "infer_flags": [1],
                "decrease_axis": []}))
        out = whole if layer == count - 1 else _like(block, whole, f"{whole}@layer_{layer}")
        own = slice(layer * each, (layer + 1) * each)
        rest = {slot: [_like(block, name, f"{name}@layer_{layer}") for name in op.output(slot)]
                for slot in op.outputs if slot not in ("Out", "State")}
        made.append(Operation(block, op.type, {"Input": [given], "PreState": before,
                                               "WeightList": weights[own] + biases[own]},
                              {**rest, "Out": [out], "State": behind},
                              {**op.attrs, "num_layers": 1,
                               "input_size": op.attrs["input_size"] if not layer else
                               int(op.attrs["hidden_size"]) * directions}))
        given = out
    for name, parts in zip(op.output("State"), states, strict=True):
        made.append(Operation(block, "concat", {"X": parts}, {"Out": [name]}, {"axis": 0}))
    return made


def _like(block: Block, name: str, made: str) -> str:
    """A new variable with the type of another one, whose first size is another."""
    of = block.var(name)
    block.new_var(made, (-1, *of.shape[1:]) if of.shape else (), of._dtype, stop_gradient=True)
    return made
