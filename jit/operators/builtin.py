"""Python's builtin functions where their argument may be symbolic.

Knows what is symbolic, nothing else of staging.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import warnings
from collections.abc import Callable
from typing import Any

from ...ops.array.assign import rank
from ..errors import here
from . import program_lists, staging
from .advancing import advanced_apart, held_elsewhere, is_held_beside, references, takes_of_held
from .comprehensions import all_of_list, any_of_list, comprehension, sum_
from .iteration import SymbolicSequence, enumerate_, range_, sequence_of, walked, zip_
from .logical import and_, computed, or_
from .open_shapes import AT_LEAST, OpenShape, rank_
from .outside import check_advance
from .partial import SHOWING, certain, flags_of_keys, note_keys, truth, used_within
from .special import method
from .texts import check_letters, format_, lines, repr_, str_, warn_


def len_(value: Any) -> Any:
    """`len(value)`: of a symbolic tensor, the size of its first dimension; of its shape, how many it has."""
    if staging.is_list(value):
        staging.note_number(count := value.length(), True)
        return count
    if type(value) is OpenShape:
        return staging.rank(value.of)
    own = method(value, "__len__")
    if own is not None:
        return own()
    if isinstance(value, dict):
        note_keys([value])
    if isinstance(value, dict) and value and (flags := flags_of_keys(value)):
        return sum((staging.number(flag, "int64", stays=True) for flag in flags), len(value) - len(flags))
    if isinstance(value, SHOWING):
        certain(value)
    return staging.length(value) if _has_length(value) else len(value)


def _has_length(value: Any) -> bool:
    return staging.is_symbolic(value) and len(value.shape) > 0


def int_(*args: Any, **kwargs: Any) -> Any:
    """`int(value)`: of a symbolic tensor, an int64 one that stands for the number."""
    return _cast(int, "int64", args, kwargs)


def float_(*args: Any, **kwargs: Any) -> Any:
    """`float(value)`: of a symbolic tensor, a float32 one that stands for the number, float64 of a float64 one.

    What is a number of Python already, as a size is, has a double's digits.
    """
    is_double = len(args) == 1 and staging.is_symbolic(args[0]) and (
        args[0].dtype.name == "float64" or staging.is_number(args[0]) and args[0].dtype.is_integer)
    return _cast(float, "float64" if is_double else "float32", args, kwargs)


def bool_(*args: Any, **kwargs: Any) -> Any:
    """`bool(value)`: of a symbolic tensor, a bool one; of a list of the program, whether it has items."""
    if len(args) == 1:
        args = (staging.truth(args[0]),)
    return _cast(bool, "bool", args, kwargs)


def _cast(kind: Callable[..., Any], dtype: str, args: tuple, kwargs: dict) -> Any:
    if len(args) == 1 and staging.is_symbolic(args[0]):
        # a number of Python has no gradient and no dimensions
        made = staging.as_number(staging.cast(staging.detached(args[0]), dtype))
        if kind is bool:
            return staging.note_truth(made)
        staging.note_number(made, False)
        return made
    own = method(args[0], f"__{kind.__name__}__") if len(args) == 1 else None
    if own is not None:
        return _cast(kind, dtype, (own(),), kwargs)
    if args:
        check_letters(args[0], f"{kind.__name__}()")
    return kind(*args, **kwargs)


def abs_(value: Any) -> Any:
    """`abs(value)`."""
    own = method(value, "__abs__")
    return abs(value) if own is None else own()


def print_(*values: Any, **options: Any) -> None:
    """`print(…)`: symbolic values are printed when the program runs."""
    shown = lines(values)
    if any(staging.is_symbolic(v) for v in shown):
        staging.show(shown)
    else:
        print(*values, **options)


def isinstance_(value: Any, kinds: Any) -> bool:
    """`isinstance(value, kinds)`: a symbolic tensor is a Tensor, a number that only the run knows an int or a float, a
    truth value a bool, a list of the program a list.
    """
    if isinstance(value, kinds):
        return True
    stands_for = _stands_for(value)
    return stands_for is not None and issubclass(stands_for, kinds)


def type_(*args: Any) -> Any:
    """`type(value)`: what `isinstance` says that a symbolic value is."""
    return (_stands_for(args[0]) if len(args) == 1 else None) or type(*args)


def _stands_for(value: Any) -> Any:
    """The class of what a symbolic value stands for; None for other values."""
    if staging.is_list(value):
        return list
    if not staging.is_symbolic(value):
        return None
    if staging.stands_for_truth(value):
        return bool
    if staging.is_size(value) or staging.is_number(value):
        return float if "float" in value.dtype.name else int
    return staging.tensor_class()


def list_(*values: Any) -> list:
    """`list(values)`; of a list of the program another one, and such a list where only a run knows the items."""
    values = tuple(map(walked, values))
    if len(values) != 1 or sequence_of(values[0]) is None:
        return list(*values)
    return values[0].copy() if staging.is_list(values[0]) else comprehension(values[0], list, lambda item: item)


def next_(iterator: Any, *default: Any) -> Any:
    """`next(iterator)`, which may not depend on what a tensor decides."""
    check_advance(iterator)
    return next(iterator, *default)


def max_(*values: Any, **options: Any) -> Any:
    """`max(…)`, where values may be symbolic numbers."""
    return _extreme(max, staging.larger, values, options)


def min_(*values: Any, **options: Any) -> Any:
    """`min(…)`, where values may be symbolic numbers."""
    return _extreme(min, staging.smaller, values, options)


def _extreme(choose: Callable[..., Any], pair: Callable[[Any, Any], Any], values: tuple, options: dict) -> Any:
    if len(values) == 1 and staging.is_list(values[0]) and not options:
        return getattr(program_lists.stacked(values[0]), choose.__name__)()
    if len(values) == 1 and staging.is_symbolic(values[0]) and len(values[0].shape) == 1:
        return getattr(values[0], choose.__name__)()
    items = list(walked(values[0])) if len(values) == 1 else list(values)
    if options or not any(map(staging.is_symbolic, items)):
        return choose(items, **options)
    for item in items:
        if staging.is_symbolic(item) and any(size != 1 for size in item.shape):
            name = choose.__name__
            raise TypeError(f"{here()}: {name}() of tensors takes tensors of one element. Received shape "
                            f"{list(item.shape)}. Use paddle.{name}imum for all elements, or x.{name}().")
    return functools.reduce(pair, items)


def any_(values: Any) -> Any:
    """`any(values)`, where items may be symbolic; all of them are computed."""
    is_held = is_held_beside(references(values), values)
    values = used_within(values)
    if staging.is_list(values):
        return any_of_list(values)
    if staging.is_symbolic(values) and len(values.shape) == 1:
        return values.any()
    return _decided(values, is_held, False, or_)


def all_(values: Any) -> Any:
    """`all(values)`, where items may be symbolic; all of them are computed."""
    is_held = is_held_beside(references(values), values)
    values = used_within(values)
    if staging.is_list(values):
        return all_of_list(values)
    if staging.is_symbolic(values) and len(values.shape) == 1:
        return values.all()
    return _decided(values, is_held, True, and_)


def _decided(values: Any, is_held: bool, goes_on: bool, join: Callable[..., Any]) -> Any:
    """The items joined by `and` or `or`; behind one that Python knows to decide, Python does not look."""
    found: Any = goes_on
    iterator = iter(walked(values))
    while True:
        try:
            with _asked_again(iterator, is_held, found, goes_on):
                value = next(iterator)
        except StopIteration:
            break
        found = join(found, computed(value if staging.is_symbolic(value) else bool(truth(value))))
        if found is not goes_on and not staging.is_symbolic(found):
            break
    return found


def _asked_again(iterator: Any, is_held: bool, found: Any, goes_on: bool
                 ) -> contextlib.AbstractContextManager[None]:
    if not staging.is_symbolic(found):
        return contextlib.nullcontext()
    if is_held or takes_of_held(iterator):
        raise held_elsewhere(here(), "call")
    return advanced_apart(iterator, found if goes_on else staging.logical_not(found), here(), "call")


def reversed_(values: Any) -> Any:
    """`reversed(values)`; of a list of the program or a tensor of unknown length, counted from its end."""
    found = sequence_of(values)
    if found is None:
        return reversed(values)
    items, last = found.counted(), found.counted().stop - 1
    return SymbolicSequence(0, items.stop, 1, lambda i: items.item_at(last - i))


OVERLOADS: dict[int, Callable[..., Any]] = {
    id(builtins.next): next_, id(builtins.type): type_, id(builtins.len): len_, id(builtins.abs): abs_,
    id(builtins.range): range_, id(builtins.int): int_, id(builtins.float): float_, id(builtins.bool): bool_,
    id(builtins.print): print_, id(builtins.enumerate): enumerate_, id(builtins.zip): zip_,
    id(builtins.isinstance): isinstance_, id(builtins.list): list_, id(builtins.max): max_, id(builtins.min): min_,
    id(builtins.str): str_, id(builtins.repr): repr_, id(builtins.format): format_, id(warnings.warn): warn_,
    id(builtins.any): any_, id(builtins.all): all_, id(builtins.sum): sum_, id(builtins.reversed): reversed_,
    id(rank): rank_, **AT_LEAST}
COUNTING = {id(builtins.any), id(builtins.all)}  # which count who holds an iterator: nobody calls them for others
