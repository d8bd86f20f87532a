"""`Block.append_op`: an operation from its type, variables by slot and attributes, and what its rule says of them.

The program trace applies operators to values and makes the variables of their results. Here the results' variables are
there before, as in code that appends operations itself, and take the shapes and dtypes that the operator gives them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ...core.dtype import DType, convert_dtype, from_number
from ...ops.core.operator import Operator, taking
from ...ops.core.signature import Slot
from ...ops.core.spec import Spec
from ..format.attributes import NO_DTYPE
from ..format.constant_codec import CONSTANTS, read_values
from ..format.older_operators import of_code
from .late_lod import with_given_offsets
from .lod import carry, new_offsets
from .variable import Variable

_FRAME = frozenset(("feed", "fetch"))
_OF_EVERY_OPERATOR = frozenset(("op_role", "op_role_var", "op_device", "op_namescope", "with_quant_attr", "sub_block"))
_DTYPES = (DType, DType | None)


_Names = tuple[dict[str, list[str]], dict[str, list[str]]]  # of inputs and of outputs, by slot


class Described(NamedTuple):
    """What an Operation is made of; its type is another operator's where inputs are given that are seldom there."""

    type: str
    inputs: dict[str, list[str]]
    outputs: dict[str, list[str]]
    attrs: dict[str, Any]
    inferred: tuple[tuple, tuple] | None


def described(block: Any, type: Any, inputs: Any, outputs: Any, attrs: Any) -> Described:
    """An operation of a block by names; the variables of its results get their shapes and dtypes.

    Variables are given by slot, as Variables or names, one or a list. An attribute that the operator does not have is
    passed over, as in Paddle; one that is not given has its default. Raises ValueError without a type, for a slot that
    the operator does not have or needs, for variables that the block does not have, and for what the operator refuses;
    NotImplementedError for a type that is not known here.
    """
    if not isinstance(type, str):
        raise ValueError(f"append_op(type): must be the type of an operator, such as 'relu'. Received {type!r}.")
    found = dict(attrs or {})
    if type in _FRAME:
        names = _names(_by_slot(type, "inputs", inputs), _by_slot(type, "outputs", outputs))
        return Described(type, *names, found, None)
    op = taking(type, [slot for slot, values in _by_slot(type, "inputs", inputs).items() if values])
    given, made = _checked(op, inputs, outputs)
    kept = _attributes(op, found)
    op.named(kept, *_names(given, made))
    if op.runs_block or "sub_block" in kept:
        return Described(op.type, *_names(given, made), kept, None)
    inputs = _with_offsets(block, op, given, kept)
    specs = tuple(_specs(block, op, slot, given.get(slot.name, [])) for slot in op.inputs)
    known = {name: value for name, value in kept.items() if name in op.attributes}
    results = op.infer_specs(specs, known)
    least_rank = block.program.own_trace().least_rank
    stops = _stops(block, op, given, bool(least_rank))
    for (index, of), slot in zip(op.made_offsets, [op.results[index] for index, _ in op.made_offsets], strict=True):
        if made.get(op.results[of].name):
            made[slot.name] = [new_offsets(block, block.program.new_name("lod"), str(slot.offsets_of), spec)
                               for spec in results[index]]
    for slot, spec in zip(op.results, results, strict=True):
        _describe_results(block, op, slot, made.get(slot.name, []), spec, stops, least_rank)
    if block.program.has_lod:
        taken = [[_variable(block, op, value) for value in made.get(slot.name, [])] for slot in op.results]
        carry(op, inputs, taken, kept)
    return Described(op.type, *_names(given, made), kept, (specs, results))


def _with_offsets(block: Any, op: Operator, given: dict[str, list[Any]], attrs: dict[str, Any]) -> tuple:
    """The Variables of the inputs by slot, a list each; `given` gets the offsets that the signature asks for."""
    variables = [[_variable(block, op, value) for value in given.get(slot.name, [])] for slot in op.inputs]
    inputs = with_given_offsets(op, variables, attrs)
    given.update({op.inputs[index].name: inputs[index] for index, _ in op.given_offsets})
    return inputs


def _by_slot(type: str, what: str, slots: Any) -> dict[str, list[Any]]:
    if slots is None:
        return {}
    if not isinstance(slots, Mapping):
        raise TypeError(f"append_op({type!r}, {what}): must be a dict of variables by slot. "
                        f"Received {slots.__class__.__name__}.")
    found: dict[str, list[Any]] = {}
    for name, value in slots.items():
        if value is not None:
            found[name] = list(value) if isinstance(value, (list, tuple)) else [value]
    for name, values in found.items():
        for value in values:
            if not isinstance(value, (str, Variable)):
                raise TypeError(f"append_op({type!r}, {what}): {name!r} takes Variables or their names. "
                                f"Received {value.__class__.__name__}.")
    return found


def slots_by_name(block: Any, op: Any, inputs: Any, outputs: Any) -> _Names:
    """The names of inputs and outputs by slot, which have to be the operator's; ValueError for what there is not."""
    sides = _checked(op, inputs, outputs)
    for value in (value for side in sides for values in side.values() for value in values):
        _variable(block, op, value)
    return _names(*sides)


def _checked(op: Any, inputs: Any, outputs: Any) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    given, made = _by_slot(op.type, "inputs", inputs), _by_slot(op.type, "outputs", outputs)
    _check(op, "inputs", given, op.inputs)
    _check(op, "outputs", made, op.outputs)
    return given, made


def _names(given: dict[str, list[Any]], made: dict[str, list[Any]]) -> _Names:
    inputs, outputs = ({slot: [v if isinstance(v, str) else v.name for v in values] for slot, values in side.items()}
                       for side in (given, made))
    return inputs, outputs


def _check(op: Any, what: str, given: dict[str, list[Any]], slots: tuple[Slot, ...]) -> None:
    unknown = sorted({name for name, values in given.items() if values} - {slot.name for slot in slots})
    if unknown:
        raise ValueError(f"append_op({op.type!r}, {what}): has the slots {[slot.name for slot in slots]}. "
                         f"Received {unknown}.")


def _attributes(op: Operator, given: dict[str, Any]) -> dict[str, Any]:
    found = dict(op.defaults)
    for name, value in attributes_of_code(op, given).items():
        if name in op.attributes or name in _OF_EVERY_OPERATOR or op.runs_block:
            found[name] = value
    return {name: value for name, value in found.items()
            if value is not None or op.attributes[name].annotation == (DType | None)}


def attributes_of_code(op: Operator, given: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes by which code applies an operator, as it takes them: by the names, and with the values where there is
    none, that a file of any release has; a dtype may be given by its number there, and constants by their fields.

    What the code does not give is what Paddle takes then, where that is not the kernel's default.
    """
    found = op.unsaid | {name: _plain(op, name, value) for name, value in of_code(op.type, given).items()}
    in_fields = op.type in CONSTANTS and isinstance(found.get("values", []), list)
    return read_values(op.type, found) if in_fields else found


def _plain(op: Operator, name: str, value: Any) -> Any:
    """An attribute as operators take it: no numbers of NumPy's, a block by its index, a dtype as a DType."""
    parameter = op.attributes.get(name)
    if parameter is not None and parameter.annotation in _DTYPES and value is not None:
        if value == NO_DTYPE:
            return parameter.default if isinstance(parameter.default, DType) else None
        return from_number(value) if isinstance(value, int) else convert_dtype(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple):
        return list(value)
    return getattr(value, "idx", value) if value.__class__.__name__ == "Block" else value


def _variable(block: Any, op: Any, value: Any) -> Variable:
    found = block.find_var(value if isinstance(value, str) else value.name)
    if found is None:
        name = value if isinstance(value, str) else value.name
        raise ValueError(f"append_op({op.type!r}): block {block.idx} has no variable {name!r}. Make it before, with "
                         f"block.create_var(name={name!r}, …).")
    return found


def _specs(block: Any, op: Operator, slot: Slot, values: list[Any]) -> Any:
    variables = [_variable(block, op, value) for value in values]
    if slot.many:
        return [variable.spec for variable in variables] or slot.nothing
    if not variables:
        if slot.optional:
            return None
        raise ValueError(f"append_op({op.type!r}, inputs): needs {slot.name!r}.")
    if len(variables) > 1:
        raise ValueError(f"append_op({op.type!r}, inputs): {slot.name!r} takes one variable. "
                         f"Received {[v.name for v in variables]}.")
    return None if variables[0].kind == "raw" else variables[0].spec


def _stops(block: Any, op: Operator, given: dict[str, list[Any]], as_in_1: bool) -> bool:
    """Whether gradients stop at the results: where they stop at every input; in Paddle 1.x at none made of floats."""
    variables = [_variable(block, op, value) for values in given.values() for value in values]
    if op.gradient is not None and as_in_1 and any(v._dtype is not None and v._dtype.is_differentiable
                                                   for v in variables):
        return False
    return op.gradient is None or all(variable.stop_gradient for variable in variables)


def _describe_results(block: Any, op: Operator, slot: Slot, values: list[Any], spec: Any, stops: bool,
                      least_rank: int) -> None:
    specs = list(spec) if isinstance(spec, list) else [spec]
    if slot.many and values and spec is not None and len(values) != len(specs):
        raise ValueError(f"append_op({op.type!r}, outputs): {slot.name!r} has {len(specs)} results. "
                         f"Received {len(values)} variables.")
    for value, one in zip(values, specs, strict=False):
        variable = _variable(block, op, value)
        if not isinstance(one, Spec) or variable.is_parameter or variable.kind != "tensor":
            continue
        variable.shape, variable._dtype = tuple(one.shape) or (1,) * least_rank, one.dtype
        if variable.undecided:
            variable.stop_gradient, variable.undecided = stops or not one.dtype.is_differentiable, False
        elif stops:
            variable.stop_gradient = True
