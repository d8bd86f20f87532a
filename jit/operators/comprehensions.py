"""Comprehensions, `sum`, `any` and `all`, where only a run knows how many items there are or which of them are taken.

What they make is then a list of the program. Knows loops and branches; does no staging.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import ConversionError, here
from . import staging
from .advancing import OfHeld, is_held_beside, references, takes_of_held
from .conditionals import if_stmt
from .iteration import sequence_of, walked
from .logical import and_, or_
from .loops import for_stmt
from .partial import truth
from .special import method, operate
from .statements import nothing


def comprehension(iterable: Any, made: Callable[[Any], list], element: Callable[..., Any],
                  condition: Callable[..., Any] | None = None) -> Any:
    """`made(iterable)`: the elements of the items for which the condition holds, in a list."""
    if condition is None and sequence_of(iterable) is None:
        return made(iterable)
    return _collected(iterable, element, condition)


def generator(iterable: Any, made: Callable[[Any], Any], element: Callable[..., Any],
              condition: Callable[..., Any] | None = None) -> Any:
    """The same for a generator, which computes what is asked for, and all of it where only a run knows the items.

    The condition of the first item tells whether a tensor decides which of them are taken.
    """
    is_held = is_held_beside(references(iterable), iterable) or takes_of_held(iterable)
    if sequence_of(iterable) is not None:
        return _collected(iterable, element, condition)
    rest = iter(walked(iterable))
    if is_held and condition is None:
        return OfHeld(made(rest))
    if condition is None or (first := next(rest, _NONE)) is _NONE:
        return made(rest)
    holds = truth(_of(condition, first))
    if staging.is_symbolic(holds):
        return _collected(itertools.chain([first], rest), element, condition, [holds])
    return _of_rest(holds, element, first, made(rest))


def _of_rest(holds: Any, element: Callable[..., Any], first: Any, rest: Any) -> Any:
    if holds:
        yield _of(element, first)
    yield from rest


_NONE: Any = object()  # there is no first item


def binding(made: Any) -> Any:
    """The items of a generator that binds names with `:=`; ConversionError where a tensor may decide to stop there."""
    for item in made:
        if staging.is_symbolic(item):
            raise ConversionError(
                here(), "a generator binds a name with `:=`, and a tensor decides which of its items is the last one "
                "that is asked for: while the program is built all of them are.",
                "Write a `for` loop with `break`.")
        yield item


def _collected(iterable: Any, element: Callable[..., Any], condition: Callable[..., Any] | None,
               known: Sequence[Any] = ()) -> Any:
    """The list; `known` are the conditions of the first items."""
    tests = iter(known)
    collected: Any = []

    def state() -> tuple:
        return (collected,)

    def set_state(new: tuple) -> None:
        nonlocal collected
        (collected,) = new

    def turn(item: Any) -> None:
        def take() -> None:
            collected.append(_of(element, item))

        if condition is None:
            take()
        else:
            test = next(tests, _NONE)
            if_stmt(_of(condition, item) if test is _NONE else test, take, nothing, state, set_state, ("the list",), 1)

    for_stmt(iterable, turn, None, state, set_state, ("the list",))
    return collected


def _of(function: Callable[..., Any], item: Any) -> Any:
    """What a function of an item, or of the parts of one, makes of it."""
    code: Any = function.__code__
    return function(item) if code.co_argcount == 1 else function(*item)


def sum_(values: Any, start: Any = 0) -> Any:
    """`sum(values, start)`, of a tensor of unknown length and of a list of the program too."""
    if staging.is_list(values):
        return _folded(values, start, lambda total, item: total + item)
    if staging.is_symbolic(values) and len(values.shape) > 0:
        return values.sum(0) + start
    items = list(walked(values))
    if any(method(item, "__add__") or method(item, "__radd__") for item in (start, *items)):
        return functools.reduce(lambda total, item: operate(total, "+", item), items, start)
    return sum(items, start)


def any_of_list(values: Any) -> Any:
    """`any(values)` of a list of the program."""
    return _folded(values, False, lambda found, item: or_(found, lambda: _as_truth(item)))


def all_of_list(values: Any) -> Any:
    """`all(values)` of a list of the program."""
    return _folded(values, True, lambda found, item: and_(found, lambda: _as_truth(item)))


def _as_truth(item: Any) -> Any:
    return staging.cast(item, "bool")


def _folded(values: Any, start: Any, step: Callable[[Any, Any], Any]) -> Any:
    found = start

    def state() -> tuple:
        return (found,)

    def set_state(new: tuple) -> None:
        nonlocal found
        (found,) = new

    def turn(item: Any) -> None:
        nonlocal found
        found = step(found, item)

    for_stmt(values, turn, None, state, set_state, ("the result",))
    return found
