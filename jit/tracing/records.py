"""Results of a function that are objects of the user's, as a dataclass that holds tensors: each run makes another one.

The Program gives the values of its attributes. Only of an object that was made while the function was traced, and whose
class makes its objects as Python does.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MemberDescriptorType, SimpleNamespace
from typing import Any

from ...core import nest
from ...dygraph.value import EagerValue
from ...nn import Layer
from ...static.building.record_lists import RecordList
from ...static.ir.variable import Variable
from ..convert.ignoring import is_ignored_module
from ..footprint.locations import attributes_in_slots
from ..footprint.slots import holds_variable

_HEAP = 1 << 9  # a flag of classes that a `class` statement makes
_OTHERS = (type, EagerValue, Layer, RecordList, Variable)


class Record(tuple):
    """The values of an object's attributes, with its class and their names."""

    kind: type
    names: tuple[str, ...]


def with_records(result: Any, is_new: Callable[[Any], bool]) -> Any:
    """A result with a Record for each object in it that holds what only a run knows, and that `is_new`."""
    seen: set[int] = set()

    def leaf(value: Any) -> Any:
        if id(value) in seen or not (_is_plain(value) and holds_variable(value) and is_new(value)):
            return value
        seen.add(id(value))
        held = {**getattr(value, "__dict__", {}), **attributes_in_slots(value)}
        made = Record(nest.map_structure(leaf, each) for each in held.values())
        made.kind, made.names = type(value), tuple(held)
        return made

    return nest.map_structure(leaf, result)


def has_records(result: Any) -> bool:
    """Whether there is a Record in a result."""
    return isinstance(result, Record) or isinstance(result, (list, tuple, dict)) and any(
        has_records(part) for _, part in nest.parts(result))


def with_objects(result: Any) -> Any:
    """What a run has come to, with an object for each Record."""
    if isinstance(result, Record):
        return _made(result.kind, dict(zip(result.names, map(with_objects, result), strict=True)))
    if isinstance(result, dict):
        return nest.alike(result, {key: with_objects(part) for key, part in result.items()})
    if isinstance(result, (list, tuple)):
        return nest.alike(result, [with_objects(part) for part in result])
    return result


def _is_plain(value: Any) -> bool:
    kind = type(value)
    if kind is SimpleNamespace:
        return True
    from ..operators.staging import has_unknown_sizes  # a Program that is loaded has no use for it

    is_other = isinstance(value, _OTHERS) or hasattr(kind, "stands_for_a_value")
    if is_ignored_module(kind.__module__) and has_unknown_sizes():  # it may have kept -1 for a size
        return False
    return bool(kind.__flags__ & _HEAP) and kind.__new__ is object.__new__ and not is_other


def _made(kind: type, attributes: dict[str, Any]) -> Any:
    made = SimpleNamespace() if kind is SimpleNamespace else object.__new__(kind)
    for name, value in attributes.items():
        if isinstance(getattr(kind, name, None), MemberDescriptorType):  # a slot
            object.__setattr__(made, name, value)
        else:
            made.__dict__[name] = value
    return made
