"""Elimination of common subexpressions, which another operation has computed, and of dead code, which nothing needs."""

from __future__ import annotations

from typing import Any

from ...ir.operation import Operation
from ...ir.usage import needed_operations
from ..unit import Unit, renamed


def merge_common(unit: Unit) -> None:
    """Merges operations of one type with the same inputs and attributes, and passes through plain copies."""
    made: dict[Any, list[Operation]] = {}  # by what is quickly told
    instead: dict[str, str] = {}
    kept: list[Operation] = []
    fixed = {*unit.inputs, *unit.results, *unit.updated}
    readers = unit.readers()
    for op in unit.ops:
        op = renamed(op, instead, {})
        if _leaves_alone(op) and fixed.isdisjoint(names := [*op.input("X"), *op.output("Out")]) and not any(
                name in unit.pinned for name in names) and not any(map(readers.get, op.output("Mask"))):
            instead[op.output("Out")[0]] = op.input("X")[0]
            continue
        if not unit.is_movable(op) or not fixed.isdisjoint(op.output_arg_names):
            kept.append(op)
            continue
        if op.type == "assign" and op.input("X") and op.input("X")[0] not in fixed:
            instead[op.output("Out")[0]] = op.input("X")[0]
            continue
        alike = made.setdefault((op.type, *op.input_arg_names), [])
        twin = next((other for other in alike if _key(other) == key), None) if alike and (key := _key(op)) else None
        if twin is None:
            alike.append(op)
            kept.append(op)
            continue
        for slot, names in op.outputs.items():
            instead.update(zip(names, twin.output(slot), strict=False))
    unit.ops = [renamed(op, instead, {}) for op in kept]


def _leaves_alone(op: Operation) -> bool:
    """Whether an operation is a dropout of a model in evaluation, where it does nothing."""
    return (op.type == "dropout" and op.attrs.get("is_test", False)
            and op.attrs.get("dropout_implementation") == "upscale_in_train")


def _key(op: Operation) -> Any:
    inputs = tuple((slot, tuple(names)) for slot, names in sorted(op.inputs.items()) if names)
    wanted = tuple(sorted(slot for slot, names in op.outputs.items() if names))
    attrs = tuple((k, type(v).__name__, repr(v)) for k, v in sorted(op.attrs.items()) if not k.startswith("op_"))
    return op.type, inputs, wanted, attrs


def remove_dead(unit: Unit) -> None:
    """Keeps what the results, an effect beyond the Program, or the numbers that are drawn later depend on."""
    unit.ops = needed_operations(unit.ops, set(unit.results), drawing=True)
    wanted = set(unit.results) | {name for op in unit.ops for name in op.input_arg_names} | unit.pinned
    unit.prepared = needed_operations(unit.prepared, wanted)
