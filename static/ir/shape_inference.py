"""Shapes and dtypes of a Program, inferred again for inputs of other sizes than it was written for.

PaddlePaddle passes over the sizes in a file when it runs one: what an operator takes, it takes.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from ...ops.core.spec import Spec
from .block import Block
from .misfits import MisfitInputsError, misfits
from .one_element import widened
from .op_inference import place_of, results_of, shown
from .operation import Operation
from .program import Program
from .usage import sub_block
from .variable import Variable


def for_inputs(program: Program, specs: Mapping[str, Spec], values: Sequence[Any]) -> Program:
    """The Program as it is for these inputs: itself where they are as their specs say, otherwise a copy of it.

    Raises MisfitInputsError, naming those that are not and what was received, where an operator does not take them.
    """
    given = misfits(specs, values)
    if not given:
        return program
    try:
        return infer_again(copy.deepcopy(program), given)
    except ValueError as error:
        received = "; ".join(
            f"The input {name!r} takes shape {list(spec.shape)} (-1: any size) and dtype {spec.dtype.name}. Received "
            f"shape {list(value.shape)} and dtype {value.dtype.name}"
            for (name, spec), value in zip(specs.items(), values, strict=True) if name in given)
        raise MisfitInputsError(f"{received}, which the model's operators do not take: {error}") from error


def infer_again(program: Program, inputs: Mapping[str, Spec]) -> Program:
    """Gives inputs other shapes or dtypes, and all that is computed from them what follows; gives the Program.

    Raises ValueError, naming operator and place, where an operator does not take what it then gets.
    """
    before = {id(v): v._dtype for v in program.list_vars()}
    of_one = {id(op.block.var(name)) for block in program.blocks for op in block.ops for name in widened(op)}
    for name, spec in inputs.items():
        variable = program.global_block().var(name)
        variable.shape, variable._dtype = tuple(spec.shape), spec.dtype
    first = True  # a loop carries sizes back to its begin
    while _infer(program.global_block(), before, of_one, set() if first else None):
        first = False
    return program


def declare_results(op: Operation) -> None:
    """Says what results are of which a file says nothing, as passes that optimize one leave them."""
    found = [op.block.find_var(name) for name in op.output_arg_names]
    undeclared = {v.name for v in found if v is not None and v._dtype is None and v.kind == "tensor"}
    given = [op.block.find_var(name) for name in op.input_arg_names]
    if not undeclared or any(v is None for v in given):
        return
    for variable, spec in results_of(op.block, op, {id(v): v._dtype for v in given if v is not None}):
        if variable.name in undeclared:
            variable.shape, variable._dtype = spec.shape, spec.dtype


def declare_sizes(op: Operation) -> None:
    """Says what sizes results have that are scalars in a file, as PaddlePaddle writes the statistics of a batch."""
    given = [op.block.find_var(name) for name in op.input_arg_names]
    if any(v is not None and v.shape == () for v in map(op.block.find_var, op.output_arg_names)):
        for variable, spec in results_of(op.block, op, {id(v): v._dtype for v in given if v is not None}):
            variable.shape = variable.shape or spec.shape


def _infer(block: Block, before: dict[int, Any], of_one: set[int], new: set[str] | None) -> bool:
    """One pass over a block; whether anything changed. `new`: what was written in the first pass, None in others.

    `of_one`: the variables that are declared with one dimension where the rule gives none, and stay so.

    The first write of that pass says anew what a value is, another makes a size unknown in which they differ.
    """
    changed = False
    for op in block.ops:
        inner = sub_block(op)
        if inner is not None:
            changed |= _infer(inner, before, of_one, new)
            continue
        for variable, spec in results_of(block, op, before):
            if not spec.shape and id(variable) in of_one:
                spec = Spec((1,), spec.dtype)
            if new is None or variable.name in new or variable.kind != "tensor":
                spec = _either(op, variable, spec)
            else:
                new.add(variable.name)
            changed |= (variable.shape, variable._dtype) != (spec.shape, spec.dtype)
            variable.shape, variable._dtype = spec.shape, spec.dtype
    return changed


def _either(op: Operation, variable: Variable, spec: Spec) -> Spec:
    """What a value is that is written in several places: its sizes are known where they agree."""
    if len(variable.shape) != len(spec.shape) or variable._dtype is not spec.dtype:
        raise ValueError(
            f"{place_of(op)}{variable.name!r} is written in several places, as {shown(variable)} and "
            f"{shown(spec)}: dtype and number of dimensions must agree.")
    shape = tuple(a if a == b else -1 for a, b in zip(variable.shape, spec.shape, strict=True))
    return Spec(shape, spec.dtype)
