"""State that functions change which a staged statement calls: attributes, globals, variables of enclosing functions.

`self.reset()` in a branch sets attributes that the branch does not name. They are found by looking at what is within
reach before a statement is traced and behind it, and become variables of the statement, which is then traced again. So
do lists and dicts that change in place; what else does is an error. Knows what functions name and close over; does no
staging.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from functools import partial
from operator import length_hint
from types import BuiltinMethodType, CodeType, FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any

from ...nn import Layer
from ..convert.ignoring import is_foreign, is_ignored_module
from ..errors import ConversionError, here
from ..footprint.library_values import WRAPPERS, ContextValue, Environment, asks_environment
from ..footprint.locations import ABSENT, attributes_in_slots
from ..footprint.numbers_in_memory import memory_of
from ..footprint.value_guards import current
from . import staging
from .containers import Held
from .retracing import Retrace, Several
from .spaces import Attributes, Cells, Enclosing, Globals, HeldByLibrary, Place, Space
from .undefined import Undefined
from .values import same, staged_leaves
from .watching import CONTAINERS, Contents, Watched, can_be_state, can_change, refusal

_DEPTH = 4  # functions that call functions, objects in objects
_MOST_TIMES = 20
_MOST = 4_000  # spaces that are looked at
_VALUES = (str, bytes, int, float, complex, type(None))


class ChangedOutside(Exception):
    """Raised while a statement is traced: functions that it calls change these places."""

    def __init__(self, places: list[Place | Contents]):
        super().__init__(places)
        self.places = places

    def check_ends(self, names: tuple[str, ...], where: str, statement: str) -> None:
        """TypeError where such a place has been made a variable of the statement again and again, and still changes."""
        name = self.places[0].name
        if names.count(name) > _MOST_TIMES:
            raise TypeError(
                f"{where}: a tensor decides about this {statement}, and to give `{name}` the value that it had before "
                "changes it. Let setting an attribute do nothing but that.")

    @property
    def held(self) -> tuple[str, ...]:
        """The names of those that are lists or dicts, which somebody else holds."""
        return tuple(place.held_name for place in self.places if isinstance(place, Contents))

    def extended(self, get_state: Callable[[], tuple], set_state: Callable[[tuple], Any], names: tuple[str, ...]
                 ) -> tuple[Callable[[], tuple], Callable[[tuple], Any], tuple[str, ...]]:
        """The state of the statement, with these places before it."""
        places = self.places

        def get() -> tuple:
            return (*(place.load() for place in places), *get_state())

        def set_(values: tuple) -> None:
            for place, value in zip(places, values, strict=False):
                place.store(value)
            set_state(values[len(places):])

        return get, set_, (*(place.name for place in places), *names)


class Outside:
    """What is within reach of branches, as it is now; `where` and `statement` are for errors."""

    def __init__(self, where: str, statement: str, *branches: Any):
        walk = _Walk(branches)
        self._where, self._statement = where, statement
        self._before = [(space, space.entries()) for space in walk.spaces]
        self._contents = [Watched(container, shown) for container, shown in walk.containers if can_change(container)]
        self.iterators = {id(each): (each, shown) for each, shown in walk.iterators}
        self._stood = [(each, shown, _stands(each)) for each, shown in walk.iterators]
        self._noted: dict[Any, Place | Contents] = {}  # what a branch has changed, which the next one may change back

    def changed(self) -> list[Place | Contents]:
        """The places that hold other values now; each is given back what it held.

        TypeError where something has changed in place that cannot be a variable of the statement.
        """
        found: list[Place | Contents] = []
        for space, before in self._before:
            now = space.entries()
            for key in {**before, **now}:
                old, new = before.get(key, ABSENT), now.get(key, ABSENT)
                if old is not new:
                    if _is_filled_once(old, new):
                        continue
                    if not same(old, new):
                        found.append(Place(space, key, old))
                    space.store(key, old)
        changed = [each for each in self._contents if each.has_changed()]
        for each in changed:
            each.put_back()
        for each in changed:
            if not can_be_state(each.container):
                raise refusal(each.container, each.shown, self._where, self._statement)
        for iterator, shown, stood in self._stood:
            if _stands(iterator) != stood:  # `tuple(i)`, `a, b = i`: nobody asked before
                raise self.refuse_advance(shown)
        return found + [Contents(each.container, each.shown, self._where, self._statement) for each in changed]

    def note_branch(self) -> None:
        """Takes down, and puts back, what the branch just traced has changed; the state was put back before."""
        for place in self.changed():
            self._noted[place.key] = place

    def _every_change(self) -> list[Place | Contents]:
        self.note_branch()
        return list(self._noted.values())

    @contextlib.contextmanager
    def watched(self, restore: Callable[[], Any] | None = None) -> Iterator[Outside]:
        """Within the block a statement is traced; ChangedOutside where functions changed what the state has not.

        `restore` puts the state back.
        """
        restore = restore or (lambda: None)
        try:
            with self._refusing_iterators():
                yield self
        except (Retrace, Several, ChangedOutside):
            restore()
            self.changed()
            raise
        except Exception as error:
            restore()
            if places := self._every_change():
                raise ChangedOutside(places) from error
            raise
        restore()
        if places := self._every_change():
            raise ChangedOutside(places)

    @contextlib.contextmanager
    def _refusing_iterators(self) -> Iterator[None]:
        _tracing.statements.append(self)
        try:
            yield
        finally:
            _tracing.statements.remove(self)

    def refuse_advance(self, shown: str) -> TypeError:
        """The error where an iterator of before gives its next item, which it would give once."""
        return TypeError(
            f"{self._where}: a tensor decides about this {self._statement}, and the next item is taken of the iterator "
            f"`{shown}` inside it. While the program is built, that would happen once, whatever the tensor says. Make "
            "it a list before, or decide on a Python value.")


def _stands(iterator: Any) -> Any:
    """Where an iterator stands, as far as it tells: what is left of it, and of those that it takes from."""
    if isinstance(iterator, GeneratorType):
        return iterator.gi_frame is None
    taken_from = iterator.__reduce__()[1] if isinstance(iterator, (map, zip, filter, enumerate)) else ()
    return length_hint(iterator, -1), [_stands(each) for each in taken_from if hasattr(type(each), "__next__")]


class _Tracing(threading.local):
    def __init__(self) -> None:
        self.statements: list[Outside] = []  # those that are traced, the innermost last


_tracing = _Tracing()


def check_advance(iterator: Any) -> None:
    """TypeError where a statement that a tensor decides about would take an item of an iterator of before it."""
    for statement in _tracing.statements:
        if id(iterator) in statement.iterators:
            raise statement.refuse_advance(statement.iterators[id(iterator)][1])
    check_lasting(iterator)


def check_lasting(iterator: Any) -> None:
    """ConversionError where an item would be taken of an iterator that outlives the call: a Program takes none."""
    reads = current()
    shown = None if reads is None else reads.name_of_iterator(iterator)
    if shown is not None:
        raise ConversionError(
            here(), f"the next item is taken of the iterator `{shown}`, which outlives the call: while the Program is "
            "built, that would happen once, and each run would use that item again.",
            "Take the item outside of the function, and give it as an argument.")


def check_changed(held: Held, names: tuple[str, ...], may_be_held: frozenset[str], where: str, statement: str) -> None:
    """ChangedOutside where a way changes what somebody else may hold too, and may leave another one in its place."""
    lost = [path for path in held.lost() if len(path) > 1 or names[path[0]] in may_be_held
            or staging.is_held(held.places[path])]
    if lost:
        held.restore()
        raise ChangedOutside([Contents(held.places[path], names[path[0]] + "".join(f"[{key!r}]" for key in path[1:]),
                                       where, statement) for path in lost])


def _is_filled_once(old: Any, new: Any) -> bool:
    """Whether a place holds what was computed when it was first asked for, and is no tensor or number."""
    return (old is None or old is ABSENT) and not isinstance(new, (Undefined, str, bytes)) and not staged_leaves(new)


class _Walk:
    """Finds what functions can change beside their own variables."""

    def __init__(self, branches: Iterable[Any]):
        self.spaces: list[Space] = []
        self.containers: list[tuple[Any, str]] = []  # what can change in place, and what the user's code calls it
        self.iterators: list[tuple[Any, str]] = []  # Python's own
        self._seen: set[int] = set()
        for branch in branches:
            function = getattr(branch, "_body", branch)  # a branch may be marked
            function = function.__func__ if isinstance(function, MethodType) else function
            if isinstance(function, FunctionType):
                self._function(function, _DEPTH, True)
            elif hasattr(type(function), "__next__"):
                self._advanced(function, _DEPTH)

    def _advanced(self, iterator: Any, depth: int) -> None:
        """What taking the next item of an iterator can change, beside where it stands, and those that it takes of."""
        if isinstance(iterator, GeneratorType):
            if iterator.gi_frame is not None:
                names, held = _names(iterator.gi_code), iterator.gi_frame.f_globals
                own = names & held.keys()
                self.spaces += [Globals(sorted(own), held), Enclosing(iterator)]
                for name, value in [*((name, held[name]) for name in own), *iterator.gi_frame.f_locals.items()]:
                    if isinstance(value, FunctionType) and value.__code__ in iterator.gi_code.co_consts:
                        continue  # a function of its own: what it can change the generator can
                    if hasattr(type(value), "__next__"):
                        self._advanced(value, depth)
                    else:
                        self._value(value, name, depth, names)
        elif isinstance(iterator, (map, zip, filter, enumerate)):
            for each in iterator.__reduce__()[1]:
                if hasattr(type(each), "__next__"):
                    self._advanced(each, depth)
                else:
                    self._value(each, "a function", depth, set())
        elif isinstance(type(iterator).__next__, FunctionType):  # nobody else has it, and sees its own attributes
            self._function(type(iterator).__next__, depth)
            for key, each in _attributes_of(iterator):
                names = _names(type(iterator).__next__.__code__)
                self._value(each, f"{type(iterator).__name__}.{key}", depth, names)

    def _function(self, function: FunctionType, depth: int, is_branch: bool = False) -> None:
        names = _names(function.__code__)
        cells = Cells(function)
        if not is_branch:
            self.spaces.append(cells)
        held = function.__globals__
        own = names & held.keys()
        if asks_environment(function.__code__):
            self.spaces.append(HeldByLibrary(Environment(), "os.environ"))
        self.spaces.append(Globals(sorted(own), held))
        for name in own:
            self._value(held[name], name, depth, names)
        for name, value in cells.entries().items():
            self._value(value, name, depth, names)
        for name, value in _defaults_of(function):
            self._value(value, name, depth, names)

    def _value(self, value: Any, shown: str, depth: int, names: set[str]) -> None:
        if isinstance(value, _VALUES) or type(value) is Undefined or id(value) in self._seen or not depth:
            return
        if isinstance(value, ModuleType) or len(self.spaces) > _MOST:
            return
        if isinstance(value, MethodType):
            self._value(value.__self__, shown, depth, names)
            value = value.__func__
        if isinstance(value, BuiltinMethodType):
            self._value(value.__self__, shown, depth, names)  # `add = a.append`
            return
        if isinstance(value, partial):
            self._seen.add(id(value))
            for each in (value.func, *value.args, *value.keywords.values()):
                self._value(each, shown, depth, names)
            return
        if isinstance(value, FunctionType):
            self._seen.add(id(value))
            if not is_ignored_module(value.__module__ or "") and not is_foreign(value):
                self._function(value, depth - 1)
            return
        if hasattr(type(value), "__next__") and not hasattr(value, "__dict__"):
            self._seen.add(id(value))
            self.iterators.append((value, shown))
            return
        if isinstance(value, ContextVar):
            self._seen.add(id(value))
            self.spaces.append(HeldByLibrary(ContextValue(value), shown))
            return
        if isinstance(value, (tuple, *CONTAINERS)) or memory_of(value) is not None:
            self._container(value, shown, depth, names)
            return
        if isinstance(value, type):
            if not is_ignored_module(value.__module__):
                self._object(value, shown)
        elif (isinstance(getattr(value, "__dict__", None), dict) or attributes_in_slots(value)) and (
                isinstance(value, (Layer, threading.local, *WRAPPERS))
                or not is_ignored_module(type(value).__module__)):
            self._object(value, shown)
            self._methods(type(value), depth, names)
            for key, each in _attributes_of(value):
                self._value(each, f"{shown}.{key}", depth - 1, names)

    def _container(self, value: Any, shown: str, depth: int, names: set[str]) -> None:
        self._seen.add(id(value))
        if not isinstance(value, tuple):
            self.containers.append((value, shown))
        if isinstance(value, (tuple, list, dict)):
            for key, item in list(dict.items(value) if isinstance(value, dict) else enumerate(value)):
                self._value(item, f"{shown}[{key!r}]", depth - 1, names)

    def _object(self, value: Any, shown: str) -> None:
        self._seen.add(id(value))
        self.spaces.append(Attributes(value, shown))

    def _methods(self, kind: type, depth: int, names: set[str]) -> None:
        """The methods that code names, and those by which objects are called or changed."""
        for each in kind.__mro__:
            if not is_ignored_module(each.__module__) and each is not object:
                for name, value in list(vars(each).items()):
                    if name in names or name in ("forward", "__call__", "__getitem__", "__setitem__"):
                        function = getattr(value, "fset", None) or getattr(value, "__func__", value)
                        self._value(function, name, depth, names)


def _attributes_of(value: Any) -> list[tuple[str, Any]]:
    held = getattr(value, "__dict__", {})
    return [*held["_sub_layers"].items(), *((k, v) for k, v in held.items() if k[:1] != "_")] if (
        isinstance(value, Layer)) else [*held.items(), *attributes_in_slots(value).items()]


def _defaults_of(function: FunctionType) -> list[tuple[str, Any]]:
    """The parameters of a function that have a default."""
    given = function.__defaults__ or ()
    names = function.__code__.co_varnames[:function.__code__.co_argcount]
    return [*zip(names[len(names) - len(given):], given, strict=True), *(function.__kwdefaults__ or {}).items()]


def _names(code: CodeType) -> set[str]:
    """The names in a code and in those of functions in it."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found |= _names(constant)
    return found
