"""What objects of Python's library, or of an installed package, hold: queues, parsers, buffers of text, files.

Their methods are not converted, so that nothing tells what these read and change. What such an object holds is noted
before a method of it is called: a Program holds as long as that stays. Knows Python values alone.
"""

from __future__ import annotations

import copyreg
import random
import re
import struct
import sys
import threading
from collections import deque
from contextvars import ContextVar
from io import IOBase
from types import BuiltinFunctionType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any

from ...dygraph.value import EagerValue
from ...nn import Layer
from ...static.ir.variable import Variable
from ..convert.ignoring import is_foreign, is_ignored_module
from .library_values import WATCHED, tells_environment
from .locations import Guard, Location, attributes_in_slots
from .numbers_in_memory import memory_of

_MOST = 2_000  # objects that are looked at
_SEQUENCES = (list, set, deque)
_PLAIN = (str, bytes, int, float, complex, bool, type(None))
_LOCKS: tuple[type, ...] = (type(threading.Lock()), type(threading.RLock()))
_SAME: tuple[Any, ...] = (  # whose methods change nothing, or are the business of others
    *_PLAIN, type, ModuleType, FunctionType, BuiltinFunctionType, MethodType, EagerValue, Layer, Variable, re.Match,
    struct.Struct, range, slice)
_OF_OTHERS: tuple[Any, ...] = (*_SAME, *_LOCKS, *WATCHED, *_SEQUENCES, dict, tuple, frozenset, MappingProxyType,
                               ContextVar, threading.local)
_WRITING = frozenset(("write", "writelines", "flush", "fileno", "isatty"))  # as `print`, while the Program is built


class LibraryState:
    """What an object holds, and what it holds in that; `is_told`: that the object tells all of it."""

    def __init__(self, owner: Any):
        self._sequences: list[tuple[Any, list[Any]]] = []
        self._mappings: list[tuple[dict, dict[Any, Any]]] = []
        self._slots: list[tuple[Any, dict[str, Any]]] = []
        self._states: list[tuple[Any, Any]] = []
        self.is_told = True
        self.owner = owner
        seen: dict[int, Any] = {}
        pending = [owner]
        while pending and self.is_told:
            value = pending.pop()
            if id(value) not in seen and not isinstance(value, _SAME):
                seen[id(value)] = value
                pending.extend(self._note(value))
                self.is_told &= len(seen) < _MOST

    def _note(self, value: Any) -> list[Any]:
        """Notes what one object holds; what is to be looked at next."""
        if isinstance(value, _SEQUENCES):
            self._sequences.append((value, list(value)))
            return list(value)
        if isinstance(value, dict):
            self._mappings.append((value, dict(dict.items(value))))
            return list(dict.values(value))
        if isinstance(value, (tuple, frozenset)):
            return list(value)
        kind: Any = type(value)
        if _tells_state(kind):
            self._states.append((value, value.__getstate__()))
            return []
        if _is_by_value(kind):
            return []
        slots = attributes_in_slots(value)
        if slots:
            self._slots.append((value, slots))
        attributes = getattr(value, "__dict__", None)
        if not isinstance(attributes, dict):
            self.is_told &= bool(slots) or _can_be_copied(value)
            return list(slots.values())
        return [attributes, *slots.values()]

    @property
    def can_change(self) -> bool:
        """Whether there is anything that may become another."""
        return bool(self._sequences or self._mappings or self._slots or self._states)

    def has_changed(self) -> bool:
        """Whether it holds anything else now."""
        return not (all(_are_alike(list(sequence), items) for sequence, items in self._sequences)
                    and all(list(mapping) == list(held) and _are_alike(mapping.values(), held.values())
                            for mapping, held in self._mappings)
                    and all(_are_alike(attributes_in_slots(value).values(), held.values())
                            for value, held in self._slots)
                    and all(value.__getstate__() == state for value, state in self._states))

    def put_back(self) -> None:
        """Makes it hold what it held."""
        for sequence, items in self._sequences:
            sequence.clear()
            sequence.update(items) if isinstance(sequence, set) else sequence.extend(items)
        for mapping, held in self._mappings:
            mapping.clear()
            mapping.update(held)
        for value, slots in self._slots:
            for name, each in slots.items():
                setattr(value, name, each)
        for value, state in self._states:
            value.__setstate__(state)


def _are_alike(now: Any, before: Any) -> bool:
    return len(now) == len(before) and all(map(_is_alike, now, before))


def _is_alike(now: Any, before: Any) -> bool:
    return now is before or type(now) is type(before) and isinstance(now, _PLAIN) and repr(now) == repr(before)


def _tells_state(kind: Any) -> bool:
    """Whether objects of a class that is written in C give and take what they hold, as `io.StringIO` does."""
    gives = getattr(kind, "__getstate__", None)
    return hasattr(kind, "__setstate__") and not isinstance(gives, FunctionType) and (
        gives not in (None, getattr(object, "__getstate__", None)))


def _is_by_value(kind: Any) -> bool:
    """Whether objects of the library are copied by what they are made of: dates, paths, loggers by their name."""
    own = kind.__reduce__ is not object.__reduce__ or kind.__reduce_ex__ is not object.__reduce_ex__
    return kind in copyreg.dispatch_table or own and is_of_library(kind)


def _can_be_copied(value: Any) -> bool:
    """Whether an object without attributes is nothing but what it is copied by; a lock, a file or a cursor is not."""
    try:
        value.__reduce_ex__(2)
    except TypeError:
        return False
    return True


class LibraryGuard(Guard):
    """What an object of the library held."""

    __slots__ = ("_state",)

    def __init__(self, state: LibraryState, shown: str):
        super().__init__(Location(shown, (id(state.owner), LibraryState)))
        self._state = state

    def holds(self) -> bool:
        """Whether it holds the same."""
        return not self._state.has_changed()

    def put_back(self) -> None:
        """Makes it hold that."""
        self._state.put_back()


def is_of_library(kind: type) -> bool:
    """Whether a class is of Python's own library."""
    return kind.__module__.partition(".")[0] in sys.stdlib_module_names


def of_library(owner: Any, name: str) -> type | None:
    """The class of the library, or of an installed package, that a method of an object is of; None for other methods.

    None too for what can hold nothing else, or is watched otherwise: containers, numbers in memory, Layers.
    """
    if isinstance(owner, _OF_OTHERS) or tells_environment(owner) or memory_of(owner) is not None:
        return None
    base: type = next((kind for kind in type(owner).__mro__ if name in vars(kind)), object)
    writes = isinstance(owner, IOBase) and not hasattr(owner, "getvalue") and name in _WRITING
    if writes or base is object or issubclass(base, random.Random) or is_ignored_module(base.__module__):
        return None
    function = vars(base)[name]
    return base if is_of_library(base) or isinstance(function, FunctionType) and is_foreign(function) else None
