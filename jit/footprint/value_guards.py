"""Guards on the Python values that a function reads while it is traced: its Program holds only as long as they stay.

`if self.steps > 10` makes one Program of many: converted code tells here which attributes it reads; variables of
enclosing functions and globals are those that the code names. A counter (`self.steps += 1`) that nothing else reads is
no such value: each run counts. Knows Python values and Surroundings; runs nothing.
"""

from __future__ import annotations

import contextlib
import dis
import itertools
import operator
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Set
from contextvars import ContextVar
from types import CodeType, FunctionType, MappingProxyType, ModuleType
from typing import Any

import numpy as np

from ...dygraph.value import EagerValue
from ...nn import Layer
from ...optimizer.lr import LRScheduler
from ...static.ir.variable import Variable
from ..convert.ignoring import is_users_module
from ..errors import ConversionError
from .global_names import all_names
from .library_objects import LibraryGuard, LibraryState
from .library_values import WATCHED, WRAPPERS
from .locations import ABSENT, Change, Entry, Guard, Identity, Items, Keys, Location, entries_of, items_identity
from .mappings import CellVariable, Globals, ModuleAttributes
from .numbers_in_memory import as_written, memory_of
from .surroundings import Surroundings

_PLAIN = (bool, int, float, complex, str, bytes)
_CONTAINERS = (list, tuple, dict, set, frozenset, deque)
_NAMED = (*_PLAIN, *_CONTAINERS, *WATCHED, np.ndarray)
_DEPTH = 4  # objects in objects
Counted = list[tuple[Callable[[Any, Any], Any], Any]]


class EntryGuard(Guard):
    """An entry of a mapping that held a value when the function was traced."""

    __slots__ = ("mapping", "key", "value", "items")

    def __init__(self, entry: Entry, value: Any, items: list[Any] | None):
        super().__init__(entry)
        self.mapping, self.key, self.value = entry.mapping, entry.key, value
        self.items = items  # of a list of plain values: another list of these will do

    def holds(self) -> bool:
        """Whether the entry has an equal value."""
        now = self.mapping.get(self.key, ABSENT)
        if now is self.value or self.items is None:
            return now is self.value or _equal(self.value, now)
        return type(now) is list and len(now) == len(self.items) and all(map(_equal, self.items, now))


class ItemsGuard(Guard):
    """The items of a list or set, or the plain values in a dict."""

    __slots__ = ("container", "items")

    def __init__(self, location: Items, items: Any):
        super().__init__(location)
        self.container, self.items = location.container, items

    def holds(self) -> bool:
        """Whether the items are equal."""
        if isinstance(self.items, dict):
            return all(_equal(value, self.container.get(key, ABSENT)) for key, value in self.items.items())
        now = self.container
        return len(now) == len(self.items) and all(map(_equal, self.items, now))


class KeysGuard(Guard):
    """The keys of a dict, where the function has looked at all of them."""

    __slots__ = ("keys",)

    def __init__(self, location: Keys, keys: list[Any]):
        super().__init__(location)
        self.keys = keys

    def holds(self) -> bool:
        """Whether there are the same keys, in the same order."""
        return self.location.load() == self.keys


class WholeGuard(Guard):
    """All that a mapping holds: one that wraps a dict of the user's, or the environment."""

    __slots__ = ("mapping", "entries")

    def __init__(self, location: Location, mapping: Any, entries: dict[Any, Any]):
        super().__init__(location)
        self.mapping, self.entries = mapping, entries

    def holds(self) -> bool:
        """Whether there are the same keys, in their order, with equal values."""
        now = entries_of(self.mapping)
        return list(now) == list(self.entries) and all(map(_same, self.entries.values(), now.values()))


def _same(before: Any, now: Any) -> bool:
    """As `_equal`; what is no plain value is the business of others."""
    return _equal(before, now) or type(now) is type(before) and not isinstance(before, _PLAIN)


class ArrayGuard(Guard):
    """A NumPy array of the user's, which may be changed in place, or other numbers in memory."""

    __slots__ = ("array", "before")

    def __init__(self, location: Items, before: tuple[Any, ...]):
        super().__init__(location)
        self.array, self.before = location.container, before

    def holds(self) -> bool:
        """Whether the array has the same elements."""
        return as_written(self.array) == self.before


def _equal(before: Any, now: Any) -> bool:
    if now is before:
        return True
    if type(now) is not type(before):
        return isinstance(before, EagerValue) and isinstance(now, EagerValue)
    if isinstance(before, EagerValue):  # which one is read is the business of others
        return True
    if isinstance(before, tuple):
        return len(before) == len(now) and all(map(_equal, before, now))
    if isinstance(before, (float, complex)):
        return repr(before) == repr(now)  # a NaN is equal to itself, and 0.0 is not -0.0
    return isinstance(before, _PLAIN) and before == now


def _name_of(form: str) -> str:
    """What a mapping is called, by how its entries are."""
    return form.removesuffix("[{!r}]").removesuffix(".{}")


def _name_in(classes: tuple[type, ...], function: Any) -> str | None:
    """The name that a function has in one of these classes: its own, as a rule."""
    name = getattr(function, "__name__", "")
    if any(vars(each).get(name) is function for each in classes):
        return name
    return next((name for each in classes for name, value in vars(each).items() if value is function), None)


class Reads:
    """What one trace has read."""

    def __init__(self, surroundings: Surroundings, function: Any):
        self._surroundings = surroundings
        self._places: dict[Identity, EntryGuard] = {}
        self._counted: dict[Identity, Counted] = {}
        self._contents: dict[Identity, ItemsGuard | ArrayGuard | WholeGuard] = {}
        self._keys: dict[int, KeysGuard] = {}
        self._library: dict[int, LibraryGuard] = {}
        self._uses: dict[int, list[int]] = {}  # of lists: how often they were read as attributes, and appended to
        self.codes = {getattr(function, "__code__", None)}

    # Noting, while the function runs

    def enter(self, function: FunctionType, is_new: bool) -> None:
        """Notes what a function that is about to run can reach; `is_new`: converted code has made it."""
        if function.__code__ not in self.codes:
            self.codes.add(function.__code__)
            self._surroundings.reach(function, is_new)

    def method(self, owner: Any, function: Any) -> None:
        """Notes that a method was called: that the object has no function of its own under this name."""
        own = getattr(owner, "__dict__", None)
        if isinstance(owner, LRScheduler) and function.__name__ != "step":  # `get_lr` tells what follows from any of it
            for key, value in vars(owner).items():
                self._known(own, key, value)
        if isinstance(own, dict) and not isinstance(owner, (Layer, type)):
            name = _name_in(type(owner).__mro__, function)
            if name is not None:
                self._known(own, name, own.get(name, ABSENT))

    def name_of_iterator(self, iterator: Any) -> str | None:
        """What an iterator is called that was there before, other than as an argument; None for any other."""
        found = self._surroundings.iterators.get(id(iterator))
        return None if found is None else found[1]

    def was_there(self, value: Any) -> bool:
        """Whether an object was there before, or came with the arguments."""
        return self._surroundings.holds(value)

    def library_object(self, state: LibraryState, shown: str) -> LibraryGuard:
        """Notes what an object of the library holds, of which a method is called."""
        return self._library.setdefault(id(state.owner), LibraryGuard(state, shown))

    def appends(self, items: list) -> None:
        """Notes that something is about to be appended to a list."""
        self._uses.setdefault(id(items), [0, 0])[1] += 1

    def keys(self, mapping: dict) -> None:
        """Notes that all keys of a dict were looked at."""
        noted = self._surroundings.noted.get(id(mapping))
        if noted is not None:
            self._keys.setdefault(id(mapping), KeysGuard(Keys(mapping, _name_of(noted[0])), list(noted[1])))

    def key(self, mapping: dict, key: Any) -> None:
        """Notes that it was asked whether a dict has a key; what is there is the business of others."""
        noted = self._surroundings.noted.get(id(mapping))
        if noted is not None and key not in noted[1]:
            self._note(mapping, key, ABSENT, noted[0].format(key))

    def attribute(self, owner: Any, name: str, value: Any) -> None:
        """Notes that an attribute was read; ABSENT for one that is not there."""
        if isinstance(value, list):
            self._uses.setdefault(id(value), [0, 0])[0] += 1
        if isinstance(value, (Variable, Layer)):
            return
        if isinstance(owner, ModuleType):
            if is_users_module(owner) and isinstance(value, (*_PLAIN, *_CONTAINERS)):
                self._note(vars(owner), name, value, f"{owner.__name__}.{name}")
            return
        own = self._surroundings.of_object(owner, name)
        if isinstance(owner, type):
            self._of_classes(owner, name, value)
        elif own is not None:
            if self._known(own, name, own.get(name, ABSENT)) and name not in own:
                self._of_classes(type(owner), name, value)

    def attributes(self, owner: Any, around: tuple[Any, ...] = ()) -> None:
        """Notes that all attributes of an object were read, and of those that it holds; `around` are who hold it."""
        own = getattr(owner, "__dict__", None)
        if isinstance(own, dict) and not any(owner is each for each in around) and len(around) < _DEPTH:
            self.keys(own)
            for name, value in own.items():
                self.attribute(owner, name, value)
                if not isinstance(value, (Layer, EagerValue, ModuleType, FunctionType)):
                    self.attributes(value, (*around, owner))

    def _of_classes(self, kind: type, name: str, value: Any) -> None:
        for each in kind.__mro__:
            if name in vars(each):
                held = self._surroundings.of_class(each)
                if held is not None:
                    self._known(held, name, value)
                return

    def _known(self, mapping: Any, key: Any, value: Any) -> bool:
        """Notes an entry of a mapping that was there before, unless it has been given another value since."""
        noted = self._surroundings.noted.get(id(mapping))
        if noted is None:
            return False
        form, contents = noted
        before = contents.get(key, ABSENT)
        if _equal(before, value) or (id(mapping), key) in self._counted:
            self._note(mapping, key, before, form.format(key))
        for each in self._surroundings.repeated_keys(mapping):  # what it is now may follow from what these were
            self._note(mapping, each, contents[each], form.format(each))
        return True

    def counted(self, owner: Any, name: str, operation: Callable[[Any, Any], Any], operand: Any) -> bool:
        """Notes that a number has been added to an attribute, or the like; whether each run can do the same."""
        surroundings = self._surroundings
        own = surroundings.of_class(owner) if isinstance(owner, type) else surroundings.of_object(owner, name)
        if own is None or name not in own or id(own) not in self._surroundings.noted:
            return False
        self._counted.setdefault((id(own), name), []).append((operation, operand))
        return True

    def _note(self, mapping: Any, key: Any, value: Any, shown: str) -> None:
        entry = Entry(mapping, key, shown)
        if entry.identity not in self._places:
            items = self._surroundings.contents_of(value) if type(value) is list else None
            plain = items is not None and all(isinstance(item, _PLAIN) for item in items)
            self._places[entry.identity] = EntryGuard(entry, value, items if plain else None)
            self._watch(value, shown)

    def _watch(self, value: Any, shown: str) -> None:
        if not isinstance(value, _CONTAINERS) or items_identity(value) in self._contents:
            self._watch_other(value, shown)
            return
        items: Any = self._surroundings.contents_of(value)
        if items is None:
            return
        if isinstance(items, dict):
            items = {k: v for k, v in items.items() if v is None or isinstance(v, _PLAIN) or is_code(v)}
        self._contents[items_identity(value)] = ItemsGuard(Items(value, shown), items)
        for item in self._surroundings.contents_of(value).values() if isinstance(value, dict) else items:
            self._watch(item, shown)

    def _watch_other(self, value: Any, shown: str) -> None:
        """Watches what a value of Python's library holds."""
        if isinstance(value, ContextVar):
            held: Any = self._surroundings.of_variable(value)
            if held is not None:
                self._note(held, held.KEY, self._surroundings.contents_of(held).get(held.KEY, ABSENT), shown)
        elif isinstance(value, MappingProxyType) and items_identity(value) not in self._contents:
            self._contents[items_identity(value)] = WholeGuard(Items(value, shown), value, dict(value))
            for key, each in value.items():
                self._watch(each, f"{shown}[{key!r}]")
        elif isinstance(value, WRAPPERS):
            for name, each in vars(value).items():
                self._known(vars(value), name, each)
                for wrapped in each if isinstance(each, list) else [each]:
                    if isinstance(wrapped, dict):
                        self.keys(wrapped)
        elif (before := self._surroundings.numbers_before(value)) is not None:
            self._contents.setdefault(items_identity(value), ArrayGuard(Items(value, shown), before))

    # What has come of it

    def replays(self, entry: Entry, before: Any, now: Any) -> Counted | None:
        """The operations that make `now` of a counter, where nothing else has read it."""
        steps = self._counted.get(entry.identity)
        if steps is None or entry.identity in self._places or ABSENT in (before, now):
            return None
        for operation, operand in steps:
            before = operation(before, operand)
        return steps if type(before) is type(now) and before == now else None

    def only_grows(self, items: Any) -> bool:
        """Whether a list was appended to and nothing else has looked at it."""
        if not isinstance(items, list):
            return False
        read, appended = self._uses.get(id(items), (0, 0))
        before = self._surroundings.contents_of(items) or []
        held = [(m, key) for m, _, contents in self._surroundings.mappings for key, v in contents.items() if v is items]
        named = [k for m, k in held if isinstance(m, (CellVariable, Globals)) and not isinstance(m, ModuleAttributes)
                 and m.is_named_in(self.codes, k)]
        others = [m for m, _ in held if not isinstance(m, (CellVariable, Globals)) or isinstance(m, ModuleAttributes)]
        alone = read == appended if others else not read
        if not appended or len(items) != len(before) + appended or not all(map(_equal, before, items)):
            return False
        return alone and not (others and named) and all(
            _only_appends(code, name) for code in self.codes if code for name in named)

    def has_read(self, location: Location) -> bool:
        """Whether the value that a place had before the function ran was looked at."""
        return location.identity in self._places

    def is_watched(self, container: Any) -> bool:
        """Whether a run can rely on the contents of a list or set."""
        return items_identity(container) in self._contents

    def guards(self, changes: Iterable[Change]) -> list[Guard]:
        """All that must hold before a run which makes these changes."""
        free = {change.location.identity for change in changes if not change.is_guarded}
        for key in self._counted.keys() - free - self._places.keys():
            self._read_counter(key)
        self._note_named()
        for guard in self._contents.values():
            if isinstance(guard, ItemsGuard) and isinstance(guard.items, dict):
                guard.items = {k: v for k, v in guard.items.items() if (id(guard.container), k) not in free}
        contents = [guard for key, guard in self._contents.items() if key not in free and (
            not isinstance(guard, ItemsGuard) or guard.items or not isinstance(guard.items, dict))]
        if (environment := self._surroundings.environment) is not None:
            entries = self._surroundings.contents_of(environment)
            contents.append(WholeGuard(Items(environment, "os.environ"), environment, entries))
        places = [guard for key, guard in self._places.items() if key not in free]
        return [*places, *contents, *self._keys.values(), *self._library.values()]

    def check_library(self, where: str) -> None:
        """ConversionError where the function has changed what an object of the library holds, which is put back."""
        changed = [guard for guard in self._library.values() if not guard.holds()]
        for guard in changed:
            guard.put_back()
        if changed:
            raise ConversionError(
                where, f"it changes {changed[0].shown} that outlives the call, which no run of a Program would do.",
                "Change it outside of the function.")

    def _read_counter(self, key: tuple[int, Any]) -> None:
        for mapping, _, contents in self._surroundings.mappings:
            if id(mapping) == key[0]:
                self._known(mapping, key[1], contents.get(key[1], ABSENT))

    def names(self) -> Set[str]:
        """What the functions that have run name, attributes included."""
        return frozenset().union(*(all_names(code) for code in self.codes if code is not None))

    def _note_named(self) -> None:
        """Notes the variables that the code names, and functions in attributes, which are called by name."""
        names = self.names()
        of_layers = {id(layer.__dict__) for layer in self._surroundings.layers}
        for mapping, form, contents in self._surroundings.mappings:
            if isinstance(mapping, (CellVariable, Globals)):
                for key, value in contents.items():
                    is_value = value is None or isinstance(value, _NAMED) or memory_of(value) is not None
                    if is_code(value) or is_value and not isinstance(mapping, ModuleAttributes):
                        if mapping.is_named_in(self.codes, key):
                            self._note(mapping, key, value, form.format(key))
            elif form.endswith(".{}") and id(mapping) not in of_layers:
                for key in [key for key in contents if key in names and is_code(contents[key])]:
                    self._note(mapping, key, contents[key], form.format(key))


def is_code(value: Any) -> bool:
    """Whether a value is what a function may call, and neither a layer nor a class."""
    return callable(value) and not isinstance(value, (Layer, EagerValue, Variable, type))


# How the names of operations begin that may say a variable's name and not read it.
_NO_LOADS = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER", "LOAD_CONST", "LOAD_FAST", "LOAD_CLOSURE", "MAKE_CELL", "STORE_",
             "DELETE_", "IMPORT_", "KW_NAMES")


def _only_appends(code: CodeType, name: str) -> bool:
    """Whether code that names a list does nothing with it but append; an operation that is not known does more."""
    loads = [(i, behind) for i, behind in itertools.pairwise(dis.get_instructions(code))
             if i.argval == name and not i.opname.startswith(_NO_LOADS)]
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    return all(behind.argval == "append" for _, behind in loads) and all(_only_appends(c, name) for c in inner)


class _Current(threading.local):
    """What this thread's trace reads."""

    reads: Reads | None = None


_current = _Current()


@contextlib.contextmanager
def noting(reads: Reads) -> Iterator[None]:
    """Within the block, what converted code reads is noted."""
    old, _current.reads = _current.reads, reads
    try:
        yield
    finally:
        _current.reads = old


def current() -> Reads | None:
    """What notes the reads of the function that is being traced, if one is."""
    return _current.reads


OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+=": operator.iadd, "-=": operator.isub, "*=": operator.imul, "/=": operator.itruediv, "//=": operator.ifloordiv,
    "%=": operator.imod, "**=": operator.ipow, "@=": operator.imatmul, "&=": operator.iand, "|=": operator.ior,
    "^=": operator.ixor, "<<=": operator.ilshift, ">>=": operator.irshift}
