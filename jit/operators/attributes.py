"""Attributes in converted code, `a.b`: properties are converted, what is read is noted, and sizes are the run's.

Knows Python's way of finding attributes; how a function is converted is given from outside.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from ...dygraph.tensor import Tensor
from ..convert.ignoring import is_ignored_module
from ..errors import here
from ..footprint.locations import ABSENT
from ..footprint.value_guards import OPERATIONS, current
from . import staging
from .open_shapes import shape_of
from .partial import is_partial, load, parts
from .special import method, operate_in_place
from .undefined import BY_CALL, Undefined, read

_NUMBERS = (int, float)


class Attributes:
    """`read(owner, name)` is `owner.name`; `convert` gives the converted form of a property's function."""

    def __init__(self, convert: Callable[[FunctionType], FunctionType]):
        self._convert = convert

    def read(self, owner: Any, name: str) -> Any:
        """`owner.name`; of a symbolic tensor `x.shape` is a list; sizes and `x.ndim` are symbolic if not known."""
        if name == "shape" and staging.is_symbolic(owner):
            return shape_of(owner)
        if name == "ndim" and staging.is_symbolic(owner):
            return staging.rank(owner)
        if name == "stop_gradient" and staging.is_symbolic(owner):
            return staging.stops(owner)
        if name == "__dict__":
            note_all(owner)
        found = None if isinstance(owner, ModuleType) else _on_class(type(owner), name)
        if found is None and staging.is_symbolic(owner):
            found = vars(Tensor).get(name)  # where the user's code may have set it
        if type(found) is property and isinstance(found.fget, FunctionType):
            new = self._convert(found.fget)
            return getattr(owner, name) if new is found.fget else _called(new, owner, name)
        if type(found) is functools.cached_property and name not in vars(owner):
            vars(owner)[name] = value = self._convert(found.func)(owner)  # type: ignore[arg-type]
            return value
        by_method = method(owner, "__getattr__")
        try:
            value = getattr(owner, name) if by_method is None else _by_itself(owner, name)
        except AttributeError:
            _note(owner, name, ABSENT)
            if by_method is None:
                raise
            return by_method(name)
        _note(owner, name, value)
        return value

    def get(self, owner: Any, name: Any, *default: Any) -> Any:
        """`getattr(owner, name, default)`."""
        if type(name) is not str:
            return getattr(owner, name, *default)
        try:
            return self.read(owner, name)
        except AttributeError:
            if not default:
                raise
            return default[0]

    def getter(self, getter: operator.attrgetter) -> Callable[[Any], Any]:
        """What `attrgetter("a.b", …)` gives: a function that reads as converted code does."""
        names = [name.split(".") for name in getter.__reduce__()[1]]

        def get(owner: Any) -> Any:
            found = tuple(functools.reduce(self.read, path, owner) for path in names)
            return found[0] if len(found) == 1 else found

        return get

    def has(self, owner: Any, name: Any) -> Any:
        """`hasattr(owner, name)`."""
        there = hasattr(owner, name)
        if there and is_partial(value := getattr(owner, name)):
            return parts(value)[1]
        _note(owner, name, getattr(owner, name) if there and _on_class(type(owner), name) is None else ABSENT)
        return there


def _by_itself(owner: Any, name: str) -> Any:
    """What Python finds before it asks `__getattr__`."""
    find: Any = type(owner).__getattribute__
    return find(owner, name)


def _called(function: Callable[[Any], Any], owner: Any, name: str) -> Any:
    try:
        return function(owner)
    except AttributeError:
        if hasattr(type(owner), "__getattr__"):
            return getattr(owner, name)  # as Python: `__getattr__` may know it
        raise


def _on_class(kind: type, name: str) -> Any:
    return next((vars(each)[name] for each in kind.__mro__ if name in vars(each)), None)


def state_of(owner: Callable[[], Any], key: str, value: Callable[[], Any], name: str) -> Any:
    """What an attribute is as a variable of a statement: its value, an Undefined, or BY_CALL for a property."""
    held = read(owner, name)
    found = None if isinstance(held, Undefined) else _on_class(type(held), key)
    setter = found.fset if isinstance(found, property) else None
    if isinstance(setter, FunctionType) and not is_ignored_module(setter.__module__ or ""):
        return BY_CALL
    return read(value, name)


def _note(owner: Any, name: str, value: Any) -> None:
    reads = current()
    if reads is not None:
        reads.attribute(owner, name, value)


def note_all(owner: Any) -> None:
    """Notes that all attributes of an object were read."""
    reads = current()
    if reads is not None:
        reads.attributes(owner)


def noting_all(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that looks at all attributes of what it is given first."""
    @functools.wraps(function, updated=())
    def call(owner: Any, *args: Any, **kwargs: Any) -> Any:
        note_all(owner)
        return function(owner, *args, **kwargs)

    return call


class begun:
    """`owner.name += …`, whose operand is yet to be computed."""

    __slots__ = ("owner", "name", "value")

    def __init__(self, owner: Any, name: str):
        self.owner, self.name, self.value = owner, name, load(getattr(owner, name))


def augment(attribute: begun, symbol: str, operand: Any) -> None:
    """Gives the attribute what its value and the operand come to."""
    owner, name, value = attribute.owner, attribute.name, attribute.value
    counts = type(value) in _NUMBERS and type(operand) in _NUMBERS
    reads = current()
    if reads is not None and not (counts and reads.counted(owner, name, OPERATIONS[symbol], operand)):
        reads.attribute(owner, name, value)
    setattr(owner, name, operate_in_place(value, symbol, operand))


def set_stop_gradient(owner: Any, value: Any) -> None:
    """`owner.stop_gradient = value`."""
    owner = load(owner)
    if staging.is_symbolic(value):
        raise TypeError(
            f"{here()}: `stop_gradient` of a tensor depends here on what another tensor holds. Whether gradients flow "
            "must be known while the Program is built. Give the branch another value instead: `h = h.detach()`.")
    if staging.is_symbolic(owner):
        staging.set_gradient_stop(owner, value)
    else:
        owner.stop_gradient = value


def set_name(owner: Any, value: Any) -> None:
    """`owner.name = value`."""
    owner = load(owner)
    if staging.is_symbolic(owner):
        raise TypeError(
            f"{here()}: a tensor is named {value!r}, and is a variable of the Program, which what is written already "
            "knows by another name. Name the result outside of the function; `name=` of the functions that compute it "
            "names what they give.")
    owner.name = value
