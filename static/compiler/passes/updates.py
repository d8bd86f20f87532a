"""The updates of parameters that an optimizer wrote one after the other become one update of all of them."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from ....ops.core.operator import Operator, all_operators, declared_count, find, is_declared
from ...ir.operation import Operation
from ..unit import Unit


def _merged_forms() -> Mapping[str, Operator]:
    """The operators that update many parameters at once, by the type of the one that updates one."""
    return _merged_among(declared_count())


@functools.cache
def _merged_among(count: int) -> Mapping[str, Operator]:
    return {op.merges.type: op for op in all_operators() if op.merges is not None}


@functools.cache
def _by_parameter(merged: Operator) -> tuple[str, ...]:
    """The attributes that a merged form takes a list of, an item for each parameter."""
    assert merged.merges is not None
    return tuple(name for name in merged.attributes if name in merged.merges.attributes
                 and merged.attributes[name].annotation != merged.merges.attributes[name].annotation)


def merge_updates(unit: Unit) -> None:
    """Puts `merged_adam` and its like in the place of neighbouring updates with equal settings."""
    done: list[Operation] = []
    for kind, run in groupby(unit.ops, key=_kind):
        for ops in ([[op] for op in run] if kind is None else _apart(run)):
            done += ops if len(ops) == 1 else [_merged(ops)]
    unit.ops = done


def _apart(updates: Iterable[Operation]) -> list[list[Operation]]:
    """Neighbours of which none takes what another gives: a parameter may be updated twice, one behind the other."""
    found: list[list[Operation]] = [[]]
    made = set[str]()
    for op in updates:
        if not made.isdisjoint(op.input_arg_names):
            found.append([])
            made.clear()
        found[-1].append(op)
        made.update(op.output_arg_names)
    return found


def _settings(op: Operation) -> dict[str, Any]:
    operator = find(op.type)
    return {**operator.defaults, **{k: v for k, v in op.attrs.items() if k in operator.attributes}}


def _kind(op: Operation) -> Any:
    """What updates must have in common to be one; None for any other operation, or one with more inputs."""
    operator = find(op.type) if is_declared(op.type) else None
    if operator is None or not operator.writes or op.type not in _merged_forms():
        return None
    known = {slot.name for slot in operator.inputs}
    if any(names and slot not in known for slot, names in op.inputs.items()):
        return None
    own = _by_parameter(_merged_forms()[op.type])
    return (op.type, tuple(sorted((k, repr(v)) for k, v in _settings(op).items() if k not in own)))


def _merged(ops: Sequence[Operation]) -> Operation:
    first = ops[0]
    operator = find(first.type)
    merged = _merged_forms()[first.type]
    attrs = {k: v for k, v in _settings(first).items() if k in merged.attributes}
    attrs.update({k: [_settings(op)[k] for op in ops] for k in _by_parameter(merged)})
    inputs = {slot.name: [op.input(slot.name)[0] for op in ops] for slot in operator.inputs}
    outputs = {slot.name: [op.output(slot.name)[0] for op in ops] for slot in operator.results}
    return Operation(first.block, merged.type, inputs, outputs, attrs, first.source)
