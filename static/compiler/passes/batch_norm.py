"""A batch norm of constant statistics behind a convolution goes into the convolution's filter and a bias.

Another one of images is a product and a sum, which become one loop with what stands around them.
"""

from __future__ import annotations

from ....core.dtype import float32
from ....ops.core.spec import Spec
from ...ir.operation import Operation
from ..unit import Unit
from .epilogue import CONVOLUTIONS, fused_convolution


def fold_batch_norm(unit: Unit) -> None:
    """conv(x, w) normalized = conv(x, w * a) + b, with a = scale / sqrt(variance + epsilon), b = bias - mean * a.

    `batch_norm_line` computes a and b, `fused_conv2d` the rest; elementwise operators where there is no convolution.
    """
    readers, makers = unit.readers(), unit.producers()
    done: list[Operation] = []
    dropped: set[int] = set()
    for op in unit.ops:
        is_norm = op.type == "batch_norm" and bool(op.input("X"))
        convolution = makers.get(op.input("X")[0]) if is_norm else None
        if convolution is not None and _can_fold(unit, op, convolution, readers):
            dropped.add(id(convolution))
            done += _folded(unit, op, convolution)
        elif is_norm and _is_constant(unit, op, readers) and _is_of_images(unit, op):
            done += _elementwise(unit, op)
        else:
            done.append(op)
    unit.ops = [op for op in done if id(op) not in dropped]


def _is_constant(unit: Unit, norm: Operation, readers: dict[str, int]) -> bool:
    """Whether it is a factor and a shift that depend on parameters alone, and nothing else is wanted of it."""
    parameters = [name for slot in ("Scale", "Bias", "Mean", "Variance") for name in norm.input(slot)]
    made = [name for slot, names in norm.outputs.items() if slot != "Y" for name in names]
    output = unit.spec(norm.output("Y")[0])
    return (len(parameters) == 4 and output is not None and output.dtype is float32 and unit.is_movable(norm)
            and unit.frozen.issuperset(parameters) and not any(readers.get(name) for name in made))


def _can_fold(unit: Unit, norm: Operation, convolution: Operation, readers: dict[str, int]) -> bool:
    return (convolution.type in CONVOLUTIONS and _is_constant(unit, norm, readers)
            and convolution.attrs.get("data_format", "NCHW") in ("NCHW", "AnyLayout")
            and unit.frozen.issuperset(convolution.input("Filter")) and not convolution.input("Bias")
            and unit.is_movable(convolution) and readers.get(convolution.output("Output")[0]) == 1)


def _is_of_images(unit: Unit, norm: Operation) -> bool:
    spec = unit.spec(norm.input("X")[0])
    return (spec is not None and spec.rank == 4 and spec.dtype is float32 and spec.shape[1] > 0
            and norm.attrs.get("data_layout", "NCHW") in ("NCHW", "AnyLayout"))


def _line(unit: Unit, norm: Operation) -> tuple[Operation, str, str]:
    """What computes the factor and the shift, and their names."""
    result = norm.output("Y")[0]
    factor, shift = (unit.new_name(result, unit.spec(norm.input(slot)[0])) for slot in ("Scale", "Bias"))
    return Operation(norm.block, "batch_norm_line",
                     {slot: norm.input(slot) for slot in ("Scale", "Bias", "Mean", "Variance")},
                     {"Factor": [factor], "Shift": [shift]}, {"epsilon": float(norm.attrs.get("epsilon", 1e-5))},
                     norm.source), factor, shift


def _elementwise(unit: Unit, norm: Operation) -> list[Operation]:
    line, *rows = _line(unit, norm)
    done, value = [line], norm.input("X")[0]
    result, spec = norm.output("Y")[0], unit.spec(norm.output("Y")[0])
    assert spec is not None
    channels = spec.shape[1]
    product = unit.new_name(result, spec)
    for row, kind, out in zip(rows, ("mul", "add"), (product, result), strict=True):
        column = unit.new_name(row, Spec((channels, 1, 1), float32))
        done.append(Operation(norm.block, "reshape2", {"X": [row]}, {"Out": [column]}, {"shape": [channels, 1, 1]},
                              norm.source))
        done.append(Operation(norm.block, f"elementwise_{kind}", {"X": [value], "Y": [column]}, {"Out": [out]}, {},
                              norm.source))
        value = out
    return done


def _folded(unit: Unit, norm: Operation, convolution: Operation) -> list[Operation]:
    line, factor, shift = _line(unit, norm)
    inputs = {"Input": convolution.input("Input"), "Filter": convolution.input("Filter"), "Scale": [factor],
              "Bias": [shift]}
    return [line, fused_convolution(convolution, inputs, norm.output("Y")[0], norm.source)]
