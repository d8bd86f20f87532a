"""`fluid.contrib.model_stat.summary`: what the layers of a Program of images cost, as a table."""

from __future__ import annotations

import math
from typing import Any

from ...static.ir.program import Program

ACTIVATIONS = ("sigmoid", "tanh", "relu", "leaky_relu", "prelu")
TITLES = ("No.", "TYPE", "INPUT", "OUTPUT", "PARAMs", "FLOPs")


def _counted(op: Any, block: Any) -> tuple[Any, Any, int, int] | None:
    """The shapes of what an operation reads and gives, its parameters and operations for a sample."""
    def shape(slots: dict[str, Any], *names: str) -> tuple[int, ...]:
        name = next(slots[each][0] for each in names if slots.get(each))
        return tuple(block.var(name).shape)

    reads = {slot: op.input(slot) for slot in op.input_names}
    gives = {slot: op.output(slot) for slot in op.output_names}
    if op.type in ("conv2d", "depthwise_conv2d"):
        out, weight = shape(gives, "Output"), shape(reads, "Filter")
        window = math.prod(weight[1:]) + bool(reads.get("Bias"))
        return shape(reads, "Input"), out, weight[0] * window, 2 * math.prod(out[1:]) * window
    if op.type == "mul" and "fc" in gives["Out"][0]:
        weight = shape(reads, "Y")
        return shape(reads, "X"), shape(gives, "Out"), math.prod(weight) + 1, math.prod(weight)
    if op.type == "pool2d":
        out = shape(gives, "Out")
        return shape(reads, "X"), out, 0, math.prod(out[1:]) * math.prod(op.attr("ksize"))
    if op.type == "batch_norm":
        given = shape(reads, "X")
        return given, shape(gives, "Y"), 2 * given[1], 2 * math.prod(given[1:])
    if op.type in ACTIVATIONS:
        given = shape(reads, "X")
        return given, shape(gives, "Out"), int(op.type == "prelu"), math.prod(given[1:])
    return None


def summary(main_prog: Program) -> None:
    """Prints a line for each convolution, fc, pooling, batch_norm and activation, and the sums.

    PARAMs are its weights, FLOPs its operations for one sample: a multiplication and an addition are two in
    convolutions, one in fc. Other operations are left out.

    >>> import proa.fluid as fluid
    >>> main = fluid.Program()
    >>> with fluid.program_guard(main, fluid.Program()), fluid.unique_name.guard():
    ...     y = fluid.layers.conv2d(fluid.data("x", [None, 3, 8, 8]), 4, 3, act="relu")
    >>> fluid.contrib.model_stat.summary(main)
    +-----+--------+-----------+-----------+--------+-------+
    | No. |   TYPE |     INPUT |    OUTPUT | PARAMs | FLOPs |
    +-----+--------+-----------+-----------+--------+-------+
    |   0 | conv2d | (3, 8, 8) | (4, 6, 6) |    108 |  7776 |
    |   1 |   relu | (4, 6, 6) | (4, 6, 6) |      0 |   144 |
    +-----+--------+-----------+-----------+--------+-------+
    Total PARAMs: 108(0.0001M)
    Total FLOPs: 7920(0.00G)
    """
    if not isinstance(main_prog, Program):
        raise TypeError(f"summary(main_prog): must be a Program. Received {type(main_prog).__name__}.")
    found = [(op.type, *counted) for block in main_prog.blocks for op in block.ops
             if (counted := _counted(op, block)) is not None]
    rows = [TITLES] + [(str(i), type, str(given[1:]), str(out[1:]), str(params), str(flops))
                       for i, (type, given, out, params, flops) in enumerate(found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rule = "+".join(["", *("-" * (width + 2) for width in widths), ""])
    lines = ["| " + " | ".join(map(str.rjust, row, widths)) + " |" for row in rows]
    print("\n".join([rule, lines[0], rule, *lines[1:], rule]))
    params, flops = sum(each[3] for each in found), sum(each[4] for each in found)
    print(f"Total PARAMs: {params}({params / 1e6:.4f}M)")
    print(f"Total FLOPs: {flops}({flops / 1e9:.2f}G)")


__all__ = ["summary"]
