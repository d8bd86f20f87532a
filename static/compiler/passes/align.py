"""An elementwise operator that says where its second operand stands (`axis`) gets that operand in the shape for it.

Models of Paddle 1.x, and the bias of every convolution, are written so; other passes then meet plain broadcasting only.
"""

from __future__ import annotations

from ....ops.core.operator import find, is_declared
from ....ops.core.spec import Spec
from ...ir.operation import Operation
from ..unit import Unit


def align_operands(unit: Unit) -> None:
    """Puts a reshape before each such operator, and -1 in the place of its `axis`."""
    done: list[Operation] = []
    for op in unit.ops:
        shape = _aligned_shape(unit, op)
        if shape is None:
            done.append(op)
            continue
        y = op.input("Y")[0]
        spec = unit.spec(y)
        assert spec is not None
        name = unit.new_name(y, Spec(shape, spec.dtype))
        done.append(Operation(op.block, "reshape2", {"X": [y]}, {"Out": [name]}, {"shape": list(shape)}, op.source))
        done.append(Operation(op.block, op.type, {**op.inputs, "Y": [name]}, op.outputs, {**op.attrs, "axis": -1},
                              op.source))
    unit.ops = done


def _aligned_shape(unit: Unit, op: Operation) -> tuple[int, ...] | None:
    """The shape for the second operand; None where it has it already, or sizes are not known."""
    axis = op.attrs.get("axis", -1)
    if not op.input("Y") or not is_declared(op.type) or not find(op.type).promotes or not isinstance(axis, int):
        return None
    x, y = unit.spec(op.input("X")[0]), unit.spec(op.input("Y")[0])
    if axis == -1 or x is None or y is None or not y.is_known or y.rank >= x.rank or not unit.is_movable(op):
        return None
    return (*y.shape, *(1,) * (x.rank - axis - y.rank))
