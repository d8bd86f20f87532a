"""Special methods of users' classes (`__add__`, `__getitem__`, `__enter__`…): converted code runs them converted.

Python finds a special method on the class and calls it as it stands; here each construct that would, asks `method`
first. How a function is converted is given from above. Knows nothing of programs but what is no user's object.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

from ..footprint.value_guards import OPERATIONS, current
from . import staging

Convert = Callable[[FunctionType], FunctionType]

_given: list[Convert] = []
_LEAVES_THE_FIRST_TURN = (bool, int, float, complex, list, tuple)  # to `__radd__` of what stands on the right
_BINARY: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "+": ("add", operator.add), "-": ("sub", operator.sub), "*": ("mul", operator.mul),
    "/": ("truediv", operator.truediv), "//": ("floordiv", operator.floordiv), "%": ("mod", operator.mod),
    "**": ("pow", operator.pow), "@": ("matmul", operator.matmul), "&": ("and", operator.and_),
    "|": ("or", operator.or_), "^": ("xor", operator.xor), "<<": ("lshift", operator.lshift),
    ">>": ("rshift", operator.rshift)}
_UNARY: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "-": ("__neg__", operator.neg), "+": ("__pos__", operator.pos), "~": ("__invert__", operator.invert)}
_ORDER: dict[str, tuple[str, str, Callable[[Any, Any], Any]]] = {
    "<": ("__lt__", "__gt__", operator.lt), "<=": ("__le__", "__ge__", operator.le),
    ">": ("__gt__", "__lt__", operator.gt), ">=": ("__ge__", "__le__", operator.ge),
    "==": ("__eq__", "__eq__", operator.eq), "!=": ("__ne__", "__ne__", operator.ne)}


def offer_conversion(convert: Convert) -> None:
    """Says how a special method is converted; what is to be left alone comes back as it is."""
    _given[:] = [convert]


def method(owner: Any, name: str) -> Callable[..., Any] | None:
    """The special method that a class of the user's has, converted; None where it stays as it is."""
    found = getattr(type(owner), name, None)
    if type(found) is not FunctionType or staging.is_symbolic(owner) or not _given:
        return None
    new, reads = _given[0](found), current()
    if reads is not None and new is not found:
        reads.attribute(type(owner), name, found)
    elif reads is not None and hasattr(type(owner), "__dataclass_fields__"):  # Python has written its `__eq__`
        reads.attributes(owner)
    return None if new is found else MethodType(new, owner)


def operate(a: Any, symbol: str, b: Any) -> Any:
    """`a + b`, for the symbol of any operator of two sides."""
    return _operate(a, *_BINARY[symbol], b)


def _operate(a: Any, name: str, plain: Callable[[Any, Any], Any], b: Any) -> Any:
    reflected = None if type(a) is type(b) else method(b, f"__r{name}__")
    return _either(a, method(a, f"__{name}__"), b, reflected, plain)


def operate_in_place(a: Any, symbol: str, b: Any) -> Any:
    """What `a += b` leaves in `a`, for the symbol `+=`."""
    (name, plain), in_place = _BINARY[symbol[:-1]], OPERATIONS[symbol]
    own = method(a, f"__i{name}__")
    if own is None:
        return in_place(a, b) if hasattr(type(a), f"__i{name}__") else _operate(a, name, in_place, b)
    found = own(b)
    return _operate(a, name, plain, b) if found is NotImplemented else found


def operate_alone(symbol: str, value: Any) -> Any:
    """`-value`, `+value` or `~value`."""
    name, plain = _UNARY[symbol]
    own = method(value, name)
    return plain(value) if own is None else own()


def order(a: Any, symbol: str, b: Any) -> Any:
    """`a < b`, for the symbol of any comparison of values."""
    name, reflected, plain = _ORDER[symbol]
    return _either(a, method(a, name), b, method(b, reflected), plain)


def _either(a: Any, first: Any, b: Any, second: Any, plain: Callable[[Any, Any], Any]) -> Any:
    """What the left side's method, or the right one's reflected one, makes of both, in Python's order."""
    if first is None and (second is None or type(a) not in _LEAVES_THE_FIRST_TURN):
        return plain(a, b)
    turns = [(first, b), (second, a)]
    if isinstance(b, type(a)) and type(b) is not type(a):
        turns.reverse()
    for call, other in turns:
        found = NotImplemented if call is None else call(other)
        if found is not NotImplemented:
            return found
    return plain(a, b)


class _Standing:
    """Stands for an object of a user's class where Python asks for special methods."""

    __slots__ = ("_owner",)

    def __init__(self, owner: Any):
        self._owner = owner

    def _method(self, name: str) -> Callable[..., Any]:
        return method(self._owner, name) or MethodType(getattr(type(self._owner), name), self._owner)


class _Items(_Standing):
    __slots__ = ()

    def __getitem__(self, index: Any) -> Any:
        return self._method("__getitem__")(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._method("__setitem__")(index, value)

    def __delitem__(self, index: Any) -> None:
        self._method("__delitem__")(index)


class _Manager(_Standing):
    __slots__ = ()

    def __enter__(self) -> Any:
        return self._method("__enter__")()

    def __exit__(self, *error: Any) -> Any:
        return self._method("__exit__")(*error)


def items_of(value: Any) -> Any:
    """What `[i]` is written behind instead of a value."""
    names = ("__getitem__", "__setitem__", "__delitem__")
    return _Items(value) if any(method(value, name) is not None for name in names) else value


def manager(value: Any) -> Any:
    """What `with` is given instead of a context manager."""
    return _Manager(value) if any(method(value, name) is not None for name in ("__enter__", "__exit__")) else value
