"""Lists and dicts in the state of a staged branch or turn: which objects they are, whoever else holds them.

A branch, and a turn of a loop, works on the objects themselves, so that all names for one show what is done to it;
behind it they hold again what they held before, and behind the whole statement what the statement makes of them.
Knows nested structures; does no staging.
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict, defaultdict
from collections.abc import Iterator
from typing import Any

from ...core import nest
from . import program_lists, staging
from .partial import Partial

DICTS = (dict, OrderedDict, defaultdict)
CHANGEABLE = (list, *DICTS)
_COPIED = (tuple, *CHANGEABLE)


def copied(value: Any) -> Any:
    """A value with the lists and dicts in it copied."""
    return nest.map_structure(lambda leaf: leaf, value) if type(value) in _COPIED else value


def lists_kept(before: Any, after: Any) -> Any:
    """What a branch or a turn leaves, a list of the program that it held before holding what the new one has."""
    if staging.is_list(before) and staging.is_list(after):
        program_lists.keep_list(before, after)
        return before
    if type(before) in DICTS and type(after) is type(before):
        for key in before.keys() & after.keys():
            after[key] = lists_kept(before[key], after[key])
    return after


class Objects:
    """The lists, tuples and dicts that a value consists of: the outermost one, and those of each part."""

    __slots__ = ("outer", "parts")

    def __init__(self, value: Any):
        self.outer = value
        self.parts = {key: Objects(part) for key, part in nest.parts(value) if type(part) in _COPIED}


def objects(value: Any) -> Objects | None:
    """The Objects of a value; None if it is no list, tuple or dict."""
    return Objects(value) if type(value) in _COPIED else None


def places(found: Any) -> dict[tuple, Any]:
    """The lists and dicts in the Objects of a state, by place: the variable's number, indices and keys."""
    held: dict[tuple, Any] = {}

    def walk(each: Objects | None, path: tuple) -> None:
        if each is not None:
            if type(each.outer) in CHANGEABLE:
                held[path] = each.outer
            for key, part in each.parts.items():
                walk(part, (*path, key))

    for i, each in enumerate(found):
        walk(each, (i,))
    return held


class Held:
    """The lists and dicts in a state, with what they hold when this is made."""

    def __init__(self, state: tuple):
        self.found = tuple(map(objects, state))
        self.places = places(self.found)
        self._contents = {id(each): (each, content_of(each)) for each in self.places.values()}
        self.several: list[tuple[tuple, Any]] = []  # what `settled` found to be one of several, by place
        self.changed: set[tuple] = set()  # the places of those that some way changes in place
        self._settled: set[int] = set()  # by id, those that the last `settled` has given what they hold

    def note_changed(self) -> None:
        """Takes down which of them a way has changed in place."""
        self.changed |= {path for path, each in self.places.items() if not holds(each, self._contents[id(each)][1])}

    def lost(self) -> list[tuple]:
        """The places of those that a way has changed, and that the statement makes nothing of."""
        return sorted((path for path in self.changed if id(self.places[path]) not in self._settled), key=str)

    def restore(self) -> None:
        """Gives each what it held."""
        for each, content in self._contents.values():
            if not holds(each, content):
                _pour(each, content)

    @contextlib.contextmanager
    def restored(self) -> Iterator[None]:
        """Within the block what they hold may change; behind it they hold again what they held, also when it raises."""
        try:
            yield
        finally:
            self.restore()

    def settled(self, left: list[tuple], values: Any, entered: dict[tuple, Any] | None = None,
                apart: frozenset[tuple] = frozenset()) -> tuple:
        """The values of the variables, in the lists and dicts of these that every way leaves in their place.

        `left`: the Objects of the variables behind each way. What is one object on every way is one object. `entered`:
        the lists and dicts that a turn found where these had been, where turns work on others. `apart`: the places
        where the values stay in lists and dicts of their own.
        """
        made: dict[tuple, Any] = {}
        self._settled = set()

        def settle(found: list[Objects | None], value: Any, path: tuple) -> Any:
            ways = [each for each in found if each is not None]
            if type(value) is Partial:
                found_apart(ways, value._content, path)
            if len(ways) < len(found) or any(type(each.outer) is not type(value) for each in ways):
                return value
            key = (*(id(each.outer) for each in ways), *(path if path in apart else ()))
            if key not in made:
                made[key] = value if type(value) is tuple or path in apart else original(ways, value, path)
                if made[key] is value and path not in apart and (len(set(key)) > 1 or entered is not None):
                    found_several(ways, value, path)
                parts = value.items() if type(value) in DICTS else enumerate(value)
                content = {k: settle([each.parts.get(k) for each in ways], part, (*path, k)) for k, part in parts}
                if type(value) is not tuple:
                    self._settled.add(id(made[key]))
                    _pour(made[key], content if type(value) in DICTS else list(content.values()))
                elif any(a is not b for a, b in zip(value, content.values(), strict=True)):
                    made[key] = tuple(content.values())
            return made[key]

        def original(ways: list[Objects], value: Any, path: tuple) -> Any:
            outer = ways[0].outer
            if entered is not None:
                return self.places[path] if entered.get(path) is outer else value
            return outer if id(outer) in self._contents and all(each.outer is outer for each in ways) else value

        def found_several(ways: list[Objects], value: Any, path: tuple) -> None:
            of_before = self.places.get(path) if entered is not None else None
            those = [value, *(each.outer for each in ways), *([] if of_before is None else [of_before])]
            self.several += [(path, each) for each in those if type(each) in CHANGEABLE]

        def found_apart(ways: list[Objects], value: Any, path: tuple) -> None:
            """What only some ways leave there, and others may hold too, is a copy of that."""
            if type(value) in _COPIED:
                found_several(ways, value, path)
                for k, part in nest.parts(value):
                    found_apart([each.parts[k] for each in ways if k in each.parts], part, (*path, k))

        every = enumerate(zip(*left, values, strict=True))
        return tuple(settle(list(found), value, (i,)) for i, (*found, value) in every)


def note_several(held: Held, names: tuple[str, ...], may_be_held: frozenset[str], where: str) -> None:
    """Notes what must not change later, for somebody else may hold it: see `Held.several`."""
    for path, each in held.several:
        name = names[path[0]]
        if len(path) > 1 or name in may_be_held or staging.is_held(each):
            staging.note_several(each, "".join((f"`{name}", *(f"[{key!r}]" for key in path[1:]), "`")), where)


def content_of(container: Any) -> Any:
    """What a list or dict holds."""
    return dict(container) if type(container) in DICTS else list(container)


def holds(container: Any, content: Any) -> bool:
    """Whether a list or dict holds the very objects that it held when `content` was taken."""
    if type(container) is list:
        return len(container) == len(content) and all(a is b for a, b in zip(container, content, strict=True))
    return list(container) == list(content) and all(container[key] is content[key] for key in content)


def _pour(container: Any, content: Any) -> None:
    if type(container) is list:
        container[:] = content
    else:
        container.clear()
        container.update(content)
