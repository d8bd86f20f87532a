"""Operators in a form that the converter to ONNX writes rightly.

Without a word it would give an expanded value the sizes -1, begin a reversed part behind its end, and sample regions
of images elsewhere; of reversed and repeated values of open sizes, and of numbers that are set, it ends.
"""

from __future__ import annotations

from collections.abc import Callable

from ..core.dtype import int32
from ..static.ir.block import Block
from ..static.ir.operation import Operation
from ..static.ir.program import Program
from .onnx_set_value import new_variable, set_value

_FIRST, _LAST = -2**31, 2**31 - 1  # beyond every value, which is cut to its size


def rewrite(program: Program) -> bool:
    """Puts other operations in the place of those that would go wrong; whether there was any."""
    found = False
    for block in program.blocks:
        ops: list[Operation] = []
        for op in block.ops:
            made = _FORMS[op.type](block, op) if op.type in _FORMS else None
            found |= made is not None
            ops += [op] if made is None else made
        block.ops[:] = ops
    return found


def least_version(program: Program) -> int:
    """The least version of ONNX's operators that has what the operators of a Program compute."""
    aligned = any(op.type == "roi_align" and op.attrs.get("aligned") for block in program.blocks for op in block.ops)
    return 16 if aligned else 0


def _expand_as(block: Block, op: Operation) -> list[Operation] | None:
    if not op.input("Y") or min(op.attrs.get("target_shape") or [-1]) >= 0:
        return None
    sizes = new_variable(block, op, "sizes", (len(block.var(op.input("Y")[0]).shape),), int32)
    return [Operation(block, "shape", {"Input": op.input("Y")}, {"Out": [sizes]}, {}),
            Operation(block, "expand_v2", {"X": op.input("X"), "Shape": [sizes]}, op.outputs, {"shape": []})]


def _strided_slice(block: Block, op: Operation) -> list[Operation] | None:
    """An end of -1 is before the first value where the steps are backwards; in ONNX it is the last one."""
    ends, strides = list(op.attrs.get("ends", [])), list(op.attrs.get("strides", []))
    ends = [_FIRST if end == -1 and stride < 0 else end for end, stride in zip(ends, strides, strict=True)]
    if ends == list(op.attrs.get("ends", [])):
        return None
    return [Operation(block, op.type, op.inputs, op.outputs, {**op.attrs, "ends": ends})]


def _flip(block: Block, op: Operation) -> list[Operation] | None:
    shape = block.var(op.input("X")[0]).shape
    axes = [axis % len(shape) for axis in op.attrs["axis"]]
    if all(shape[axis] >= 0 for axis in axes):
        return None
    every = len(axes)
    return [Operation(block, "strided_slice", {"Input": op.input("X")}, op.outputs, {
        "axes": axes, "starts": [_LAST] * every, "ends": [_FIRST] * every, "strides": [-1] * every,
        "infer_flags": [1] * every, "decrease_axis": []})]


def _repeat_interleave(block: Block, op: Operation) -> list[Operation] | None:
    shape = tuple(block.var(op.input("X")[0]).shape)
    axis = op.attrs["dim"] % len(shape)
    if op.input("RepeatsTensor") or min(shape) >= 0:
        return None
    apart = new_variable(block, op, "apart", (*shape[:axis + 1], 1, *shape[axis + 1:]))
    repeated = new_variable(block, op, "repeated", (*shape[:axis + 1], op.attrs["Repeats"], *shape[axis + 1:]))
    times = [1] * (len(shape) + 1)
    times[axis + 1] = op.attrs["Repeats"]
    return [Operation(block, "unsqueeze2", {"X": op.input("X")}, {"Out": [apart]}, {"axes": [axis + 1]}),
            Operation(block, "tile", {"X": [apart]}, {"Out": [repeated]}, {"repeat_times": times}),
            Operation(block, "flatten_contiguous_range", {"X": [repeated]}, op.outputs, {
                "start_axis": axis, "stop_axis": axis + 1})]


def _roi_align(block: Block, op: Operation) -> list[Operation] | None:
    """As many samples as a part is large are 0 in ONNX."""
    if op.attrs.get("sampling_ratio", -1) >= 0:
        return None
    return [Operation(block, op.type, op.inputs, op.outputs, {**op.attrs, "sampling_ratio": 0})]


def _increment(block: Block, op: Operation) -> list[Operation] | None:
    return [Operation(block, "scale", op.inputs, op.outputs, {
        "scale": 1.0, "bias": float(op.attrs.get("step", 1.0)), "bias_after_scale": True})]


_FORMS: dict[str, Callable[[Block, Operation], list[Operation] | None]] = {
    "expand_as_v2": _expand_as, "flip": _flip, "increment": _increment, "repeat_interleave": _repeat_interleave,
    "roi_align": _roi_align, "set_value": set_value, "strided_slice": _strided_slice,
}
REWRITTEN = tuple(name.encode() for name in _FORMS)
"""What the content of a model's file has in it where there may be such an operator."""
