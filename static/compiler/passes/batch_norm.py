"""A batch norm of constant statistics behind a convolution goes into the convolution's filter and a bias."""

from __future__ import annotations

from typing import Any

from ....core.dtype import float32
from ....ops.spec import Spec
from ...program import Operation
from ..unit import Unit

_CONVOLUTIONS = ("conv2d", "depthwise_conv2d")


def fold_batch_norm(unit: Unit) -> None:
    """conv(x, w) normalized = conv(x, w * a) + b, with a = scale / sqrt(variance + epsilon), b = bias - mean * a."""
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
    return (convolution.type in _CONVOLUTIONS and len(parameters) == 4 and output is not None
            and output.dtype is float32 and convolution.attrs.get("data_format", "NCHW") in ("NCHW", "AnyLayout")
            and unit.frozen.issuperset([*parameters, *convolution.input("Filter")])
            and unit.is_movable(norm) and unit.is_movable(convolution)
            and readers.get(convolution.output("Output")[0]) == 1 and not any(readers.get(name) for name in made))


def _folded(unit: Unit, norm: Operation, convolution: Operation) -> list[Operation]:
    scale, bias, mean, variance = (norm.input(slot)[0] for slot in ("Scale", "Bias", "Mean", "Variance"))
    filters = convolution.input("Filter")[0]
    ops: list[Operation] = []

    def add(type: str, inputs: dict[str, list[str]], spec: Spec | None, output: str = "Out", **attrs: Any) -> str:
        name = unit.new_name(norm.output("Y")[0], spec)
        ops.append(Operation(norm.block, type, inputs, {output: [name]}, attrs, norm.source))
        return name

    one, image = unit.spec(scale), unit.spec(norm.output("Y")[0])
    assert one is not None and image is not None
    shifted = add("scale", {"X": [variance]}, one, bias=float(norm.attrs.get("epsilon", 1e-5)))
    inverse = add("rsqrt", {"X": [shifted]}, one)
    factor = add("elementwise_mul", {"X": [scale], "Y": [inverse]}, one)
    column = add("reshape2", {"X": [factor]}, Spec((*one.shape, 1, 1, 1), one.dtype), shape=[-1, 1, 1, 1])
    scaled = add("elementwise_mul", {"X": [filters], "Y": [column]}, unit.spec(filters))
    moved = add("elementwise_mul", {"X": [mean], "Y": [factor]}, one)
    rest = add("elementwise_sub", {"X": [bias], "Y": [moved]}, one)
    spread = add("reshape2", {"X": [rest]}, Spec((*one.shape, 1, 1), one.dtype), shape=[-1, 1, 1])
    image_name = add("conv2d" if convolution.type == "conv2d" else convolution.type,
                     {"Input": convolution.input("Input"), "Filter": [scaled]}, image, output="Output",
                     **convolution.attrs)
    ops.append(Operation(norm.block, "elementwise_add", {"X": [image_name], "Y": [spread]},
                         {"Out": norm.output("Y")}, {"axis": -1}, norm.source))
    return ops
