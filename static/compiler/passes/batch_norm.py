"""A batch norm of constant statistics behind a convolution goes into the convolution's filter and a bias."""

from __future__ import annotations

from ....core.dtype import float32
from ...ir.operation import Operation
from ..unit import Unit
from .epilogue import CONVOLUTIONS, fused_convolution


def fold_batch_norm(unit: Unit) -> None:
    """conv(x, w) normalized = conv(x, w * a) + b, with a = scale / sqrt(variance + epsilon), b = bias - mean * a.

    `batch_norm_line` computes a and b, `fused_conv2d` the rest.
    """
    readers, makers = unit.readers(), unit.producers()
    done: list[Operation] = []
    dropped: set[int] = set()
    for op in unit.ops:
        convolution = makers.get(op.input("X")[0]) if op.type == "batch_norm" and op.input("X") else None
        if convolution is None or not _can_fold(unit, op, convolution, readers):
            done.append(op)
            continue
        dropped.add(id(convolution))
        done += _folded(unit, op, convolution)
    unit.ops = [op for op in done if id(op) not in dropped]


def _can_fold(unit: Unit, norm: Operation, convolution: Operation, readers: dict[str, int]) -> bool:
    parameters = [name for slot in ("Scale", "Bias", "Mean", "Variance") for name in norm.input(slot)]
    made = [name for slot, names in norm.outputs.items() if slot != "Y" for name in names]
    output = unit.spec(norm.output("Y")[0])
    return (convolution.type in CONVOLUTIONS and len(parameters) == 4 and output is not None
            and output.dtype is float32 and convolution.attrs.get("data_format", "NCHW") in ("NCHW", "AnyLayout")
            and unit.frozen.issuperset([*parameters, *convolution.input("Filter")]) and not convolution.input("Bias")
            and unit.is_movable(norm) and unit.is_movable(convolution)
            and readers.get(convolution.output("Output")[0]) == 1 and not any(readers.get(name) for name in made))


def _folded(unit: Unit, norm: Operation, convolution: Operation) -> list[Operation]:
    scale, bias = norm.input("Scale")[0], norm.input("Bias")[0]
    result = norm.output("Y")[0]
    factor, shift = (unit.new_name(result, unit.spec(name)) for name in (scale, bias))
    line = Operation(norm.block, "batch_norm_line",
                     {slot: norm.input(slot) for slot in ("Scale", "Bias", "Mean", "Variance")},
                     {"Factor": [factor], "Shift": [shift]}, {"epsilon": float(norm.attrs.get("epsilon", 1e-5))},
                     norm.source)
    inputs = {"Input": convolution.input("Input"), "Filter": convolution.input("Filter"), "Scale": [factor],
              "Bias": [shift]}
    return [line, fused_convolution(convolution, inputs, result, norm.source)]
