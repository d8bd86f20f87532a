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
    bounds = list(zip(*[op.attrs[name] for name in ("axes", "starts", "ends", "steps")], strict=True))
    if any(op.input(slot) for slot in ("StartsTensorList", "EndsTensorList", "StepsTensorList")) or op.attrs.get(
            "none_axes"):
        return None
    shape = block.var(op.input("Input")[0]).shape
    bounds = [(axis, *(_counted(start, end, shape[axis]) if step == 1 else (start, end)), step)
              for axis, start, end, step in bounds]
    if any(start < 0 <= end < _LAST and step == 1 for _, start, end, step in bounds):
        return None
    return _Setting(block, op).made(bounds)


def new_variable(block: Block, op: Operation, what: str, shape: tuple[int, ...], dtype: Any = None) -> str:
    """A variable of a name of its own, for what is computed on the way to the result of an operation."""
    out = op.output("Out")[0]
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
        self.dtype = block.var(op.input("Input")[0])._dtype

    def made(self, bounds: list[tuple[int, int, int, int]]) -> list[Operation]:
        """With the result under its name."""
        (whole,) = self.op.input("Input")
        shape = self.block.var(whole).shape
        if self.dtype == bool_:  # of which ONNX Runtime has no Where
            self.dtype = int32
            whole = self.cast(whole, shape, int32)
            result = self.cast(self.set_in(whole, bounds), shape, bool_)
        else:
            result = self.set_in(whole, bounds)
        return [*self.ops, Operation(self.block, "assign", {"X": [result]}, self.op.outputs, {})]

    def set_in(self, whole: str, bounds: list[tuple[int, int, int, int]]) -> str:
        """The name of a value with a part exchanged."""
        if not bounds:
            return self.expanded(whole)
        (axis, start, end, step), *inner = bounds
        if step != 1:
            return self.set_at_steps(whole, bounds)
        behind = self.part(whole, axis, start, _LAST)
        last = end - start if start >= 0 and 0 <= end < _LAST else end
        parts = [] if start == 0 else [self.part(whole, axis, 0, start)]
        parts.append(self.set_in(self.part(behind, axis, 0, last), inner))
        if last != _LAST:
            parts.append(self.part(behind, axis, last, _LAST))
        return self.add("concat", {"X": parts}, self.like(whole, axis), {"axis": axis})

    def set_at_steps(self, whole: str, bounds: list[tuple[int, int, int, int]]) -> str:
        """The same where the part is not of one piece: its elements are put at their positions."""
        (axis, start, end, step), *inner = bounds
        cut = {"starts": [start], "ends": [end], "strides": [step], "infer_flags": [1], "decrease_axis": []}
        shape = self.like(whole, axis)
        part = self.add("strided_slice", {"Input": [whole]}, shape, {**cut, "axes": [axis]})
        sizes = self.add("shape", {"Input": [whole]}, (len(shape),), {}, int32)
        size = self.add("slice", {"Input": [sizes]}, (1,), {
            "axes": [0], "starts": [axis], "ends": [axis + 1], "infer_flags": [1], "decrease_axis": []}, int32)
        zero, one = (self.number(0), self.number(1))
        numbers = self.add("range", {"Start": [zero], "End": [size], "Step": [one]}, (-1,), {}, int32)
        places = self.add("strided_slice", {"Input": [numbers]}, (-1,), {**cut, "axes": [0]}, int32)
        order = [axis, *[other for other in range(len(shape)) if other != axis]]
        turned, values = (self.add("transpose2", {"X": [value]}, tuple(shape[n] for n in order), {"axis": order})
                          for value in (whole, self.set_in(part, inner)))
        found = self.add("scatter", {"X": [turned], "Ids": [places], "Updates": [values]}, tuple(
            shape[n] for n in order), {"overwrite": True})
        return self.add("transpose2", {"X": [found]}, shape, {"axis": [order.index(n) for n in range(len(shape))]})

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
            value = self.cast(value, shape, dtype)
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
        always = self.cast(self.number(1), (1,), bool_)
        return self.add("where", {"Condition": [always], "X": [value], "Y": [part]}, self.block.var(part).shape, {})

    def value(self) -> str:
        """What is set: a tensor, or constants in attributes."""
        given, attrs = self.op.input("ValueTensor"), self.op.attrs
        if given:
            return given[0]
        shape = list(attrs.get("shape") or [1])
        return self.add("assign_value", {}, tuple(shape), {
            "dtype": attrs["dtype"], "shape": shape, "values": attrs["values"]}, attrs["dtype"])

    def number(self, number: int) -> str:
        """A whole number."""
        return self.add("fill_constant", {}, (1,), {
            "shape": [1], "value": float(number), "str_value": str(number), "dtype": int32}, int32)

    def cast(self, value: str, shape: tuple[int, ...], dtype: Any) -> str:
        """A value in another dtype."""
        return self.add("cast", {"X": [value]}, shape, {
            "in_dtype": self.block.var(value)._dtype, "out_dtype": dtype}, dtype)

    def like(self, name: str, axis: int) -> tuple[int, ...]:
        """The shape of a value, but for the size of an axis."""
        shape = list(self.block.var(name).shape)
        shape[axis] = -1
        return tuple(shape)

    def add(self, type: str, inputs: dict[str, list[str]], shape: tuple[int, ...], attrs: dict[str, Any],
            dtype: Any = None) -> str:
        """The name of what an operation gives."""
        made = new_variable(self.block, self.op, "set", tuple(shape), dtype or self.dtype)
        self.ops.append(Operation(self.block, type, inputs, {"Out": [made]}, attrs))
        return made
