"""`and`, `or`, `not` and chained comparisons: Python's own order and shortcuts, until a value is symbolic.

A symbolic `and` is computed from both sides: neither may rely on the other having been tested first.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ...core import nest
from ..errors import ConversionError, here
from . import identity, run_checks, special, staging
from .conditionals import if_exp
from .library_calls import noted
from .open_shapes import OpenShape
from .outside import ChangedOutside, Outside
from .partial import SHOWING, certain, is_partial, note_key, parts, truth


def contains(items: Any, value: Any) -> Any:
    """`value in items`; of symbolic values, whether one of the items is equal."""
    if staging.is_symbolic(items):
        return (items == value).any()
    own = special.method(items, "__contains__")
    if own is not None:
        return truth(own(value))
    inside = list(items) if type(items) in (list, tuple, range) else None
    if inside is not None and any(map(staging.is_symbolic, nest.leaves([value, *inside]))):
        return or_(False, *(partial(_equal, value, item) for item in inside))
    leaves = nest.leaves(value) if type(value) in (list, tuple) else [value]
    if isinstance(items, (dict, set, frozenset)) and any(map(staging.is_symbolic, leaves)):
        if staging.is_symbolic(value) and not value._is_of_python():
            return any([is_same(key, value) for key in items])  # a tensor's hash tells which one it is
        raise ConversionError(
            here(), f"`in` looks for a value in a {type(items).__name__} that is known only when the program runs.",
            "Look for a Python value, such as a size that is known, or compare tensors.")
    if isinstance(items, dict):
        note_key(items, value)
    noted(items, "__contains__")
    if isinstance(items, dict) and is_partial(found := dict.get(items, value)):
        return parts(found)[1]
    return value in (certain(items) if isinstance(items, SHOWING) else items)


def _equal(a: Any, b: Any) -> Any:
    """Whether two values are one element and equal."""
    return a is b or equal(a, b)


def equal(a: Any, b: Any) -> Any:
    """`a == b`; of lists or tuples in which sizes are symbolic, whether all are equal, which is symbolic too.

    ConversionError for dicts of which a tensor decides about the keys.
    """
    if isinstance(a, OpenShape) or isinstance(b, OpenShape):
        return a == b  # which refuses
    for kind in (list, tuple):
        if isinstance(a, kind) and isinstance(b, kind) and any(map(staging.is_symbolic, nest.leaves([a, b]))):
            return len(a) == len(b) and and_(True, *(partial(_equal, x, y) for x, y in zip(a, b, strict=True)))
    return certain(a) == certain(b) if isinstance(a, dict) and isinstance(b, dict) else special.order(a, "==", b)


def unequal(a: Any, b: Any) -> Any:
    """`a != b`, likewise."""
    by_equality = special.method(a, "__eq__") is not None and type(a).__ne__ is object.__ne__
    if by_equality or isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return not_(equal(a, b))
    return certain(a) != certain(b) if isinstance(a, dict) and isinstance(b, dict) else special.order(a, "!=", b)


def _ordered(symbol: str) -> Callable[[Any, Any], Any]:
    return lambda a, b: special.order(a, symbol, b)


_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    **{symbol: _ordered(symbol) for symbol in ("<", "<=", ">", ">=")}, "==": equal, "!=": unequal,
    "is": lambda a, b: is_same(a, b), "is not": lambda a, b: not is_same(a, b),
    "in": lambda a, b: contains(b, a), "not in": lambda a, b: not_(contains(b, a))}


def and_(first: Any, *later: Callable[[], Any]) -> Any:
    """`first and later() and …`, of which only the truth is asked."""
    return _joined(first, later, True, _logical)


def or_(first: Any, *later: Callable[[], Any]) -> Any:
    """`first or later() or …`, of which only the truth is asked."""
    return _joined(first, later, False, _logical)


def and_value(first: Any, *later: Callable[[], Any]) -> Any:
    """`first and later() and …`: the first of them that does not hold, or the last."""
    return _joined(first, later, True, _one_of)


def or_value(first: Any, *later: Callable[[], Any]) -> Any:
    """`first or later() or …`: the first of them that holds, or the last."""
    return _joined(first, later, False, _one_of)


def _joined(first: Any, later: tuple[Callable[[], Any], ...], goes_on: bool, join: Callable[..., Any]) -> Any:
    """The operands joined; the next one counts where those before hold, or do not hold if `goes_on` is False."""
    value = first
    for operand in later:
        test = truth(value)
        if staging.is_symbolic(test):
            with run_checks.only_where(test if goes_on else staging.logical_not(test)):
                other = decided_operand(operand, "and" if goes_on else "or")
            value = join(value, test, other, goes_on)
        elif bool(test) is goes_on:
            value = operand()
        else:
            return value
    return value


def decided_operand(operand: Callable[[], Any], symbol: str) -> Any:
    """An operand that a tensor decides about, and that may change nothing."""
    mark = staging.mark()
    try:
        with Outside(here(), f"`{symbol}`", operand).watched():
            value = operand()
    except ChangedOutside as found:
        raise ConversionError(
            here(), f"a tensor decides whether what stands behind `{symbol}` is computed, and a function called there "
            f"changes `{found.places[0].name}`: while the program is built it would be changed always.",
            "Write it as an `if` statement.") from None
    except NameError as error:
        raise ConversionError(
            here(), f"{error}: a tensor decides whether what stands behind `{symbol}` is computed, and while the "
            "program is built it is computed always.",
            "Give the name a value before, or write an `if` statement.") from error
    if staging.does_more_than_compute(mark):
        raise ConversionError(
            here(), f"a tensor decides whether what stands behind `{symbol}` is computed, which changes a tensor in "
            "place or draws random numbers: while the program is built that would happen always.",
            "Write it as an `if` statement.")
    return value


def _logical(value: Any, test: Any, other: Any, goes_on: bool) -> Any:
    other = truth(other)
    if staging.is_symbolic(other):
        return (staging.logical_and if goes_on else staging.logical_or)(test, other)
    return test if bool(other) is goes_on else not goes_on


def _one_of(value: Any, test: Any, other: Any, goes_on: bool) -> Any:
    if _is_truth(value) and (type(other) is bool or _is_truth(other)):
        return _logical(value, test, other, goes_on)
    kept, given = computed(value), computed(other)
    return if_exp(test, given, kept) if goes_on else if_exp(test, kept, given)


def _is_truth(value: Any) -> bool:
    return staging.is_symbolic(value) and value.dtype.name == "bool"


def not_(value: Any) -> Any:
    """`not value`."""
    value = truth(value)
    return staging.note_truth(staging.logical_not(value)) if staging.is_symbolic(value) else not value


def computed(value: Any) -> Callable[[], Any]:
    """A value that is there already, as an operand that is computed when it is asked for."""
    return lambda: value


def compare(left: Any, *rest: Any) -> Any:
    """`left < a < b`, given as `compare(left, "<", lambda: a, "<", lambda: b)`; each operand is computed once."""
    result: Any = True
    for symbol, operand in zip(rest[::2], rest[1::2], strict=True):
        right = decided_operand(operand, symbol) if staging.is_symbolic(result) else operand()
        result = and_(result, partial(_COMPARE[symbol], left, right))
        if not staging.is_symbolic(result) and not result:
            return result
        left = right
    return result


def is_truth(value: Any, truth: bool) -> Any:
    """`value is True` or `value is False`, which of a truth value of Python only the run may know."""
    if staging.stands_for_truth(value):
        return value if truth else not_(value)
    return value is truth


def is_same(a: Any, b: Any) -> bool:
    """`a is b`; ConversionError where a tensor decides whether they are one tensor."""
    if a is not b and staging.is_tensor(a) and staging.is_tensor(b) and staging.is_staging() and (
            identity.may_be_one(a, b)):
        raise ConversionError(
            here(), "`is` asks whether two names stand for one tensor, and a tensor decides that, which is known only "
            "when the program runs.", "Keep what decided in a variable, and ask for that.")
    return a is b
