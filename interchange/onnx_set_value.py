"""Values set in a part of another, `x[1:, 2] = y`, in a form that the converter to ONNX reads.

Its own form is for one axis, and for values with dimensions. Here what is before the part, the part, and what is behind
it become one value again, for each axis: so sizes that only a run knows are no matter.
"""

from __future__ import annotations

from typing import Any

from ..core.dtype import bool_, int32
from ..static.ir.block import Block
from ..static.ir.operation import Operation

_LAST = 2**31 - 1  # beyond every value, which is cut to its size


def set_value(block: Block, op: Operation) -> list[Operation] | None:
    """Operations that compute what `set_value` does; None where it cannot be said so."""
    bounds = list(zip(op.attrs["axes"], op.attrs["starts"], op.attrs["ends"], strict=True))
    if (any(op.input(slot) for slot in ("StartsTensorList", "EndsTensorList", "StepsTensorList"))
            or any(step != 1 for step in op.attrs["steps"]) or op.attrs.get("none_axes")):
        return None
    if block.var(op.input("Input")[0])._dtype == bool_:
        return None  # of which ONNX Runtime has no Where
    shape = block.var(op.input("Input")[0]).shape
    bounds = [(axis, *_counted(start, end, shape[axis])) for axis, start, end in bounds]
    if any(start < 0 <= end < _LAST for _, start, end in bounds):
        return None
    return _Setting(block, op).made(bounds)


def new_variable(block: Block, op: Operation, what: str, shape: tuple[int, ...], dtype: Any = None) -> str:
    """A variable of a name of its own, for what is computed on the way to the result of an operation."""
    (out,) = op.output("Out")
    name, number = f"{out}@{what}", 1
    while name in block.vars:
        name, number = f"{out}@{what}_{number}", number + 1
    block.new_var(name, shape, dtype or block.var(out)._dtype, stop_gradient=True)
    return name


def _counted(start: int, end: int, size: int) -> tuple[int, int]:
    """Bounds from the beginning where the size is known, and the end not before the start where that can be seen."""
    if size >= 0:
        start, end = (min(max(at + size, 0) if at < 0 else at, size) for at in (start, end))
        end = _LAST if end == size and start < size else end
    return start, max(start, end) if (start < 0) == (end < 0) else end


class _Setting:
    """The operations, collected from the outermost axis to the innermost."""

    def __init__(self, block: Block, op: Operation):
        self.block, self.op, self.ops = block, op, list[Operation]()

    def made(self, bounds: list[tuple[int, int, int]]) -> list[Operation]:
        """With the result under its name."""
        result = self.set_in(self.op.input("Input")[0], bounds)
        return [*self.ops, Operation(self.block, "assign", {"X": [result]}, self.op.outputs, {})]

    def set_in(self, whole: str, bounds: list[tuple[int, int, int]]) -> str:
        """The name of a value with a part exchanged."""
        if not bounds:
            return self.expanded(whole)
        (axis, start, end), *inner = bounds
        behind = self.part(whole, axis, start, _LAST)
        last = end - start if start >= 0 and 0 <= end < _LAST else end
        parts = [] if start == 0 else [self.part(whole, axis, 0, start)]
        parts.append(self.set_in(self.part(behind, axis, 0, last), inner))
        if last != _LAST:
            parts.append(self.part(behind, axis, last, _LAST))
        return self.add("concat", {"X": parts}, self.like(whole, axis), {"axis": axis})

    def part(self, whole: str, axis: int, start: int, end: int) -> str:
        """A slice; the value itself where it is all of it."""
        if start == 0 and end == _LAST:
            return whole
        return self.add("slice", {"Input": [whole]}, self.like(whole, axis), {
            "axes": [axis], "starts": [start], "ends": [end], "infer_flags": [1], "decrease_axis": []})

    def expanded(self, part: str) -> str:
        """What is set, as large as the part: not by `expand_v2`, of which the converter makes one value for none."""
        value, attrs = self.value(), self.op.attrs
        shape, dtype = self.block.var(value).shape, self.block.var(part)._dtype
        if self.block.var(value)._dtype != dtype:
            value = self.add("cast", {"X": [value]}, shape, {
                "in_dtype": self.block.var(value)._dtype, "out_dtype": dtype}, dtype)
        rank = len(self.block.var(part).shape)
        kept = [axis for axis in range(rank) if axis not in (attrs.get("decrease_axes") or [])]
        extra = len(shape) - len(kept)
        if all(size == 1 for size in shape):
            if len(shape) > 1:
                value = self.add("reshape2", {"X": [value]}, (1,), {"shape": [1]})
        else:
            if extra > 0:
                value = self.add("squeeze2", {"X": [value]}, shape[extra:], {"axes": list(range(extra))})
            first = kept[max(-extra, 0)]
            axes = [axis - first for axis in range(first, rank) if axis not in kept]
            if axes:
                value = self.add("unsqueeze2", {"X": [value]}, (-1,) * (rank - first), {"axes": axes})
        one = self.add("fill_constant", {}, (1,), {
            "shape": [1], "value": 1.0, "str_value": "1", "dtype": int32}, int32)
        always = self.add("cast", {"X": [one]}, (1,), {"in_dtype": int32, "out_dtype": bool_}, bool_)
        return self.add("where", {"Condition": [always], "X": [value], "Y": [part]}, self.block.var(part).shape, {})

    def value(self) -> str:
        """What is set: a tensor, or constants in attributes."""
        given, attrs = self.op.input("ValueTensor"), self.op.attrs
        if given:
            return given[0]
        shape = list(attrs.get("shape") or [1])
        return self.add("assign_value", {}, tuple(shape), {
            "dtype": attrs["dtype"], "shape": shape, "values": attrs["values"]}, attrs["dtype"])

    def like(self, name: str, axis: int) -> tuple[int, ...]:
        """The shape of a value, but for the size of an axis."""
        shape = list(self.block.var(name).shape)
        shape[axis] = -1
        return tuple(shape)

    def add(self, type: str, inputs: dict[str, list[str]], shape: tuple[int, ...], attrs: dict[str, Any],
            dtype: Any = None) -> str:
        """The name of what an operation gives."""
        made = new_variable(self.block, self.op, "set", tuple(shape), dtype)
        self.ops.append(Operation(self.block, type, inputs, {"Out": [made]}, attrs))
        return made
