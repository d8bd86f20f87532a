"""Recurrences for the converter to ONNX, which gives the states of the last layer alone: a layer by itself each.

Of lengths of sequences it takes no notice, which nothing else could be written for: they are refused.
"""

from __future__ import annotations

from ..static.ir.block import Block
from ..static.ir.operation import Operation
from ..static.ir.program import Program

_RECURRENCE = "rnn"


def is_for_converter(program: Program) -> bool:
    """Whether the converter computes the recurrences of a Program; NotImplementedError where nothing helps."""
    found = True
    for block in program.blocks:
        for op in block.ops:
            if op.type == _RECURRENCE:
                if op.input("SequenceLength"):
                    raise NotImplementedError(
                        f"onnx.export: the converter paddle2onnx takes no notice of the lengths of sequences "
                        f"({op.input('SequenceLength')[0]!r}) that the operator rnn has, which makes "
                        f"{op.output('Out')[0]!r}: padding would be computed with. Export the model without "
                        "sequence_length, and feed sequences of one length at a time.")
                found = found and int(op.attrs.get("num_layers", 1)) == 1
    return found


def divide_layers(program: Program) -> None:
    """Puts an operation for each layer in the place of a recurrence of several."""
    for block in program.blocks:
        block.ops[:] = [made for op in block.ops for made in (
            _layers(block, op) if op.type == _RECURRENCE and int(op.attrs.get("num_layers", 1)) > 1 else [op])]


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
