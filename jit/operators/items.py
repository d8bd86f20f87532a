"""Items in converted code, `a[i]`, `a[i] = x` and `a[i] += x`: of a Python list by an index that the program knows.

An index that a tensor decides chooses among the items when the program runs; every other one is Python's.
"""

from __future__ import annotations

from typing import Any

from ..errors import ConversionError, here
from . import identity, program_lists, staging
from .library_calls import noted
from .partial import load, note_key
from .retracing import example_of
from .special import items_of, operate_in_place
from .values import is_staged


def item(value: Any, index: Any) -> Any:
    """`value[index]`; of a Python list of tensors or numbers by a symbolic index, read when the program runs."""
    if type(value) in (list, tuple) and staging.is_symbolic(index) and value and all(map(is_staged, value)):
        tensors = [v for v in value if staging.is_tensor(v)]
        found = listed(program_lists.new_list(list(value), example_of((tensors or value)[0])), index)
        for each in tensors:
            identity.note_shows(found, each, "an item of a list that a tensor chose")
        return found
    if staging.is_list(value) and not isinstance(index, slice):
        return listed(value, index)
    _check_kind(index)
    if isinstance(value, dict):  # whose class may know what to give for a key that is not there
        note_key(value, index)
    noted(value, "__getitem__")
    return load(items_of(value)[index])


def _check_kind(index: Any) -> None:
    """ConversionError for an index that is a truth value on some ways, which masks, and a number on others."""
    at = staging.mixed_at(index)
    if at is not None:
        raise ConversionError(
            here(), "an index is a truth value on some ways and a number on others, and a tensor decides that (at "
            f"{at}): a truth value adds a dimension, a number takes one away.", "Make it a number: `int(a)`.")


def listed(items: Any, index: Any) -> Any:
    """The item of a list of the program, which is a copy: what is done to it in place would be lost."""
    found = items[index]
    identity.note_lost(found)
    return found


def set_item(new: Any, value: Any, index: Any) -> None:
    """`value[index] = new`; by a symbolic index each item of a Python list is, from here on, itself or the new one."""
    if type(value) is list and staging.is_symbolic(index) and value:
        _check_alike([*value, new])
        value[:] = program_lists.with_item(value, index, new, here())
    else:
        noted(value, "__setitem__")
        items_of(value)[index] = new


class begun_item:
    """`value[index] += …`, whose operand is yet to be computed."""

    __slots__ = ("value", "index", "item")

    def __init__(self, value: Any, index: Any):
        self.value, self.index, self.item = value, index, item(value, index)


def augment_item(begun: begun_item, symbol: str, operand: Any) -> None:
    """Gives the item what its value and the operand come to."""
    set_item(operate_in_place(begun.item, symbol, operand), begun.value, begun.index)


def _check_alike(items: list[Any]) -> None:
    """TypeError unless any of the items may stand in the place of any other."""
    tensors = [v for v in items if staging.is_tensor(v)]
    alike = all(v.dtype == tensors[0].dtype and _agree(v.shape, tensors[0].shape) for v in tensors)
    meets_numbers = len(tensors) in (0, len(items)) or not len(tensors[0].shape)
    if not (all(map(is_staged, items)) and alike and meets_numbers):
        raise TypeError(_refusal([f"{v.dtype.name}{list(v.shape)}" if staging.is_tensor(v) else repr(v)
                                  for v in items]))


def _agree(a: Any, b: Any) -> bool:
    return len(a) == len(b) and all(m == n or -1 in (m, n) for m, n in zip(a, b, strict=True))


def _refusal(received: list[str]) -> str:
    return (f"{here()}: `a[i] = x`, with an index that a tensor decides, may put x in any place of the list: its items "
            f"and x must be tensors of one shape and dtype, or numbers. Received items {', '.join(received[:-1])} and "
            f"x: {received[-1]}. Convert them, or make the list a tensor: paddle.stack(a).")
