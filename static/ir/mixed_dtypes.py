"""Casts where an operator of a Program takes floats of several dtypes, such as conv2d of float32 with float64 weights.

Our kernels promote. PaddlePaddle's take one dtype: it refuses a file whose operators meet several. So Programs that go
into files are written with casts to the dtype in which our kernels compute, the widest, and back where a result is of
another. Programs that stay here need none.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from ...core.dtype import DType, float32, promote
from ...ops.core.operator import Operator, find, is_declared
from .block import Block
from .operation import Operation
from .program import Program
from .variable import Variable


def cast_mixed_dtypes(program: Program, fetches: Sequence[str]) -> None:
    """Gives the float inputs of each operator one dtype, in this very Program, of which these names are fetched."""
    read = {name for block in program.blocks for op in block.ops for name in op.input_arg_names}
    for block in program.blocks:
        block.ops = [written for op in block.ops for written in _with_casts(block, op, {*read, *fetches})]


def _with_casts(block: Block, op: Operation, wanted: Collection[str]) -> list[Operation]:
    """The operation, between the casts that it needs."""
    operator = find(op.type) if is_declared(op.type) else None
    dtypes = {} if operator is None or _takes_any(operator) else _dtypes_there(block, op, operator)
    if operator is None or all(v.dtype is dtype for slot, dtype in dtypes.items() for v in _floats(block, op, slot)):
        return [op]
    results = list(_results(block, op, operator, dtypes))
    before, after = [], []
    op.inferred = None
    for slot, dtype in dtypes.items():
        variables = [block.var(name) for name in op.input(slot)]
        taken = [_like(v, block, dtype) if v.dtype.is_floating and v.dtype is not dtype else v for v in variables]
        before += [_cast(block, v, t, op.source) for v, t in zip(variables, taken, strict=True) if v is not t]
        op.set_input(slot, [variable.name for variable in taken])
    for alias, variable, dtype in results:
        if alias:
            made = block.var(op.input(alias)[0])
        elif variable.name in wanted or variable.persistable:
            made = _like(variable, block, dtype)
        else:
            variable._dtype = dtype  # PaddlePaddle's kernels leave some of these empty: a cast would fail
            continue
        op.rename_output(variable.name, made.name)
        after.append(_cast(block, made, variable, op.source))
    return [*before, op, *after]


def _takes_any(operator: Operator) -> bool:
    """Whether it computes nothing of its inputs together: it runs a block, prints, hands a value on."""
    return (operator.precision == "keep" or operator.runs_block or operator.lists or operator.has_effect
            or operator.only_here)


def _dtypes_there(block: Block, op: Operation, operator: Operator) -> dict[str, DType]:
    """For each input slot that holds floats, the dtype that PaddlePaddle's kernel takes it in."""
    slots = {slot.name: {v.dtype for v in _floats(block, op, slot.name)} for slot in operator.inputs}
    alone = {slot: float32 for slot in operator.in_float32 if slots[slot]}
    together = {slot: dtypes for slot, dtypes in slots.items() if dtypes and slot not in alone}
    dtypes = set().union(*together.values())
    if len(dtypes) < 2 or (operator.follows_first and _is_mixed_precision(together[operator.inputs[0].name], dtypes)):
        return alone
    common = functools.reduce(promote, sorted(dtypes, key=str))
    return {**dict.fromkeys(together, common), **alone}


def _is_mixed_precision(first: set[DType], dtypes: set[DType]) -> bool:
    """16 bits with scale and statistics in float32, as mixed precision has it, there as here."""
    return all(dtype.itemsize == 2 for dtype in first) and dtypes == {*first, float32}


def _results(block: Block, op: Operation, operator: Operator,
             dtypes: dict[str, DType]) -> Iterator[tuple[str | None, Variable, DType]]:
    """The results that have another dtype where the inputs have these: (the input that it is anew, variable, dtype)."""
    taken: list[Any] = []
    for slot in operator.inputs:
        held = [block.var(name).spec for name in op.input(slot.name)]
        held = [spec._replace(dtype=dtypes.get(slot.name, spec.dtype)) if spec.dtype.is_floating else spec
                for spec in held]
        taken.append((held or slot.nothing) if slot.many else held[0] if held else None)
    attrs = {**operator.defaults, **{k: v for k, v in op.attrs.items() if k in operator.attributes}}
    for slot, spec in zip(operator.results, operator.infer_specs(tuple(taken), attrs), strict=False):
        for name, each in zip(op.output(slot.name), spec if slot.many else [spec], strict=False):
            variable = block.find_var(name)
            if each is not None and variable is not None and variable.dtype is not each.dtype:
                yield slot.alias, variable, each.dtype


def _floats(block: Block, op: Operation, slot: str) -> list[Variable]:
    """The tensors of floats in an input slot."""
    held = [block.find_var(name) for name in op.input(slot)]
    return [v for v in held if v is not None and v.kind == "tensor" and v.dtype.is_floating]


def _like(variable: Variable, block: Block, dtype: DType) -> Variable:
    return block.new_var(block.program.new_name("cast"), variable.shape, dtype, stop_gradient=variable.stop_gradient)


def _cast(block: Block, source: Variable, target: Variable, place: str) -> Operation:
    return Operation(block, "cast", {"X": [source.name]}, {"Out": [target.name]},
                     {"in_dtype": source.dtype, "out_dtype": target.dtype}, place)
