"""Lists of the program whose items are tuples, lists or dicts of tensors: a list for each part of an item.

An item is put together when it is read, so that a list or dict in it is another object than the one that was put there.
Changing either in place would be lost: that is an error (`check_items`). What is neither tensor nor number must be the
same in every item. Knows nested structures and lists of the program; does no staging.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core import nest
from ...core.errors import user_line
from ...ops.core.trace import current_trace
from ..ir.variable import Variable


def replace_items(items: Any, index: slice, new: Any) -> None:
    """`items[:] = new` for a list of the Program; TypeError for other slices, whose length is not known."""
    if index != slice(None):
        raise TypeError(
            f"{user_line()}: how many items this list has is known only when the program runs: only all of them can be "
            "replaced, `a[:] = b`, or one, `a[i] = x`. Make the list anew, `a = a[:i] + b + a[j:]`. Received "
            f"{index}.")
    new = list(new) if isinstance(new, (list, tuple)) else new.copy() if hasattr(new, "copy") else new
    items.clear()
    items.extend(new)


class RecordList:
    """A list of items like `example`, whose staged leaves are in `columns`, in their order.

    Reads and writes are Python's, as far as those of a list of tensors are.
    """

    def __init__(self, example: Any, columns: list, is_staged: Callable[[Any], bool]):
        self.example, self.columns, self._is_staged = example, columns, is_staged

    def _like(self, columns: list) -> RecordList:
        return RecordList(self.example, columns, self._is_staged)

    def __len__(self) -> int:
        raise TypeError(f"{user_line()}: the length of this list is known only when the program runs: ask for it "
                        "with len(list) in converted code.")

    def __iter__(self) -> Any:
        raise TypeError(
            f"{user_line()}: how many items this list has is known only when the program runs. Loop over it with a "
            "`for` statement, or take its parts into lists of their own: `[key for key, value in items]`.")

    def __bool__(self) -> bool:
        return bool(len(self))

    def length(self) -> Any:
        """The number of items, an int64 scalar."""
        return self.columns[0].length()

    def __getitem__(self, index: Any) -> Any:
        columns = [column[index] for column in self.columns]
        return self._like(columns) if isinstance(index, slice) else self._item(columns)

    def _item(self, leaves: list) -> Any:
        given = iter(leaves)
        item = nest.map_structure(lambda like: next(given) if self._is_staged(like) else like, self.example)
        _watch(item)
        return item

    def _parts(self, item: Any) -> list:
        """The staged leaves of a new item; TypeError where it is of another kind than the others."""
        if not fits(item, self.example, self._is_staged):
            raise TypeError(
                f"{user_line()}: the items of a list that grows where a tensor decides have one nesting, and what is "
                f"no tensor is the same in all of them. They are like {shown(self.example)}. Received {shown(item)}. "
                "Keep a list for each kind of item.")
        _watch(item)
        return [leaf for leaf, like in zip(nest.leaves(item), nest.leaves(self.example), strict=True)
                if self._is_staged(like)]

    def __setitem__(self, index: Any, item: Any) -> None:
        if isinstance(index, slice):
            return replace_items(self, index, item)
        for column, leaf in zip(self.columns, self._parts(item), strict=True):
            column[index] = leaf

    def __delitem__(self, index: Any) -> None:
        for column in self.columns:
            del column[index]

    def append(self, item: Any) -> None:
        """Puts an item behind the last one."""
        for column, leaf in zip(self.columns, self._parts(item), strict=True):
            column.append(leaf)

    def extend(self, items: Any) -> None:
        """Appends the items of a Python list, or of another list of the program."""
        if isinstance(items, RecordList):
            self._check_columns(items)
            for column, other in zip(self.columns, items.columns, strict=True):
                column.extend(other)
            return
        for item in items:
            self.append(item)

    def pop(self, index: Any = -1) -> Any:
        """Takes an item out, the last one by default."""
        return self._item([column.pop(index) for column in self.columns])

    def insert(self, index: Any, item: Any) -> None:
        """Puts an item before the one at an index."""
        for column, leaf in zip(self.columns, self._parts(item), strict=True):
            column.insert(index, leaf)

    def reverse(self) -> None:
        """Turns the order of the items round."""
        for column in self.columns:
            column.reverse()

    def clear(self) -> None:
        """Takes all items out."""
        for column in self.columns:
            column.clear()

    def copy(self) -> RecordList:
        """Another list with the same items."""
        return self._like([column.copy() for column in self.columns])

    def __add__(self, other: Any) -> RecordList:
        result = self.copy()
        result.extend(other)
        return result

    def __radd__(self, other: Any) -> RecordList:
        result = self.copy()
        result.clear()
        result.extend(other)
        result.extend(self)
        return result

    def __iadd__(self, other: Any) -> RecordList:
        self.extend(other)
        return self

    def assign(self, other: Any) -> None:
        """Gives this list the items of another."""
        self._check_columns(other)
        for column, new in zip(self.columns, other.columns, strict=True):
            column.assign(new)

    def _check_columns(self, other: Any) -> None:
        if not isinstance(other, RecordList):
            raise TypeError(f"{user_line()}: a list whose items are like {shown(self.example)} takes none of a list "
                            "of tensors. Keep a list for each kind of item.")
        self._parts(other.example)


def _watch(item: Any) -> None:
    """Notes what the lists and dicts in an item hold."""
    if isinstance(item, (list, dict)):
        note_item(item, f"{user_line()}: this {_kind(item)} is an item of a list that grows where a tensor decides, "
                  "and is changed in place after it was put in or taken out. The list of the program holds its "
                  f"tensors, and would not change. Put another {_kind(item)} in its place: `items[i] = …`.")
    for _, part in nest.parts(item) if isinstance(item, (list, tuple, dict)) else ():
        _watch(part)


def _contents(item: Any) -> list:
    return [*item, *item.values()] if isinstance(item, dict) else list(item)


def note_item(item: Any, said: str) -> None:
    """Notes that a list or dict must not be changed in place from here on, with what is said where it is."""
    current_trace().main.items_held.append((item, _contents(item), said))


def _kind(item: Any) -> str:
    return "dict" if isinstance(item, dict) else "list"


def check_items(program: Any) -> None:
    """TypeError where a list, a dict or a tensor that a list of the Program has as an item was changed in place."""
    held, program.items_held = program.items_held, []
    for item, before, said in held:
        if isinstance(item, Variable):
            if item.changes != before:
                raise TypeError(said)
            continue
        now = _contents(item)
        if len(now) != len(before) or any(a is not b for a, b in zip(now, before, strict=True)):
            raise TypeError(said)


def fits(item: Any, example: Any, is_staged: Callable[[Any], bool]) -> bool:
    """Whether an item is nested like an example, with staged leaves in the same places and otherwise the same ones."""
    if isinstance(example, dict):
        return (type(item) is type(example) and item.keys() == example.keys()
                and all(fits(item[key], example[key], is_staged) for key in example))
    if isinstance(example, (list, tuple)):
        return (type(item) is type(example) and len(item) == len(example)
                and all(fits(a, b, is_staged) for a, b in zip(item, example, strict=True)))
    if is_staged(example):
        return is_staged(item)
    return item is example or not is_staged(item) and type(item) is type(example) and bool(item == example)


def shown(item: Any) -> str:
    """How an item is nested, for errors."""
    if isinstance(item, dict):
        return "{" + ", ".join(f"{key!r}: {shown(part)}" for key, part in item.items()) + "}"
    if isinstance(item, (list, tuple)):
        inner = ", ".join(map(shown, item))
        return f"[{inner}]" if isinstance(item, list) else f"({inner})"
    return f"tensor{list(item.shape)}" if hasattr(item, "shape") else f"{item!r:.40}"
