"""Operators in a form that the converter to ONNX writes rightly.

Without a word it would give an expanded value the sizes -1, begin a reversed part behind its end, and sample regions
of images elsewhere; of reversed and repeated values of open sizes, and of numbers that are set, it ends.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..core.dtype import bool_, float32, float64, int32, int64
from ..static.building.trace import ProgramTrace
from ..static.ir.block import Block
from ..static.ir.decomposed import append_parts
from ..static.ir.operation import Operation
from ..static.ir.program import Program
from . import onnx_positions  # noqa: F401  (it says what operators are made of)
from .onnx_parts import PARTS
from .onnx_set_value import new_variable, set_value

_EQUALITY = frozenset(("equal", "not_equal"))
_MAXIMA = frozenset(("max_pool2d_with_index", "max_pool3d_with_index"))
_EXTREMES = frozenset(("elementwise_max", "elementwise_min"))
_FIRST, _LAST = -2**31, 2**31 - 1  # beyond every value, which is cut to its size


def rewrite(program: Program) -> bool:
    """Puts other operations in the place of those that would go wrong; whether there was any."""
    found, current = False, program.current_block_idx
    read = {name for block in program.blocks for op in block.ops for name in op.input_arg_names}
    for block in program.blocks:
        program.current_block_idx = block.idx
        given, block.ops = block.ops, []
        for op in given:
            if op.type in _MAXIMA and not read.intersection(op.output("Mask")):
                block.ops.append(op)  # it ends of their positions alone
            else:
                found |= _append(block, op)
    program.current_block_idx = current
    return found


def _append(block: Block, op: Operation) -> bool:
    """Appends an operation, or others in its place; whether these are others. They may have other forms themselves."""
    if op.type in _FORMS:
        made = _FORMS[op.type](block, op)
    else:
        made = _parts(block, op)
    if made is None:
        block.ops.append(op)
        return False
    for one in made:
        if one.type == op.type:  # its other form
            block.ops.append(one)
        else:
            _append(block, one)
    return True


def _parts(block: Block, op: Operation) -> list[Operation] | None:
    """What `onnx_parts.py` and `onnx_positions.py` know of an operation."""
    made_of = PARTS.get(op.type)
    if made_of is None:
        return None
    trace = ProgramTrace(block.program)
    begin = len(block.ops)
    try:
        append_parts(op, made_of, trace)
    except NotImplementedError as error:
        (slot, *_) = (names for names in op.outputs.values() if names)
        raise NotImplementedError(f"onnx.export: the operator {op.type}, which makes {slot[0]!r}: {error}") from error
    made, block.ops[begin:] = block.ops[begin:], []
    return made


def least_version(program: Program) -> int:
    """The least version of ONNX's operators that has what the operators of a Program compute."""
    return max((_least(block, op) for block in program.blocks for op in block.ops), default=0)


def _least(block: Block, op: Operation) -> int:
    if op.type == "roi_align":
        return 16 if op.attrs.get("aligned") else 0
    if op.type in _EQUALITY:  # below, the converter compares the whole numbers that floats become
        dtype = block.var(op.input("X")[0])._dtype
        return 11 if dtype is not None and dtype.is_floating else 0
    if op.type in _EXTREMES:  # below, of floats alone
        dtype = block.var(op.input("X")[0])._dtype
        return 0 if dtype is not None and dtype.is_floating else 12
    return 0


def _expand_as(block: Block, op: Operation) -> list[Operation] | None:
    if not op.input("Y") or min(op.attrs.get("target_shape") or [-1]) >= 0:
        return None
    sizes = new_variable(block, op, "sizes", (len(block.var(op.input("Y")[0]).shape),), int32)
    return [Operation(block, "shape", {"Input": op.input("Y")}, {"Out": [sizes]}, {}),
            Operation(block, "expand_v2", {"X": op.input("X"), "Shape": [sizes]}, op.outputs, {"shape": []})]


def _broadcast_tensors(block: Block, op: Operation) -> list[Operation]:
    """Each expanded to the larger sizes of all."""
    values = [block.var(name) for name in op.input("X")]
    rank, made, largest = max(len(value.shape) for value in values), list[Operation](), ""
    for value in values:
        own, parts = len(value.shape), []
        if own < rank:
            parts.append(new_variable(block, op, "ones", (rank - own,), int32))
            made.append(Operation(block, "assign_value", {}, {"Out": list(parts)}, {
                "shape": [rank - own], "dtype": int32, "values": np.ones(rank - own, np.int32)}))
        if own:
            parts.append(new_variable(block, op, "sizes", (own,), int32))
            made.append(Operation(block, "shape", {"Input": [value.name]}, {"Out": [parts[-1]]}, {}))
        sizes = parts[0]
        if len(parts) == 2:
            sizes = new_variable(block, op, "all", (rank,), int32)
            made.append(Operation(block, "concat", {"X": parts}, {"Out": [sizes]}, {"axis": 0}))
        if largest:
            larger = new_variable(block, op, "largest", (rank,), int32)
            made.append(Operation(block, "elementwise_max", {"X": [largest], "Y": [sizes]}, {"Out": [larger]},
                                  {"axis": -1}))
            sizes = larger
        largest = sizes
    return made + [
        Operation(block, "expand_v2", {"X": [value.name], "Shape": [largest]}, {"Out": [name]}, {"shape": []})
        for value, name in zip(values, op.output("Out"), strict=True)]


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


def _assign_value(block: Block, op: Operation) -> list[Operation] | None:
    """Constants that the converter does not write, as numbers of another dtype that it does."""
    dtype = op.attrs["dtype"]
    if dtype in (int32, int64, float32, float64):
        return None
    written = float32 if dtype.is_floating else int32
    name = new_variable(block, op, "written", tuple(op.attrs["shape"]), written)
    values = np.asarray(op.attrs["values"]).astype(written.dtype)
    return [Operation(block, op.type, {}, {"Out": [name]}, {**op.attrs, "dtype": written, "values": values}),
            Operation(block, "cast", {"X": [name]}, op.outputs, {"in_dtype": written, "out_dtype": dtype})]


def _fill_constant(block: Block, op: Operation) -> list[Operation] | None:
    """A number that is written as text, since float32 does not hold it: the converter reads what float32 has of it."""
    dtype, text = op.attrs["dtype"], op.attrs.get("str_value")
    if not text or dtype not in (int32, int64, float64) or op.input("ValueTensor") or op.input("ShapeTensorList"):
        return None
    number = float(text) if dtype.is_floating else int(text)
    if float(np.float32(number)) == number or number - number != 0:
        return None
    sizes, outputs = op.input("ShapeTensor"), op.outputs
    shape = [1] if sizes else list(op.attrs["shape"])
    if sizes:
        outputs = {"Out": [new_variable(block, op, "number", (1,), dtype)]}
    made = _doubles(block, op, number, shape, outputs) if dtype.is_floating else [
        Operation(block, "assign_value", {}, outputs, {
            "dtype": dtype, "shape": shape, "values": np.full(shape, number, dtype.dtype)})]
    if sizes:
        made.append(Operation(block, "expand_v2", {"X": outputs["Out"], "Shape": sizes}, op.outputs, {"shape": []}))
    return made


def _doubles(block: Block, op: Operation, number: float, shape: list[int],
             outputs: dict[str, list[str]]) -> list[Operation]:
    """A double as the sum of three numbers that float32 holds."""
    large = float(np.float32(number))
    middle = float(np.float32(number - large))
    names = [new_variable(block, op, f"part{n}", tuple(shape), float64) for n in range(4)]
    made = [Operation(block, "fill_constant", {}, {"Out": [name]}, {
        "shape": shape, "dtype": float64, "value": part, "str_value": ""})
        for name, part in zip(names[:3], (large, middle, number - large - middle), strict=True)]
    first, second, third, rest = ([name] for name in names)
    return [*made, Operation(block, "elementwise_add", {"X": second, "Y": third}, {"Out": rest}, {"axis": -1}),
            Operation(block, "elementwise_add", {"X": first, "Y": rest}, outputs, {"axis": -1})]


def _pad3d(block: Block, op: Operation) -> list[Operation] | None:
    return _parts(block, op) if op.attrs.get("mode") == "circular" and not op.input("Paddings") else None


def _where(block: Block, op: Operation) -> list[Operation] | None:
    """ONNX Runtime has no Where of truth values."""
    return _parts(block, op) if block.var(op.input("X")[0])._dtype == bool_ else None


def _reduce_sum(block: Block, op: Operation) -> list[Operation] | None:
    """How many are true."""
    if block.var(op.input("X")[0])._dtype != bool_:
        return None
    numbers = new_variable(block, op, "numbers", tuple(block.var(op.input("X")[0]).shape), int64)
    attrs = {**op.attrs, "in_dtype": int64, "out_dtype": block.var(op.output("Out")[0])._dtype}
    return [Operation(block, "cast", {"X": op.input("X")}, {"Out": [numbers]}, {
        "in_dtype": bool_, "out_dtype": int64}), Operation(block, op.type, {"X": [numbers]}, op.outputs, attrs)]


def _increment(block: Block, op: Operation) -> list[Operation] | None:
    return [Operation(block, "scale", op.inputs, op.outputs, {
        "scale": 1.0, "bias": float(op.attrs.get("step", 1.0)), "bias_after_scale": True})]


_FORMS: dict[str, Callable[[Block, Operation], list[Operation] | None]] = {
    "assign_value": _assign_value, "broadcast_tensors": _broadcast_tensors,
    "expand_as_v2": _expand_as, "fill_constant": _fill_constant, "flip": _flip, "increment": _increment,
    "repeat_interleave": _repeat_interleave, "pad3d": _pad3d, "reduce_sum": _reduce_sum, "roi_align": _roi_align,
    "set_value": set_value, "strided_slice": _strided_slice, "where": _where,
}
REWRITTEN = frozenset(_FORMS) | _EQUALITY | _EXTREMES | frozenset(PARTS)
"""The operators that have another form, or need a version."""
