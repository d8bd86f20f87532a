"""Checks a Unit: what a pass must not break. Run after every pass when FLAGS_verify_passes is on."""

from __future__ import annotations

from ...ops.core.operator import find, is_declared
from ..ir.operation import Operation
from ..ir.usage import reads, sub_block, writes
from .unit import Unit, written_inputs


def verify(unit: Unit, after: str) -> None:
    """Raises RuntimeError, naming the pass, where a value is read too early, made twice, or of the wrong kind.

    Or too late: after an update may have written into its memory.
    """
    made, gone = {*unit.inputs}, set[str]()
    for op in (*unit.prepared, *unit.ops):
        _check_slots(op, after)
        for name in reads(op):
            if name not in made and name not in unit.pinned and not _is_outer(unit, name):
                raise RuntimeError(f"After the pass {after}: {op!r} reads {name!r} before it is made.")
            if name in gone:
                raise RuntimeError(f"After the pass {after}: {op!r} reads {name!r}, which an update has written over.")
        gone.update(name for name in written_inputs(op) if name not in unit.pinned)
        for name in writes(op):
            if sub_block(op) is None and name in made and name not in unit.pinned:
                raise RuntimeError(f"After the pass {after}: {op!r} makes {name!r}, which there is already.")
            made.add(name)
        _check_specs(unit, op, after)
    for name in unit.results:
        if name not in made and name not in unit.pinned:
            raise RuntimeError(f"After the pass {after}: nothing makes the result {name!r}.")


def _is_outer(unit: Unit, name: str) -> bool:
    return unit.block.parent is not None and name not in unit.block.vars


def _check_slots(op: Operation, after: str) -> None:
    for names, slots in ((op.input_arg_names, op.inputs), (op.output_arg_names, op.outputs)):
        if names != [name for each in slots.values() for name in each]:
            raise RuntimeError(f"After the pass {after}: {op!r} was changed behind set_input and set_output.")
    if not is_declared(op.type):
        return
    operator = find(op.type)
    for slot in operator.inputs:
        given = len(op.input(slot.name))
        if given == 0 and not slot.optional and not slot.many or given > 1 and not slot.many:
            raise RuntimeError(f"After the pass {after}: {op!r} gives {given} values to the slot {slot.name}.")


def _check_specs(unit: Unit, op: Operation, after: str) -> None:
    """What is known of a value is what the operation that makes it says."""
    for name, spec in zip(*unit.inferred(op), strict=True):
        known = unit.specs.get(name)
        if known is None or spec is None:
            continue
        fits = len(known.shape) == len(spec.shape) and all(
            -1 in (a, b) or a == b for a, b in zip(known.shape, spec.shape, strict=True))
        if known.dtype is not spec.dtype or not fits:
            raise RuntimeError(f"After the pass {after}: {name!r} is {known}, but {op!r} makes {spec}.")
