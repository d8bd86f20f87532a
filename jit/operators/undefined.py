"""A variable that has no value yet, as an object: it says whose name it is as soon as anyone uses it.

Knows Python alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

_USUAL = ("local variable {!r} referenced before assignment" if sys.version_info < (3, 11) else
          "cannot access local variable {!r} where it is not associated with a value")


def _refuse(missing: Undefined, *_: Any, **__: Any) -> Any:
    raise error(missing)


class Undefined:
    """Stands for the missing value of a variable.

    `reason`, when given, replaces the usual message: why staging has left the variable without a value.
    """

    __slots__ = ("_name", "_reason")

    stands_for_a_value = True  # what looks at classes alone knows it by this
    _name: str
    _reason: str | None

    def __init__(self, name: str, reason: str | None = None):
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_reason", reason)

    def __repr__(self) -> str:
        return f"<{self._name} has no value>"

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict) -> Any:
        return self

    __getattr__ = __setattr__ = __call__ = __str__ = __format__ = __bool__ = __hash__ = __array__ = _refuse
    __len__ = __iter__ = __contains__ = __getitem__ = __setitem__ = __delitem__ = __enter__ = _refuse
    __index__ = __int__ = __float__ = __complex__ = __neg__ = __pos__ = __abs__ = __invert__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __add__ = __sub__ = __mul__ = __truediv__ = __floordiv__ = __mod__ = __pow__ = __matmul__ = _refuse
    __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = __rpow__ = __rmatmul__ = _refuse
    __and__ = __or__ = __xor__ = __lshift__ = __rshift__ = __rand__ = __ror__ = __rxor__ = _refuse


def error(missing: Undefined) -> UnboundLocalError:
    """What Python would have raised, with the user's name and, after staging, the reason."""
    return UnboundLocalError(message(missing))


def message(missing: Undefined) -> str:
    """What that error says."""
    return missing._reason or _USUAL.format(missing._name)


def reason(missing: Undefined) -> str | None:
    """Why staging left it without a value; None when the program itself gave it none."""
    return missing._reason


def read(value: Callable[[], Any], name: str) -> Any:
    """What `value()` gives, or an Undefined where Python finds no such variable or attribute."""
    try:
        return value()
    except (NameError, AttributeError):
        return Undefined(name)


BY_CALL: Any = type("BY_CALL", (), {"__slots__": ()})()
"""Stands for an attribute that a function of the user's sets: what that changes is the state, and not the attribute."""


def changed(new: Any, old: Callable[[], Any]) -> bool:
    """Whether an attribute must be written to hold `new`; one without a value is left alone when it has none."""
    if new is BY_CALL:
        return False
    present = read(old, "")
    return new is not present and not type(new) is type(present) is Undefined
