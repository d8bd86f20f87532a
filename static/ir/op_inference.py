"""Shape inference of one operation: what it computes, by its operator's rule, of what its inputs are said to be now.

Knows neither Blocks nor Programs: they are handed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...ops.core.operator import find, is_declared
from ...ops.core.spec import Spec


def results_of(block: Any, op: Any, before: dict[int, Any]) -> Iterator[tuple[Any, Spec]]:
    """What an operation computes, state apart, with its specs."""
    if not is_declared(op.type) or op.type in ("feed", "fetch", "empty_array"):
        return
    operator = find(op.type)
    given = [[block.var(name) for name in op.input(slot.name)] for slot in operator.inputs]
    _check_dtypes(op, [v for held in given for v in held], before)
    specs: list[Any] = [[v.spec for v in held] for held in given]
    taken = tuple((found or slot.nothing) if slot.many else found[0] if found else None
                  for found, slot in zip(specs, operator.inputs, strict=True))
    attrs = {**operator.defaults, **{k: v for k, v in op.attrs.items() if k in operator.attributes}}
    try:
        found = operator.infer_specs(taken, attrs)
    except (ValueError, TypeError, IndexError) as error:
        raise ValueError(f"{place_of(op)}{error}") from error
    aliases = dict(operator.aliases)
    for index, (slot, spec) in enumerate(zip(operator.results, found, strict=False)):
        if spec is None or index in aliases:
            continue
        for name, each in zip(op.output(slot.name), spec if slot.many else [spec], strict=False):
            variable = block.find_var(name)
            if variable is not None and not variable.persistable:
                yield variable, each


def _check_dtypes(op: Any, values: list[Any], before: dict[int, Any]) -> None:
    """ValueError where inputs that were of one dtype no longer are: operators in files do not convert."""
    first: dict[Any, Any] = {}
    for other in values:
        one = first.setdefault(before.get(id(other)), other)
        if one._dtype is not other._dtype:
            raise ValueError(f"{place_of(op)}the operator {op.type} takes values of one dtype. Received "
                             f"{shown(one)} ({one.name!r}) and {shown(other)} ({other.name!r}).")


def place_of(op: Any) -> str:
    """Where an operation was appended, as errors begin."""
    return f"{op.source}: " if op.source else ""


def shown(spec: Any) -> str:
    """The dtype and shape of a Variable or Spec."""
    return f"{spec.dtype.name}{list(spec.shape)}"
