"""An operator that is applied by its type, slots and attributes, and gives its results to values that are there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...ops.core.decomposition import Decomposition, find_decomposition
from ...ops.core.hints import without_hints
from ...ops.core.operator import Operator, find, taking
from ...ops.core.signature import Slot
from ...ops.core.trace import apply
from .append_op import attributes_of_code
from .variable import Variable


def apply_by_slots(type: str, inputs: Mapping[str, Any] | None, outputs: Mapping[str, Any] | None,
                   attrs: Mapping[str, Any] | None, stop_gradient: bool) -> None:
    """Applies an operator to `inputs`, by slot a value or a list; those of `outputs` become its results.

    Raises NotImplementedError for a type that is not known, TypeError for attributes that the operator does not have,
    ValueError for such slots and for another number of results.
    """
    made_of = find_decomposition(type)
    if made_of is not None:
        _apply_parts(made_of, inputs or {}, outputs or {}, attrs or {}, stop_gradient)
        return
    op = taking(type, [name for name, value in (inputs or {}).items() if as_list(value)])
    check_slots(op, "inputs", inputs or {}, op.inputs)
    check_slots(op, "outputs", outputs or {}, op.outputs)
    given = [given_to(slot, (inputs or {}).get(slot.name)) for slot in op.inputs]
    known = without_hints(op, attributes_of_code(op, attrs or {}), f"append_op({op.type!r})")
    results = apply(op, *given, **known)
    for slot, result in zip(op.results, results if len(op.results) > 1 else [results], strict=True):
        for variable, value in _taken(op, slot, as_list((outputs or {}).get(slot.name)), as_list(result)):
            _take_over(variable, value, stop_gradient)


def _apply_parts(op: Decomposition, inputs: Mapping[str, Any], outputs: Mapping[str, Any], attrs: Mapping[str, Any],
                 stop_gradient: bool) -> None:
    """The same of an operator that is several here, of which attributes that say nothing to it are passed over."""
    check_slots(op, "inputs", inputs, op.inputs)
    check_slots(op, "outputs", outputs, op.outputs)
    results = op([given_to(slot, inputs.get(slot.name)) for slot in op.inputs], dict(attrs))
    for slot, result in zip(op.outputs, results, strict=True):
        if result is not None:
            for variable, value in _taken(op, slot, as_list(outputs.get(slot.name)), as_list(result)):
                _take_over(variable, value, stop_gradient)


def known_attributes(type: str, attrs: Mapping[str, Any] | None) -> dict[str, Any]:
    """Those that the operator has, by the names that it has here."""
    if find_decomposition(type) is not None:
        return dict(attrs or {})
    op = find(type)
    return {name: value for name, value in attributes_of_code(op, attrs or {}).items() if name in op.attributes}


def holds_tensors(*sides: Mapping[str, Any] | None) -> bool:
    """Whether a value by slot has been computed already, and is no Variable of a Program."""
    by_slot = [side for side in sides if isinstance(side, Mapping)]
    values = [value for side in by_slot for slot in side.values() for value in as_list(slot)]
    return any(hasattr(value, "_become") and not isinstance(value, Variable) for value in values)


def check_slots(op: Operator | Decomposition, what: str, given: Mapping[str, Any], slots: tuple[Slot, ...]) -> None:
    """ValueError for a slot that the operator does not have."""
    unknown = sorted(set(given) - {slot.name for slot in slots})
    if unknown:
        raise ValueError(f"append_op({op.type!r}, {what}): has the slots {[slot.name for slot in slots]}. "
                         f"Received {unknown}.")


def given_to(slot: Slot, value: Any) -> Any:
    """What `apply` takes for a slot."""
    values = as_list(value)
    if slot.many:
        return values
    return values[0] if values else None


def _taken(op: Operator | Decomposition, slot: Slot, variables: list[Any], values: list[Any]) -> list[tuple[Any, Any]]:
    """Which variable becomes which result; none where nobody asks for the slot, or nothing is made for it."""
    if variables and values and len(variables) != len(values):
        raise ValueError(f"append_op({op.type!r}, outputs): {slot.name!r} has {len(values)} results. "
                         f"Received {len(variables)} variables.")
    return list(zip(variables, values, strict=False))


def as_list(value: Any) -> list[Any]:
    """A value, or several, as a list."""
    return [] if value is None else list(value) if isinstance(value, (list, tuple)) else [value]


def _take_over(variable: Any, value: Any, stop_gradient: bool) -> None:
    """Makes a variable the one that was made."""
    if variable is value:
        return
    if not isinstance(variable, Variable):
        if type(variable).is_parameter:  # which stays the leaf that it is
            variable.set_value(value)
            return
        variable._become(value)
        variable.stop_gradient = variable.stop_gradient or stop_gradient
        return
    variable.shape, variable._dtype = value.shape, value.dtype
    variable._rebind(value)
    variable.stop_gradient = stop_gradient or value.stop_gradient
