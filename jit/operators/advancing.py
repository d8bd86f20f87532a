"""Iterators from which items are taken while a tensor decides whether they still are: behind a `break`, in `any(…)`.

While the program is built every item is taken. What taking one does (a generator's code changes a list, a tensor in
place; somebody else goes on with the iterator) would be done whatever the tensor says: that is refused.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from types import GeneratorType
from typing import Any

from ..errors import ConversionError
from . import run_checks, staging
from .outside import Outside

_WAY_OUT = "Make it a list before (`list(…)`), or decide on a Python value."
_OURS = __name__.partition(".")[0]
_count: Callable[[Any], int] = getattr(sys, "getrefcount", lambda _: 0)


def references(iterable: Any) -> int:
    """How many references there are to what a function has been given."""
    return _count(iterable)


def _references_to_argument(iterable: Any, *_: Any) -> int:
    return references(iterable)


_FRESH = _references_to_argument(iter(()), None)  # of what is made where it is gone over, and held by nobody else


def _counts_tell_of_names() -> bool:
    iterator = iter(())
    return _references_to_argument(iterator, None) > _FRESH


_COUNTS_TELL_OF_NAMES = _counts_tell_of_names()  # Python 3.14 lends a call what a local name holds, uncounted


def is_held_beside(count: int, iterable: Any) -> bool:
    """Whether an argument is an iterator that somebody holds beside the call, which has asked for its `references`."""
    if not hasattr(type(iterable), "__next__"):
        return False
    return count > _FRESH or not _COUNTS_TELL_OF_NAMES and _has_name(iterable)


def _has_name(value: Any) -> bool:
    """Whether a local name holds this in a function that is being called, other than in ours."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] != _OURS:
            if any(local is value for local in frame.f_locals.values()):
                return True
        frame = frame.f_back
    return False


class OfHeld:
    """What a generator makes of the items of an iterator that somebody else holds too."""

    def __init__(self, made: Iterator[Any]):
        self._made = made

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return next(self._made)


def _sources(iterator: Any) -> list[tuple[Any, int]]:
    """The iterators that one of the builtins takes its items of, each with how many references there are to it."""
    return [(each, references(each)) for each in iterator.__reduce__()[1] if hasattr(type(each), "__next__")]


_EXAMPLES: list[Any] = [map(abs, iter(())), filter(abs, iter(())), zip(iter(())), enumerate(iter(()))]
# What takes from others, with how many references there are to one that nobody else holds.
_TAKING = {type(taking): _sources(taking)[0][1] for taking in _EXAMPLES}


def takes_of_held(iterator: Any) -> bool:
    """Whether an iterator takes its items of another one that somebody else holds too, and may go on with."""
    if type(iterator) not in _TAKING:
        return type(iterator) is OfHeld
    return any(count > _TAKING[type(iterator)] or takes_of_held(each) for each, count in _sources(iterator))


def held_elsewhere(where: str, statement: str = "loop") -> ConversionError:
    """The error where somebody beside the loop holds the iterator, and may take what it leaves."""
    return ConversionError(
        where, f"a tensor decides whether this {statement} goes on, and somebody else holds the iterator that it takes "
        "its items of. While the program is built, they would all be taken whatever the tensor says.", _WAY_OUT)


@contextlib.contextmanager
def advanced_apart(iterator: Any, going: Any, where: str, statement: str = "loop") -> Iterator[None]:
    """Within the block the next item is taken; ConversionError where that does more than to give it.

    What is asserted meanwhile is asserted where `going` holds.
    """
    if not _runs_code(iterator):
        yield
        return
    outside, mark = Outside(where, statement, iterator), staging.mark()
    with run_checks.only_where(going):
        yield
    changed = [place.name for place in outside.changed()]
    if changed or staging.does_more_than_compute(mark):
        what = f"changes `{changed[0]}`" if changed else "changes tensors in place, or draws numbers"
        raise ConversionError(
            where, f"a tensor decides whether this {statement} goes on, and taking its next item {what}. While the "
            "program is built, that would happen whatever the tensor says.", _WAY_OUT)


def _runs_code(iterator: Any) -> bool:
    """Whether Python code may run where the iterator gives an item."""
    if isinstance(iterator, (map, filter, GeneratorType)):
        return True
    if isinstance(iterator, (zip, enumerate)):
        return any(map(_runs_code, iterator.__reduce__()[1]))
    return hasattr(type(iterator), "__next__") and hasattr(type(iterator).__next__, "__code__")
