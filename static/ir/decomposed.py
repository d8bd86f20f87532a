"""An operation that stands for several others, in a block as those: what `ops/core/decomposition.py` knows."""

from __future__ import annotations

from typing import Any

from ...ops.core.decomposition import Decomposition
from ...ops.core.trace import using
from .lod import set_lod
from .operation import Operation
from .variable import Variable


def append_parts(op: Operation, made_of: Decomposition, trace: Any) -> None:
    """Appends to the block of an operation what it is made of, by a trace of its Program; results keep their names.

    ValueError where an input is missing, and what the parts refuse.
    """
    block = op.block
    begin = len(block.ops)
    with using(trace):
        results = made_of([_given(block, op, slot) for slot in made_of.inputs], op.attrs)
    _name(block, op, made_of, results, begin)


def _given(block: Any, op: Operation, slot: Any) -> Any:
    values = [block.var(name) for name in op.input(slot.name)]
    if not values and not slot.optional:
        raise ValueError(f"nothing is given as {slot.name}")
    if slot.many:
        return values
    return values[0] if values else None


def _name(block: Any, op: Operation, made_of: Decomposition, results: tuple, begin: int) -> None:
    """Lets the results be the variables that the operation names."""
    renamed: dict[str, str] = {}
    for slot, made in zip(made_of.outputs, results, strict=True):
        values = made if isinstance(made, list) else [made]
        for name, value in zip(op.output(slot.name), values, strict=False):
            if value is None or value.name == name or block.find_var(name) is None:
                continue
            if value.name in renamed or not any(value.name in each.output_arg_names for each in block.ops[begin:]):
                block.append("assign", {"X": [value.name]}, {"Out": [name]}, {})  # it is an input, or has a name now
            else:
                renamed[value.name] = name
            _declare(block.var(name), value)
    for each in block.ops[begin:]:
        for side in (each.inputs, each.outputs):
            for slot_name, names in side.items():
                side[slot_name] = [renamed.get(name, name) for name in names]
        each._reads = each._writes = None
    for name in renamed:
        del block.vars[name]


def _declare(variable: Variable, made: Variable) -> None:
    """The shape and the sequences of a result."""
    if not variable.persistable:
        variable.shape, variable._dtype = made.shape, made.dtype
    if variable.undecided:
        variable.stop_gradient, variable.undecided = made.stop_gradient, False
    if made.lod:
        set_lod(variable, made.lod)
