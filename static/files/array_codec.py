"""Lists between a Program and its file: what files leave unsaid, and what they say otherwise.

In a file `write_to_array` does not name the list that it changes, a list is there, empty, without an operation that
makes it, and `assign`, `slice` and `select_input` do for lists what they do for tensors. In a Program of ours every
operation reads what it changes, and operators on lists have types of their own.
"""

from __future__ import annotations

import copy
from collections.abc import Callable

from ..ir.block import Block
from ..ir.operation import IMPLIED, Operation
from ..ir.program import Program
from ..ir.usage import sub_block
from ..ir.variable import Variable

_EMPTY = "@EMPTY"
_LAST = 2**31 - 1  # what files write for "to the end"


def to_file(program: Program) -> Program:
    """The Program as files have it: itself where it has no lists, otherwise a copy of it."""
    if not any(v.is_list for v in program.list_vars()):
        return program
    result = copy.deepcopy(program)
    for block in result.blocks:
        block.ops = [_written(op) for op in block.ops if not op.attrs.get(IMPLIED)]
    return result


def _is_list(variable: Variable | None) -> bool:
    return variable is not None and variable.is_list


def _written(op: Operation) -> Operation:
    change = _WRITE.get(op.type)
    is_list = any(_is_list(op.block.find_var(name)) for name in op.output_arg_names)
    return op if change is None or not is_list else change(op)


def _like(op: Operation, kind: str, inputs: dict[str, list[str]], attrs: dict[str, object] | None = None) -> Operation:
    return Operation(op.block, kind, inputs, op.outputs, op.attrs if attrs is None else attrs, op.source)


def _write_empty(op: Operation) -> Operation:
    """What a list holds is taken from one that nobody writes: a block may run again in the same scope."""
    (name,) = op.output("Out")
    op.block.new_var(name + _EMPTY, op.block.var(name).shape, op.block.var(name)._dtype, kind="array")
    return _like(op, "assign", {"X": [name + _EMPTY]}, {})


def _write_slice(op: Operation) -> Operation:
    start, end = op.input("Start"), op.input("End")
    attrs: dict[str, object] = {
        "axes": [0], "starts": [-1 if start else 0], "ends": [-1 if end else _LAST], "decrease_axis": [],
        "infer_flags": [-1 if start or end else 1]}
    return _like(op, "slice", {"Input": op.input("X"), "StartsTensorList": start, "EndsTensorList": end}, attrs)


_WRITE: dict[str, Callable[[Operation], Operation]] = {
    "empty_array": _write_empty,
    "array_slice": _write_slice,
    "share_data": lambda op: _like(op, "assign", op.inputs),
    "write_to_array": lambda op: _like(op, "write_to_array", {k: v for k, v in op.inputs.items() if k != "Array"}),
}


def from_file(program: Program) -> None:
    """Makes a Program of ours of one that was read."""
    if not any(v.is_list for v in program.list_vars()):
        return
    for block in program.blocks:
        block.ops = [_read(op) for op in block.ops]
        arrays = [name for name, v in block.vars.items() if v.is_list]
        made = [name for name in arrays if not _is_made(block, name)]
        block.ops[:0] = [Operation(block, "empty_array", {}, {"Out": [name]}, {IMPLIED: True}) for name in made]


def _read(op: Operation) -> Operation:
    names = op.input("Input") if op.type == "slice" else op.output("Out")
    change = _READ.get(op.type)
    is_list = any(_is_list(op.block.find_var(name)) for name in names)
    return op if change is None or not is_list else change(op)


def _read_slice(op: Operation) -> Operation:
    bounds = {}
    for slot, attribute, whole in (("Starts", "starts", 0), ("Ends", "ends", _LAST)):
        given = op.input(f"{slot}TensorList") or op.input(f"{slot}Tensor")
        if not given and op.attrs.get(attribute, [whole])[0] != whole:
            raise ValueError(f"slice of a list: {attribute} must be given as a tensor. Received {op!r}.")
        bounds[slot[:-1]] = given
    return _like(op, "array_slice", {"X": op.input("Input"), **bounds}, {})


_READ: dict[str, Callable[[Operation], Operation]] = {
    "assign": lambda op: _like(op, "share_data", op.inputs),
    "slice": _read_slice,
    "write_to_array": lambda op: _like(op, "write_to_array", {**op.inputs, "Array": op.output("Out")}),
}


def _is_made(block: Block, name: str) -> bool:
    """Whether a list gets its value as a whole before anything reads or changes it."""
    for op in block.ops:
        inner = sub_block(op)
        if name in op.input_arg_names or (inner is not None and _touches(inner, name)):
            return False
        if name in op.output_arg_names:
            return True
    return False


def _touches(block: Block, name: str) -> bool:
    return any(name in op.input_arg_names or name in op.output_arg_names for op in block.ops) or any(
        inner is not None and _touches(inner, name) for inner in map(sub_block, block.ops))
