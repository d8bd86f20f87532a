"""What a staged loop can count through: ranges, tensors of unknown length, and `enumerate` and `zip` of those.

Knows what is symbolic, nothing else of staging.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..errors import here
from . import staging
from .conditionals import if_exp
from .items import item, listed
from .outside import check_advance, check_lasting
from .partial import certain
from .special import method
from .values import is_staged

_FINITE: Any = (type(reversed([])), type(reversed(())), type(iter([])), type(iter(())))


class SymbolicSequence:
    """The items `item_at(i)`, for i in a range whose bounds are known only when the program runs."""

    __slots__ = ("start", "stop", "step", "item_at", "lists")

    def __init__(self, start: Any, stop: Any, step: Any, item_at: Callable[[Any], Any], lists: Sequence[Any] = ()):
        self.start, self.stop, self.step, self.item_at = start, stop, step, item_at
        self.lists = tuple(lists)  # those, of Python or of the program, that items are of

    def __iter__(self) -> Iterator[Any]:
        raise TypeError(
            f"{here()}: how many items there are is known only when the program runs; there are none to hand out "
            "while it is built. Loop over them with a `for` statement: `for i in range(n):`.")

    def __len__(self) -> int:
        self.__iter__()
        return 0

    @property
    def bounds(self) -> tuple[Any, Any, Any]:
        """Where it starts and stops, and its step."""
        return self.start, self.stop, self.step

    def with_own_bounds(self) -> SymbolicSequence:
        """The same items, whatever becomes of the tensors that said how many there are."""
        start, stop, step = map(staging.own, self.bounds)
        return SymbolicSequence(start, stop, step, self.item_at, self.lists)

    def counted(self) -> SymbolicSequence:
        """The same items, counted 0, 1, 2…"""
        if type(self.start) is int and type(self.step) is int and (self.start, self.step) == (0, 1):
            return self
        turns = -((self.start - self.stop) // self.step)
        return SymbolicSequence(0, turns, 1, lambda i: self.item_at(self.start + i * self.step), self.lists)


def walked(values: Any) -> Any:
    """What Python is to go over by itself; of an object of the user's, what its `__iter__` gives."""
    own = method(certain(values), "__iter__")
    if hasattr(type(values), "__next__"):
        check_lasting(values)
    return values if own is None else own()


def sequence_of(iterable: Any) -> SymbolicSequence | None:
    """The sequence to stage a loop over; None when Python can iterate."""
    if isinstance(iterable, SymbolicSequence):
        return iterable
    if staging.is_list(iterable):
        return SymbolicSequence(0, iterable.length(), 1, functools.partial(listed, iterable), [iterable])
    certain(iterable)
    if hasattr(type(iterable), "__next__"):
        check_advance(iterable)
    if not staging.is_symbolic(iterable) or len(iterable.shape) == 0:
        return None
    turns = staging.length(iterable)
    return SymbolicSequence(0, turns, 1, iterable.__getitem__) if staging.is_symbolic(turns) else None


def lists_of(iterable: Any) -> list[Any]:
    """The lists that a loop over this takes its items of as it goes on, and so shows what becomes of them."""
    if type(iterable) is list or staging.is_list(iterable):
        return [iterable]
    if isinstance(iterable, SymbolicSequence):
        return list(iterable.lists)
    if isinstance(iterable, (*_FINITE, map, zip, filter, enumerate)):
        return [each for part in iterable.__reduce__()[1] for each in lists_of(part)]
    return []


def range_(*bounds: Any) -> Any:
    """`range(stop)` or `range(start, stop[, step])`."""
    if not any(staging.is_symbolic(b) for b in bounds):
        return range(*bounds)
    before: tuple[Any, ...] = (0,) if len(bounds) == 1 else ()
    behind: tuple[Any, ...] = (1,) if len(bounds) < 3 else ()
    start, stop, step = map(_int, (*before, *bounds, *behind))
    return SymbolicSequence(start, stop, step, lambda i: i)


def _int(bound: Any) -> Any:
    """A bound of a range as the int of Python that a tensor of one element is there."""
    if not staging.is_symbolic(bound) or staging.is_number(bound):
        return bound
    number = staging.own((bound.reshape([]) if bound.shape else bound).astype("int64"))  # as Python's own ints are
    staging.note_number(number, False)
    return number


def enumerate_(iterable: Any, start: Any = 0) -> Any:
    """`enumerate(iterable, start)`."""
    iterable = walked(iterable)
    found = sequence_of(iterable)
    if found is None:
        return enumerate(iterable, start)
    items = found.counted()
    return SymbolicSequence(0, items.stop, 1, lambda i: (start + i, items.item_at(i)), items.lists)


def zip_(*iterables: Any, **options: Any) -> Any:
    """`zip(…)`: as soon as one length is known only when the program runs, all must be tensors or ranges of such."""
    iterables = tuple(map(walked, iterables))
    found = [sequence_of(i) for i in iterables]
    if all(f is None for f in found):
        return zip(*iterables, **options)  # noqa: B905 - strict is among the options
    shown = [each for i in iterables for each in lists_of(i)]
    given = [list(i) if isinstance(i, _FINITE) else i for i in iterables]
    if any(type(i) in (list, tuple, range) and not i for i in given):
        return zip()
    items = [_indexed(i) if f is None else f.counted() for i, f in zip(given, found, strict=True)]
    stop = functools.reduce(_smaller, [each.stop for each in items if each.stop is not None])
    return SymbolicSequence(0, stop, 1, lambda i: tuple(each.item_at(i) for each in items), shown)


def _indexed(iterable: Any) -> SymbolicSequence:
    if isinstance(iterable, range):
        return SymbolicSequence(0, len(iterable), 1, lambda i: iterable.start + i * iterable.step)
    if isinstance(iterable, itertools.count):
        first, second = next(iterable), next(iterable)
        return SymbolicSequence(0, None, 1, lambda i: first + i * (second - first))
    if type(iterable) in (list, tuple) and iterable and all(map(is_staged, iterable)):
        return SymbolicSequence(0, len(iterable), 1, lambda i: item(iterable, i))
    if not staging.is_symbolic(iterable):
        raise TypeError(
            f"{here()}: zip() of a {type(iterable).__name__} with something whose length is known only when the "
            "program runs. Make it a tensor, with paddle.to_tensor or paddle.stack.")
    return SymbolicSequence(0, staging.length(iterable), 1, iterable.__getitem__)


def _smaller(a: Any, b: Any) -> Any:
    if not (staging.is_symbolic(a) or staging.is_symbolic(b)):
        return min(a, b)
    return if_exp(a < b, lambda: a, lambda: b)
