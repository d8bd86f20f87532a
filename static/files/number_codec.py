"""Numbers in files that their attributes cannot hold: those of operators on float64 and on integers.

A file keeps the number of `scale`, `pow`, `clip`, `increment`, `fill_any_like` and of padding as float32: `n * 0.7` of
float64 would be 6.99999988 for 10, and `ids + 16777217` one less. Such an operation is written as one that reads the
number, which a `fill_constant` has as text. That has complex numbers by their two parts: PaddlePaddle reads 0 of them.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core import dtype as dt
from ...core.dtype import DType
from ..ir.operation import Operation
from ..ir.program import Program

_HOLDING_MORE = (dt.float64, dt.complex128, dt.int32, dt.int64)
_PARTS = {dt.complex64: dt.float32, dt.complex128: dt.float64}
_LARGEST = 3.4028234663852886e38


def to_file(program: Program) -> Program:
    """The Program as files have it: itself where float32 holds its numbers, otherwise a copy of it."""
    if not any(_needs(op) for block in program.blocks for op in block.ops):
        return program
    result = copy.deepcopy(program)
    for block in result.blocks:
        block.ops = [written for op in block.ops for written in (_WRITE[op.type](op) if _needs(op) else (op,))]
    return result


def _needs(op: Operation) -> bool:
    named = _NUMBERS.get(op.type)
    if named is None or any(op.input(slot) for slot in _GIVEN_OTHERWISE):
        return False
    dtype = _dtype(op)
    if "str_value" in named:
        return dtype in _PARTS and "j" in str(op.attrs.get("str_value", ""))
    return dtype in _HOLDING_MORE and any(
        not _held(op.attrs[name]) and (not dtype.is_integer or _is_whole(op.attrs[name]))
        for name in named if name in op.attrs)


def _dtype(op: Operation) -> DType | None:
    variable = op.block.find_var(op.output("Out")[0])
    return None if variable is None else variable._dtype


def _held(number: Any) -> bool:
    """Whether float32 holds a number, or it stands for none."""
    return abs(number) >= _LARGEST or number != number or float(np.float32(number)) == number


def _is_whole(number: Any) -> bool:
    return int(number) == number


class _Written:
    """What takes the place of an operation."""

    def __init__(self, op: Operation):
        self.op, self.block, self.ops = op, op.block, list[Operation]()
        self.others = {name: value for name, value in op.attrs.items() if name not in _NUMBERS[op.type]}

    def add(self, kind: str, inputs: dict[str, list[str]], out: str, attrs: dict[str, Any]) -> str:
        self.ops.append(Operation(self.block, kind, inputs, {"Out": [out]}, attrs, self.op.source))
        return out

    def variable(self, shape: tuple[int, ...], dtype: DType) -> str:
        return self.block.new_var(None, shape, dtype, stop_gradient=True).name

    def number(self, value: Any, shape: tuple[int, ...] = (1,)) -> str:
        dtype = _dtype(self.op)
        assert dtype is not None
        return self.filled(value, shape, {}, self.variable(shape, dtype))

    def filled(self, value: Any, shape: tuple[int, ...], inputs: dict[str, list[str]], out: str) -> str:
        dtype = _dtype(self.op)
        assert dtype is not None
        value = dtype.wrapped(int(value)) if dtype.is_integer else value
        return self.add("fill_constant", inputs, out, {
            "shape": list(shape), "dtype": dtype, "value": float(value), "str_value": repr(value)})


def _like(op: Operation, name: str) -> tuple[int, ...]:
    """The shape of a number beside a variable: one element, without dimensions beside one without."""
    return () if op.block.var(name).shape == () else (1,)


def _write_scale(op: Operation) -> list[Operation]:
    """A product, a sum, or both."""
    written, (x,), (out,) = _Written(op), op.input("X"), op.output("Out")
    factor, bias = op.attrs.get("scale", 1.0), op.attrs.get("bias", 0.0)
    steps = [("elementwise_mul", factor)] if factor != 1.0 else []
    if bias:
        steps.insert(len(steps) if op.attrs.get("bias_after_scale", True) else 0, ("elementwise_add", bias))
    variable, dtype = op.block.var(out), _dtype(op)
    assert dtype is not None
    for place, (kind, number) in enumerate(steps, 1):
        result = out if place == len(steps) else written.variable(tuple(variable.shape), dtype)
        inputs = {"X": [x], "Y": [written.number(number, _like(op, out))]}
        x = written.add(kind, inputs, result, {**written.others, "axis": -1})
    return written.ops


def _write_complex(op: Operation) -> list[Operation]:
    written, (out,), dtype = _Written(op), op.output("Out"), _dtype(op)
    assert dtype is not None
    number, of_parts, shape = complex(op.attrs["str_value"]), _PARTS[dtype], tuple(op.block.var(out).shape)
    parts = [written.add("fill_constant", op.inputs, written.variable(shape, of_parts), {
        **written.others, "dtype": of_parts, "value": part, "str_value": repr(part)})
        for part in (number.real, number.imag)]
    written.add("complex", {"X": parts[:1], "Y": parts[1:]}, out, {})
    return written.ops


def _write_increment(op: Operation) -> list[Operation]:
    written, (out,) = _Written(op), op.output("Out")
    step = written.number(op.attrs["step"], _like(op, out))
    written.add("elementwise_add", {"X": op.input("X"), "Y": [step]}, out, {**written.others, "axis": -1})
    return written.ops


def _write_power(op: Operation) -> list[Operation]:
    written, (out,) = _Written(op), op.output("Out")
    exponent = written.number(op.attrs["factor"], _like(op, out))
    written.add("elementwise_pow", {"X": op.input("X"), "Y": [exponent]}, out, {**written.others, "axis": -1})
    return written.ops


def _write_clip(op: Operation) -> list[Operation]:
    written = _Written(op)
    limits = {slot: [written.number(op.attrs[name])] for slot, name in (("Min", "min"), ("Max", "max"))
              if name in op.attrs and not _held(op.attrs[name])}
    return [*written.ops, Operation(op.block, op.type, {**op.inputs, **limits}, op.outputs, op.attrs, op.source)]


def _write_fill(op: Operation) -> list[Operation]:
    written, (out,) = _Written(op), op.output("Out")
    shape = tuple(op.block.var(out).shape)
    inputs = {}
    if -1 in shape:
        sizes = written.variable((len(shape),), dt.int32)
        inputs = {"ShapeTensor": [written.add("shape", {"Input": op.input("X")}, sizes, {})]}
    written.filled(op.attrs["value"], shape, inputs, out)
    return written.ops


def _write_pad(op: Operation) -> list[Operation]:
    """x among zeros, and the number where ones among zeros leave zeros."""
    written, (out,), (number,) = _Written(op), op.output("Out"), _NUMBERS[op.type]
    x, before, behind = op.block.var(op.input("X")[0]), op.block.var(op.input("X")[0]).shape, op.block.var(out).shape
    dtype = _dtype(op)
    assert dtype is not None
    ones = written.add("fill_any_like", {"X": [x.name]}, written.variable(tuple(before), dtype),
                       {"value": 1.0, "dtype": dtype})
    inside, among, around, edge = (written.variable(tuple(behind), dtype) for _ in range(4))
    for source, result in ((x.name, among), (ones, inside)):
        written.add(op.type, {**op.inputs, "X": [source]}, result, {**written.others, number: 0.0})
    written.add("scale", {"X": [inside]}, around, {"scale": -1.0, "bias": 1.0, "bias_after_scale": True})
    written.add("elementwise_mul", {"X": [around], "Y": [written.number(op.attrs[number])]}, edge, {"axis": -1})
    written.add("elementwise_add", {"X": [among], "Y": [edge]}, out, {"axis": -1})
    return written.ops


#: operator: its numbers that files hold as float32.
_NUMBERS = {"scale": ("scale", "bias", "bias_after_scale"), "pow": ("factor",), "clip": ("min", "max"),
            "fill_any_like": ("value",), "increment": ("step",), "pad": ("pad_value",), "pad3d": ("value",),
            "fill_constant": ("value", "str_value")}
_GIVEN_OTHERWISE = ("ScaleTensor", "FactorTensor", "Min", "Max")
_WRITE: dict[str, Callable[[Operation], list[Operation]]] = {
    "scale": _write_scale, "pow": _write_power, "clip": _write_clip, "fill_any_like": _write_fill,
    "increment": _write_increment, "pad": _write_pad, "pad3d": _write_pad, "fill_constant": _write_complex}
