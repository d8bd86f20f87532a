"""A variable that has a value on some ways through the program only: its value, and a flag of the program that says so.

Reading it checks the flag when the program runs. Knows nothing of where it comes from (see merging.py, loop_state.py).
"""

from __future__ import annotations

from typing import Any

from ..errors import RETURN_VALUE
from . import staging
from .undefined import Undefined, error, message


class Partial(Undefined):
    """Stands for a variable that is `content` where `flag` holds and has no value otherwise."""

    __slots__ = ("_content", "_flag", "_checked")

    _content: Any
    _flag: Any
    _checked: set

    def __init__(self, name: str, reason: str | None, content: Any, flag: Any):
        super().__init__(name, reason)
        object.__setattr__(self, "_content", content)
        object.__setattr__(self, "_flag", flag)
        object.__setattr__(self, "_checked", set())


def partial(name: str, reason: str | None, content: Any, flag: Any) -> Any:
    """The variable; its value where the flag surely holds, and no value where it surely does not."""
    if staging.is_symbolic(flag):
        return Partial(name, reason, content, flag)
    return content if flag else Undefined(name, reason)


def parts(value: Any) -> tuple[Any, Any]:
    """Content and flag of any value that is there at least on some ways."""
    return (value._content, value._flag) if type(value) is Partial else (value, True)


def load(value: Any) -> Any:
    """The value of a variable that may have none; what only the program can know, it checks when it runs."""
    if type(value) is Undefined:
        raise error(value)
    if type(value) is not Partial:
        return value
    block = staging.current_block()
    if not value._name.startswith(RETURN_VALUE) and block not in value._checked:  # every way through returns
        value._checked.add(block)
        staging.check(value._flag, message(value), None)
    return value._content
