"""Methods of objects of Python's library that outlive a call: `queue.get()`, `buffer.readline()`, `parser["a"]`.

While the Program is built such a method would run once. One that changes its object, or that nobody can tell this of,
is refused; what others read makes another Program where it changes. Knows what is noted of a trace; converts nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..errors import ConversionError, here
from ..footprint.library_objects import LibraryState, is_of_library, of_library
from ..footprint.value_guards import current
from .outside import check_advance


def watched(method: Callable[..., Any]) -> Callable[..., Any]:
    """A bound method, or one that looks at what it does to its object."""
    owner, name, reads = getattr(method, "__self__", None), getattr(method, "__name__", ""), current()
    if reads is None or owner is None:
        return method
    if name == "__next__":
        check_advance(owner)
        return method
    state = noted(owner, name)
    if state is None:
        return method

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        result = method(*args, **kwargs)
        if state.has_changed():
            state.put_back()
            raise _refusal(owner, name, "changes an object")
        return result

    return call


def noted(owner: Any, name: str) -> LibraryState | None:
    """What an object of before holds, of which a method or a special method, as of `owner[i]`, is about to be called.

    None where there is nothing to watch.
    """
    reads, base = current(), of_library(owner, name)
    if reads is None or base is None or not reads.was_there(owner):
        return None
    state = LibraryState(owner)
    if not state.is_told and is_of_library(base):
        raise _refusal(owner, name, "may change an object")
    if not state.is_told or not state.can_change:
        return None
    reads.library_object(state, f"a {type(owner).__name__}")
    return state


def _refusal(owner: Any, name: str, what: str) -> ConversionError:
    return ConversionError(
        here(), f"`{type(owner).__name__}.{name}` {what} that outlives the call: while the Program is built, that "
        "would happen once, and each run would use again what it gave.",
        "Call it outside of the function, and give what it gives as an argument.")
