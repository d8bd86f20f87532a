"""A variable that has a value on some ways through the program only: its value, and a flag that says so.

Where it has none, either nothing was assigned, or it was None (`is_optional`): `x is None` asks the flag then. Using
the value checks the flag when the program runs. Knows nothing of where it comes from (see merging.py, loop_state.py).
"""

from __future__ import annotations

import copy
import functools
import gc
import operator
from collections import ChainMap, UserDict
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from ...core import nest
from ..errors import RETURN_VALUE, ConversionError, here
from ..footprint.value_guards import current
from ..tracing.optional_results import OptionalResult
from . import run_checks, special, staging
from .undefined import Undefined, error, message


class Partial(Undefined):
    """Stands for a variable that is `content` where `flag` holds, and otherwise None or without a value."""

    __slots__ = ("_content", "_flag", "_checked", "_optional")

    _content: Any
    _flag: Any
    _checked: set
    _optional: bool

    def __init__(self, name: str, reason: str | None, content: Any, flag: Any, optional: bool = False):
        super().__init__(name, reason)
        object.__setattr__(self, "_content", content)
        object.__setattr__(self, "_flag", flag)
        object.__setattr__(self, "_checked", set())
        object.__setattr__(self, "_optional", optional)
        _made[0] += optional

    def __eq__(self, other: object) -> Any:
        return is_none(self) if other is None else used(self) == other

    def __ne__(self, other: object) -> Any:
        return not_none(self) if other is None else used(self) != other

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(used(self), name)

    def __deepcopy__(self, memo: dict) -> Any:
        content = copy.deepcopy(self._content, memo)
        return Partial(self._name, self._reason, content, self._flag, self._optional)

    def as_operand(self) -> Any:
        """What an operator takes in its place."""
        return used(self)

    __hash__ = Undefined.__hash__


def _on_content(name: str) -> Callable[..., Any]:
    method = getattr(operator, name)
    return lambda self, *others: method(used(self), *others)


def _behind_other(name: str) -> Callable[..., Any]:
    method = getattr(operator, name)
    return lambda self, other: method(other, used(self))


for _name in "add sub mul truediv floordiv mod pow matmul and or xor".split():
    setattr(Partial, f"__{_name}__", _on_content(f"__{_name}__"))
    setattr(Partial, f"__r{_name}__", _behind_other(f"__{_name}__"))
for _name in "lt le gt ge neg abs invert getitem".split():
    setattr(Partial, f"__{_name}__", _on_content(f"__{_name}__"))

_made = [0]  # how many that may be None there have been


def some_are_optional() -> bool:
    """Whether there may be values that are None on some ways."""
    return _made[0] > 0


def partial(name: str, reason: str | None, content: Any, flag: Any, optional: bool = False) -> Any:
    """The variable; its value where the flag surely holds, and no value or None where it surely does not."""
    if staging.is_symbolic(flag):
        return Partial(name, reason, content, flag, optional)
    return content if flag else None if optional else Undefined(name, reason)


def is_partial(value: Any) -> bool:
    """Whether a value is there on some ways only, and nothing was assigned on the others."""
    return type(value) is Partial and not value._optional


def is_optional(value: Any) -> bool:
    """Whether a value is None on some ways."""
    return type(value) is Partial and value._optional


def parts(value: Any) -> tuple[Any, Any]:
    """Content and flag of any value that is there at least on some ways."""
    return (value._content, value._flag) if type(value) is Partial else (value, True)


def is_none(value: Any) -> Any:
    """`value is None`."""
    value = load(value)
    return staging.logical_not(value._flag) if is_optional(value) else value is None


def not_none(value: Any) -> Any:
    """`value is not None`."""
    value = load(value)
    return value._flag if is_optional(value) else value is not None


def truth(value: Any) -> Any:
    """What decides for a value as a condition: None is false."""
    if type(value) is not Partial:
        own = special.method(value, "__bool__" if hasattr(type(value), "__bool__") else "__len__")
        if own is not None:
            return truth(own())
        return staging.truth(value) if not isinstance(value, dict) else some_key(value)
    if not value._optional:
        return truth(used(value))
    inside = truth(value._content)
    if staging.is_symbolic(inside):
        return staging.logical_and(value._flag, staging.cast(staging.detached(inside), "bool"))
    return value._flag if inside else False


def flags_of_keys(mapping: dict) -> list[Any]:
    """For each key that a dict has on some ways only, whether it has it."""
    return [value._flag for value in dict.values(mapping) if is_partial(value)]


def some_key(mapping: dict) -> Any:
    """Whether a dict has a key."""
    if not mapping:
        note_keys([mapping])
    flags = flags_of_keys(mapping) if mapping else []
    return functools.reduce(staging.logical_or, flags) if flags and len(flags) == len(mapping) else mapping


def certain(values: Any) -> Any:
    """What all items are asked of; ConversionError for a dict that has some of its keys on some ways only, or shows
    those of one.
    """
    mappings = _dicts_in(values)
    note_keys(mappings)
    for key, value in (item for mapping in mappings for item in dict.items(mapping)):
        if is_partial(value):
            raise ConversionError(
                here(), f"a tensor decides whether the dict has the key {key!r}, and all of its keys are asked for. "
                f"{message(value)}", "Give the key a value on every way, or ask for keys that are always there.")
    return values


def note_keys(mappings: list[dict]) -> None:
    """Notes that all keys of these dicts are asked for."""
    reads = current()
    if reads is not None:
        for mapping in mappings:
            reads.keys(mapping)


def note_key(mapping: dict, key: Any) -> None:
    """Notes that it is asked whether a dict has a key."""
    reads = current()
    if reads is not None:
        reads.key(mapping, key)


def _dicts_in(values: Any) -> list[dict]:
    """The dicts whose keys are a mapping's: itself, those that a ChainMap, a UserDict or a view of keys shows."""
    if isinstance(values, dict):
        return [values]
    if isinstance(values, ChainMap):
        return [found for each in values.maps for found in _dicts_in(each)]
    if isinstance(values, UserDict):
        return _dicts_in(values.data)
    shown = getattr(values, "mapping", None) if isinstance(values, _OF_KEYS) else values
    of_proxy = gc.get_referents(shown) if isinstance(shown, MappingProxyType) else []  # a class may have its own `copy`
    return [found for each in of_proxy for found in _dicts_in(each)]


_OF_KEYS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))
SHOWING = (*_OF_KEYS, MappingProxyType, ChainMap, UserDict)  # what shows the keys of a dict


def narrowed(value: Any) -> Any:
    """A value where a test has shown that it is not None."""
    return value._content if is_optional(value) else value


def load(value: Any) -> Any:
    """The value of a variable that may have none; what only the program can know, it checks when it runs.

    One that may be None is handed on as it is.
    """
    if type(value) is Undefined:
        raise error(value)
    return value if type(value) is not Partial or value._optional else used(value)


def used(value: Any) -> Any:
    """The value of a variable where having none, and None too, is an error of the run."""
    if type(value) is not Partial:
        return load(value)
    if not staging.is_symbolic(value._flag):
        if not value._flag:
            raise error(value)
        return value._content
    block = staging.current_block()
    returned = value._name.startswith(RETURN_VALUE) and not value._optional  # every way through returns
    if not returned and block not in value._checked:
        if not run_checks.is_conditional():
            value._checked.add(block)
        run_checks.check_present(value._flag, message(value))
    return value._content


def used_within(value: Any, around: tuple = ()) -> Any:
    """The same for what stands in lists and tuples too: sizes, or tensors to join. `around` are those that hold it."""
    if type(value) not in (list, tuple):
        return used(value)
    if any(value is holder for holder in around):
        return value
    new = [used_within(part, (*around, value)) for part in value]
    return value if all(map(operator.is_, new, value)) else type(value)(new)


def as_result(value: Any) -> Any:
    """What a function returns, with an OptionalResult for each value that is None on some ways."""
    def leaf(part: Any) -> Any:
        if isinstance(part, Undefined) and not is_optional(part):
            raise error(part)
        return as_state(part)

    return nest.map_structure(leaf, value)


def as_state(value: Any) -> Any:
    """What a function leaves in an attribute, the same way; values that have none on some ways stay as they are."""
    return nest.map_structure(
        lambda part: OptionalResult(part._flag, as_result(part._content)) if is_optional(part) else part, value)
