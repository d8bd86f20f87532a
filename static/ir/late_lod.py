"""Inputs that turn out to be sequences: declared without `lod_level`, and taken as such by an operator.

In Paddle 1.x an LoD comes with what is fed, whatever was declared. Here the input gets offsets, one level of them, when
an operator is appended that cannot do without, and so do the values between the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ops.core.operator import Operator, find, is_declared
from ...ops.sequence.offsets import MissingLodError
from .lod import OFFSETS, fed_offsets, is_input, loses_rows, set_lod, with_offsets
from .variable import Variable


def with_given_offsets(op: Operator, inputs: Sequence[Any], attrs: dict[str, Any]) -> tuple:
    """As `with_offsets`, where an operator that cannot do without sequences makes inputs of the Program sequences.

    What cannot be helped is left to the operator's rule to refuse.
    """
    found = with_offsets(op, inputs)
    if all(found[index] for index, _ in op.given_offsets):
        return found
    rule = {**op.defaults, **{name: value for name, value in attrs.items() if name in op.attributes}}
    specs = tuple(map(_spec, found))
    if _lacks_lod(op, specs, rule) and _declared_late(op, found, specs, rule):
        return with_offsets(op, inputs)
    return found


def _spec(value: Any) -> Any:
    return [v.spec for v in value] if isinstance(value, (list, tuple)) else None if value is None else value.spec


def _lacks_lod(op: Operator, specs: tuple, rule: dict[str, Any]) -> bool:
    try:
        op.infer_specs(specs, rule)
    except MissingLodError:
        return True
    except (ValueError, TypeError):
        return False  # it says so itself, where it is appended
    return False


def _declared_late(op: Operator, inputs: Sequence[Any], specs: Sequence[Any], rule: dict[str, Any]) -> bool:
    """Whether inputs that lack an LoD have been given one, as few of them as the operator's rule asks for."""
    missing = [(index, _listed(inputs[of])) for index, of in op.given_offsets if not inputs[index]]
    missing = [(index, variables) for index, variables in missing if variables and all(map(_way, variables))]
    for chosen in [*([each] for each in missing), missing]:
        tried = list(specs)
        for index, variables in chosen:
            tried[index] = [OFFSETS] * len(variables)
        if chosen and not _lacks_lod(op, tuple(tried), rule):
            for variable in [variable for _, variables in chosen for variable in variables]:
                _declare(_way(variable))
            return True
    return False


def _listed(value: Any) -> list[Variable]:
    return [] if value is None else list(value) if isinstance(value, (list, tuple)) else [value]


def _way(variable: Variable) -> list[Variable]:
    """From an input of the Program, or what has an LoD, to a variable whose rows are its; empty where there is none."""
    way = [variable]
    while not way[-1].lod and not is_input(way[-1]):
        before = _shares_with(way[-1])
        if before is None or any(before is one for one in way):
            return []
        way.append(before)
    return way[::-1]


def _shares_with(variable: Variable) -> Variable | None:
    """The variable whose LoD this one would have by what made it."""
    block = variable.block
    for op in reversed(block.ops):
        if variable.name in op.output_arg_names:
            operator = find(op.type) if is_declared(op.type) else None
            names = op.input(operator.inputs[0].name) if operator is not None and operator.inputs else []
            before = block.find_var(names[0]) if names else None
            if operator is None or operator.lod not in ("share", "first", "rows", "joined") or before is None:
                return None
            return None if loses_rows(operator, len(before.shape), op.attrs) else before
    return None


def _declare(way: list[Variable]) -> None:
    first = way[0]
    if not first.lod:
        first.lod_level = 1
        fed_offsets(first)
    for variable in way[1:]:
        set_lod(variable, first.lod)
