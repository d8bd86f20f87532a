"""What a staged branch or a loop's body changes in place: lists, dicts, sets, arrays of NumPy, made before it.

A branch is run while the program is built, whether it will be taken or not, and a loop's body once. What it does to a
list or dict of before becomes a part of the statement's state where it can (`Contents`); otherwise it is an error, for
Python would change the thing at once, whatever the tensor says. Does no staging.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...core import nest
from ..footprint.numbers_in_memory import as_written, can_be_written, numbers_in, write_numbers
from .containers import CHANGEABLE
from .partial import Partial, is_optional

CONTAINERS = (list, dict, set, deque, bytearray, np.ndarray)
_KINDS: dict[type, str] = {np.ndarray: "array"}
_EXAMPLES = {
    "list": "Make a new list and assign it (`{0} = {0} + [value]`)",
    "dict": "Make a new dict and assign it (`{0} = {{**{0}, key: value}}`)",
    "set": "Make a new set and assign it (`{0} = {0} | {{value}}`)",
    "deque": "Make it a list and assign a new one (`{0} = {0} + [value]`)",
    "bytearray": "Make new bytes and assign them (`{0} = {0} + value`)",
    "array": "Make it a tensor (`paddle.to_tensor({0})`)"}


class Watched:
    """Something that can change in place, with what it holds when this is made."""

    def __init__(self, container: Any, shown: str):
        self.container: Any = container
        self.shown = shown
        self._before: Any = container.copy() if isinstance(container, np.ndarray) else (
            _items(container) if isinstance(container, CONTAINERS) else (numbers_in(container), as_written(container)))

    def has_changed(self) -> bool:
        """Whether it holds anything else now."""
        if isinstance(self.container, np.ndarray):
            return not _are_equal(self.container, self._before)
        if not isinstance(self.container, CONTAINERS):
            return as_written(self.container) != self._before[1]
        now = _items(self.container)
        return len(now) != len(self._before) or any(a is not b for a, b in zip(now, self._before, strict=True))

    def put_back(self) -> None:
        """Makes it hold again what it held."""
        container, items = self.container, self._before
        if isinstance(container, np.ndarray):
            container[...] = items
        elif not isinstance(container, CONTAINERS):
            write_numbers(container, items[0])
        elif isinstance(container, dict):
            kind: Any = OrderedDict if isinstance(container, OrderedDict) else dict
            kind.clear(container)
            for key, value in zip(items[::2], items[1::2], strict=True):
                kind.__setitem__(container, key, value)
        elif isinstance(container, (list, bytearray)):
            type_of = list if isinstance(container, list) else bytearray
            type_of.__setitem__(container, slice(None), items)  # type: ignore[index]
        else:
            container.clear()  # type: ignore[union-attr]
            (container.extend if isinstance(container, deque) else container.update)(items)  # type: ignore[union-attr]


def _items(container: Any) -> list[Any]:
    if isinstance(container, dict):
        return [part for item in dict.items(container) for part in item]
    return list(list.__iter__(container) if isinstance(container, list) else container)


def _are_equal(a: np.ndarray, b: np.ndarray) -> bool:
    if a.dtype.hasobject:
        return all(x is y for x, y in zip(a.flat, b.flat, strict=True))
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


class Contents:
    """A list or dict that a statement changes in place, as one more variable of its state, always this object."""

    def __init__(self, container: Any, shown: str, where: str, statement: str):
        self.container, self.name, self.key = container, shown, id(container)
        self._where, self._statement = where, statement
        self._partial = set(map(id, _partials(container)))

    def load(self) -> Any:
        """The object."""
        return self.container

    def store(self, value: Any) -> None:
        """TypeError unless the object can be what the statement leaves: values of it may be None on some ways."""
        new = (each for each in _partials(value) if id(each) not in self._partial)
        if value is not self.container or not all(map(is_optional, new)):
            raise self.refusal()

    def refusal(self) -> TypeError:
        """The error where it cannot be the statement's state."""
        return refusal(self.container, self.name, self._where, self._statement)

    @property
    def held_name(self) -> NameOfContents:
        """Its name among those of values that somebody else may hold."""
        name = NameOfContents(self.name)
        name.contents = self
        return name


class NameOfContents(str):
    """What the user's code calls such a list or dict, and the error where it cannot be the statement's state."""

    __slots__ = ("contents",)
    contents: Contents

    def refusal(self) -> TypeError:
        """That error."""
        return self.contents.refusal()


def can_change(container: Any) -> bool:
    """Whether anybody may write into it: not into a read-only array, as one of a file that is mapped for reading."""
    if isinstance(container, CONTAINERS):
        return not isinstance(container, np.ndarray) or container.flags.writeable
    return can_be_written(container) and numbers_in(container) is not None


def can_be_state(container: Any) -> bool:
    """Whether what is in it can be a part of a statement's state."""
    return type(container) in CHANGEABLE


def refusal(container: Any, shown: str, where: str, statement: str) -> TypeError:
    """The error where a statement changes something in place that cannot be its state."""
    base: type = next((kind for kind in CONTAINERS if isinstance(container, kind)), np.ndarray)
    kind = _KINDS.get(base, base.__name__)
    return TypeError(
        f"{where}: a tensor decides about this {statement}, and the {kind} `{shown}` is changed in place inside it. "
        f"While the program is built, that would happen once, whatever the tensor says. {_EXAMPLES[kind].format(shown)}"
        f"{', or decide' if kind == 'array' else ', write into a tensor made before, or decide'} on a Python value.")


def _partials(value: Any) -> Iterator[Any]:
    return (leaf for leaf in nest.leaves(value) if type(leaf) is Partial)
