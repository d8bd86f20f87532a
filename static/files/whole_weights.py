"""Files for Paddle Lite, whose weights are whole numbers with their scales in the operations: brought back to floats.

`paddle.static.quantization.WeightQuantization` writes them. Without this a product would take the whole numbers for the
weights themselves. PaddlePaddle's own files go on to call such a weight float32, and so does a test model whose weights
are floats again, with the same attributes: only the values' file tells them apart, so that values are multiplied when
they have been read.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..format.attributes import WEIGHT_BITS as _BITS
from ..ir.block import Block
from ..ir.operation import Operation
from ..ir.program import Program

_SCALE = "_quant_scale"


def as_floats(program: Program, values: dict[str, Any]) -> dict[str, Any]:
    """The values of a file, by name: those that it has as whole numbers where the Program says floats, as floats."""
    for block in program.blocks:
        for op in block.ops:
            for name in op.input_arg_names if _BITS in op.attrs else ():
                scales, variable, held = op.attrs.get(name + _SCALE), block.find_var(name), values.get(name)
                if scales is not None and variable is not None and variable.dtype.is_floating \
                        and isinstance(held, np.ndarray) and held.dtype.kind == "i":
                    values[name] = _multiplied(op, name, held, scales).astype(variable.dtype.dtype)
    return values


def _multiplied(op: Operation, name: str, held: np.ndarray, scales: list[float]) -> np.ndarray:
    axis, factors = _axis(op), np.asarray(scales, "float32")
    if factors.size == 1:
        return held * factors[0]
    if factors.size != held.shape[axis]:
        raise ValueError(f"{op.type}: {name!r} has {held.shape[axis]} channels, and its attribute {name + _SCALE!r} "
                         f"has {factors.size} scales: the files are not of one model.")
    return held * factors.reshape([-1 if n == axis else 1 for n in range(held.ndim)])


def from_file(program: Program) -> None:
    """Puts operations in that make a weight of such a file floats, before the operation that reads it."""
    for block in program.blocks:
        if any(_BITS in op.attrs for op in block.ops):
            block.ops[:] = [each for op in block.ops for each in [*_brought_back(block, op), op]]


def _brought_back(block: Block, op: Operation) -> list[Operation]:
    made: list[Operation] = []
    for name in op.input_arg_names:
        scales = op.attrs.get(name + _SCALE)
        variable = block.find_var(name)
        if _BITS not in op.attrs or scales is None or variable is None or "int" not in variable.dtype.name:
            continue
        floats = f"{name}.as_floats"
        if not block.has_var(floats):
            block.new_var(name=floats, shape=variable.shape, dtype="float32")
        most = (1 << (int(op.attrs[_BITS]) - 1)) - 1
        scale, zero = f"{floats}@scale", f"{floats}@zero_point"
        for of, dtype, values in ((scale, "float32", [float(each) * most for each in scales]),
                                  (zero, "int32", [0] * len(scales))):
            if not block.has_var(of):
                block.new_var(name=of, shape=[len(scales)], dtype=dtype)
            made.append(Operation(block, "assign_value", {}, {"Out": [of]}, {
                "shape": [len(scales)], "dtype": block.var(of).dtype, "values": np.array(values, dtype)}))
        axis = -1 if len(scales) == 1 else _axis(op)
        made.append(Operation(block, "dequantize_linear", {"X": [name], "Scale": [scale], "ZeroPoint": [zero]},
                              {"Y": [floats]}, {"quant_axis": axis, "bit_length": int(op.attrs[_BITS]),
                                                "round_type": 0, "is_test": True, "only_observer": False}))
        op.rename_input(name, floats)
    return made


def _axis(op: Operation) -> int:
    return 0 if op.type in ("conv2d", "depthwise_conv2d") else 1
