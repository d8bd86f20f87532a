"""The updates of parameters that an optimizer wrote one after the other become one update of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from ....ops.operator import find
from ...program import Operation
from ..unit import Unit

_BY_PARAMETER = {"sgd": (), "momentum": ("regularization_method", "regularization_coeff"), "adam": (),
                 "adamw": ("with_decay", "lr_ratio")}
"""The operators that have a merged form, and the attributes of which that has one for each parameter."""


def merge_updates(unit: Unit) -> None:
    """Puts `merged_adam` and its like in the place of neighbouring updates with equal settings."""
    done: list[Operation] = []
    for kind, run in groupby(unit.ops, key=_kind):
        ops = list(run)
        done += ops if kind is None or len(ops) == 1 else [_merged(ops)]
    unit.ops = done


def _settings(op: Operation) -> dict[str, Any]:
    operator = find(op.type)
    return {**operator.defaults, **{k: v for k, v in op.attrs.items() if k in operator.attributes}}


def _kind(op: Operation) -> Any:
    """What updates must have in common to be one; None for any other operation, or one with more inputs."""
    if op.type not in _BY_PARAMETER:
        return None
    operator = find(op.type)
    known = {slot.name for slot in operator.inputs}
    if any(names and slot not in known for slot, names in op.inputs.items()):
        return None
    own = _BY_PARAMETER[op.type]
    return (op.type, tuple(sorted((k, repr(v)) for k, v in _settings(op).items() if k not in own)))


def _merged(ops: Sequence[Operation]) -> Operation:
    first = ops[0]
    operator = find(first.type)
    known = find(f"merged_{first.type}").attributes
    attrs = {k: v for k, v in _settings(first).items() if k in known}
    attrs.update({k: [_settings(op)[k] for op in ops] for k in _BY_PARAMETER[first.type]})
    inputs = {slot.name: [op.input(slot.name)[0] for op in ops] for slot in operator.inputs}
    outputs = {slot.name: [op.output(slot.name)[0] for op in ops] for slot in operator.results}
    return Operation(first.block, f"merged_{first.type}", inputs, outputs, attrs, first.source)
