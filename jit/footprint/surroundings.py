"""What a function can reach beside its arguments: noted before it is traced, put back when tracing fails.

Layers and other objects with their attributes, lists, dicts and sets in them, variables of enclosing functions and
globals that the function names, Tensors, and the random generators of Python, of NumPy and of this package. What the
outside world has seen (a line printed, a file written) cannot be put back. Knows values; knows nothing of conversion.
"""

from __future__ import annotations

import contextlib
import functools
import random
import sys
import threading
from collections import defaultdict, deque
from collections.abc import Iterator, MutableMapping
from contextvars import ContextVar
from operator import is_
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any

import numpy as np

from ...core.random import all_generators
from ...dygraph.py_layer import PyLayer
from ...dygraph.value import EagerValue
from ...nn import Layer
from ...optimizer.optimizer import Optimizer
from ...static.ir.variable import Variable
from ..convert.ignoring import is_foreign, is_ignored_module, is_users_module
from .global_names import all_names, global_names
from .library_objects import is_of_library
from .library_values import (
    WRAPPERS,
    ContextValue,
    Environment,
    LocalAttributes,
    asks_environment,
    tells_environment,
)
from .locations import ABSENT, BARE, Entry, Items, Numbers, attributes_in_slots, entries_of, set_value, value_of
from .mappings import CellVariable, ClassAttributes, Globals, ModuleAttributes, SlotAttributes, TensorAttributes
from .numbers_in_memory import as_written, can_be_written, numbers_in, write_numbers

_MOST_OBJECTS = 20_000
_MOST_ITEMS = 2_000
_ATOMS = (str, bytes, int, float, complex, bool, type(None), type, ModuleType, CodeType, BuiltinFunctionType,
          Variable)
_SEQUENCES = (list, set, deque)
_NAMESPACES = ("SimpleNamespace", "Namespace")  # of types and of argparse: the user's values are in them
_OF_LAYERS = ("_parameters", "_buffers", "_sub_layers")


def numpy_random() -> Any:
    """`numpy.random` where somebody has used it, otherwise None: NumPy loads it when it is first named."""
    return sys.modules.get("numpy.random")


class Surroundings:
    """The state within reach of a function and of the values it is called with, as it is now."""

    def __init__(self, function: Any, receiver: tuple, arguments: dict[str, Any]):
        self.mappings: list[tuple[Any, str, dict[Any, Any]]] = []  # with how its entries are called, and its contents
        self.sequences: list[tuple[Any, str, list[Any]]] = []
        self._numbers: dict[int, tuple[Any, str, Any, tuple[Any, ...]]] = {}  # of arrays: a copy, and as it lies
        self.noted: dict[int, tuple[str, dict[Any, Any]]] = {}  # of mappings, by id, the same
        self.places: defaultdict[int, int] = defaultdict(int)  # by a Tensor's id, how many places hold it
        self._tensors: list[tuple[EagerValue, tuple]] = []
        self._random = random.getstate()
        self._numpy = None if numpy_random() is None else np.random.get_state()
        self._generators = [(g, g.get_state()) for g in all_generators()]
        self._others: list[tuple[Any, Any]] = []
        self._repeated: set[tuple[int, Any]] = set()  # entries that runs change by doing again what has changed them
        self._kept: list[tuple[dict, dict]] = []  # what optimizers keep by parameters' names, with their contents
        self._seen: dict[int, Any] = {}
        self._named: defaultdict[int, dict[str, Globals]] = defaultdict(dict)  # globals noted, by id of their module's
        self._classes: dict[int, ClassAttributes] = {}
        self._slotted: dict[int, SlotAttributes] = {}
        self._of_tensors: dict[int, TensorAttributes] = {}
        self._contexts: dict[int, ContextValue] = {}
        self._locals: dict[int, LocalAttributes] = {}
        self.iterators: dict[int, tuple[Any, str]] = {}  # by id, with what they are called
        self._given = set(map(id, arguments.values()))
        self.environment: Environment | None = None  # where code may ask for environment variables
        self._items: dict[int, list[Any]] = {}
        self.layers: list[Layer] = []
        self.settings: list[tuple[dict, dict]] = []  # attributes of layers, with what these are set to
        pending = [(value, name) for name, value in arguments.items()]
        pending += [*((value, "self") for value in receiver), (function, "")]
        self._note_all(pending)

    # Noting

    def reach(self, function: FunctionType, is_new: bool) -> None:
        """Notes what another function can reach, which is about to run; a new one's default values are new as well."""
        if id(function.__code__) not in self._seen:
            self._seen[id(function.__code__)] = function.__code__
            defaults = [] if is_new else _defaults(function)
            self._note_all([*self._variables(function, ()), *defaults])

    def finish(self) -> None:
        """Lets go of what is needed only as long as something may be noted."""
        self._seen.clear()

    def of_object(self, owner: Any, name: str) -> Any:
        """What an attribute of an object is an entry of: its `__dict__`, or its slots as they were noted."""
        if id(owner) in self._locals:
            return self._locals[id(owner)]
        if id(owner) in self._of_tensors:
            return self._of_tensors[id(owner)]
        slots = self._slotted.get(id(owner))
        return slots if slots is not None and name in slots else getattr(owner, "__dict__", slots)

    def of_class(self, kind: type) -> ClassAttributes | None:
        """The attributes of a class, if they are noted."""
        return self._classes.get(id(kind))

    def of_variable(self, variable: ContextVar) -> ContextValue | None:
        """What a context variable holds, if it is noted."""
        return self._contexts.get(id(variable))

    def classes(self) -> list[type]:
        """The user's classes."""
        return [held.kind for held in self._classes.values()]

    def holds(self, value: Any) -> bool:
        """Whether an object was there before, or came with the arguments."""
        return self._seen.get(id(value)) is value

    def contents_of(self, container: Any) -> Any:
        """What a list, tuple, set, deque or dict held when it was noted; None if it was not."""
        noted = self.noted.get(id(container))
        return noted[1] if noted is not None else self._items.get(id(container))

    def numbers_before(self, value: Any) -> tuple[Any, ...] | None:
        """What an array, or other numbers in memory, held when it was noted, as it lies there; None if it was not."""
        noted = self._numbers.get(id(value))
        return None if noted is None else noted[3]

    def _note_all(self, pending: list[tuple[Any, str]]) -> None:
        while pending and len(self._seen) < _MOST_OBJECTS:
            pending.extend(self._note(*pending.pop()))

    def _note(self, value: Any, shown: str) -> list[tuple[Any, str]]:
        """Notes one value; what is to be looked at next, with what it is called."""
        if isinstance(value, EagerValue):
            self.places[id(value)] += 1
        if tells_environment(value):
            return self._environment()
        if isinstance(value, type) and id(value) not in self._seen:
            return self._class(value)
        if isinstance(value, _ATOMS) or id(value) in self._seen:
            return []
        self._seen[id(value)] = value
        if isinstance(value, EagerValue):
            self._tensors.append((value, _tensor_state(value)))
            return self._attributes(value, shown)
        if isinstance(value, (FunctionType, MethodType, functools.partial)):
            return self._function(value)
        if isinstance(value, dict):
            held = shown.rpartition(".")
            return self._mapping(value, _form(held[0], ".{}") if held[2] in _OF_LAYERS else _form(shown, "[{!r}]"))
        if isinstance(value, (*_SEQUENCES, tuple, frozenset)):
            return self._sequence(value, shown)
        return self._object(value, shown)

    def _function(self, function: Any) -> list[tuple[Any, str]]:
        if isinstance(function, MethodType):
            return [(function.__func__, ""), (function.__self__, "self")]
        if isinstance(function, functools.partial):
            return [(function.func, ""), (function.args, "args"), (function.keywords, "keywords")]
        if is_foreign(function) or is_ignored_module(function.__globals__.get("__name__") or ""):
            return []
        self._seen[id(function.__code__)] = function.__code__
        return [*self._variables(function, function.__closure__ or ()), *_defaults(function)]

    def _variables(self, function: FunctionType, cells: tuple[CellType, ...]) -> list[tuple[Any, str]]:
        """Those of enclosing functions, and those globals that no other function has named."""
        code = function.__code__
        mappings: list[MutableMapping] = [CellVariable(name, cell, code) for name, cell in zip(
            code.co_freevars, cells, strict=False)]
        found = self._globals(function.__globals__, code)
        for mapping in mappings:
            found += self._mapping(mapping, "{}")
        return found

    def _globals(self, held: dict[str, Any], code: CodeType) -> list[tuple[Any, str]]:
        """Those of a function's module that its code names, and what it may name in modules among them."""
        known, names = self._named[id(held)], global_names(code)
        found = self._environment() if asks_environment(code) else []
        for name in names & known.keys():
            known[name].also_named_in(code, name)
        new = Globals(names - known.keys(), held, code)
        known.update(dict.fromkeys(names - known.keys(), new))
        found += self._mapping(new, "{}")
        return found + self._of_modules({name: held[name] for name in names & held.keys()}, code)

    def _of_modules(self, held: dict[str, Any], code: CodeType) -> list[tuple[Any, str]]:
        """What the code may name in modules of the user's, and in modules in these."""
        found: list[tuple[Any, str]] = []
        modules = {id(value): (value, name) for name, value in held.items() if isinstance(value, ModuleType)}
        pending = list(modules.values())
        while pending:
            module, shown = pending.pop()
            if is_users_module(module):
                attributes = ModuleAttributes(all_names(code) & vars(module).keys(), vars(module), code)
                found += self._mapping(attributes, _form(shown, ".{}"))
                inner = {id(value): (value, f"{shown}.{name}") for name, value in attributes.items()
                         if isinstance(value, ModuleType)}
                pending += [inner[key] for key in inner.keys() - modules.keys()]
                modules |= inner
        return found

    def _environment(self) -> list[tuple[Any, str]]:
        if self.environment is not None:
            return []
        self.environment = Environment()
        return self._mapping(self.environment, "os.environ[{!r}]")

    def _class(self, kind: type) -> list[tuple[Any, str]]:
        """Notes the values in a class, unless it is the library's, and what a PyLayer's functions can reach."""
        self._seen[id(kind)] = kind
        if _is_of_library(kind) or is_ignored_module(kind.__module__):
            return []
        held = self._classes[id(kind)] = ClassAttributes(kind)
        functions = [(kind.forward, ""), (kind.backward, "")] if issubclass(kind, PyLayer) else []
        return [*self._mapping(held, f"{kind.__name__}.{{}}"), *((base, "") for base in kind.__mro__[1:]), *functions]

    def _mapping(self, mapping: Any, form: str) -> list[tuple[Any, str]]:
        if len(mapping) > _MOST_ITEMS:
            return []
        contents = entries_of(mapping)
        self.mappings.append((mapping, form, contents))
        self.noted[id(mapping)] = form, contents
        return [(value, form.format(key)) for key, value in contents.items() if type(value) not in BARE]

    def _sequence(self, items: Any, shown: str) -> list[tuple[Any, str]]:
        if len(items) > _MOST_ITEMS:
            return []
        contents = self._items[id(items)] = list(items)
        if isinstance(items, _SEQUENCES):
            self.sequences.append((items, shown, contents))
        return [(value, f"{shown}[{i}]") for i, value in enumerate(contents) if type(value) not in BARE]

    def _object(self, value: Any, shown: str) -> list[tuple[Any, str]]:
        if hasattr(type(value), "__next__") and id(value) not in self._given:
            self.iterators[id(value)] = value, shown
        if (numbers := numbers_in(value)) is not None:
            self._numbers[id(value)] = value, shown, numbers, as_written(value)
        elif isinstance(value, random.Random):
            self._others.append((value, value.getstate()))
        elif numpy_random() is not None and isinstance(value, np.random.RandomState):
            self._others.append((value, value.get_state(legacy=False)))
        elif numpy_random() is not None and isinstance(value, np.random.Generator):
            self._others.append((value, value.bit_generator.state))
        elif hasattr(type(value), "dygraph_function"):  # a StaticFunction: the function behind it, bound as it is
            return [(value.dygraph_function, shown)]
        elif isinstance(value, Optimizer):
            return self._optimizer(value, shown)
        elif isinstance(value, ContextVar):
            variable = self._contexts[id(value)] = ContextValue(value)
            return self._mapping(variable, _form(shown, ".{}"))
        elif isinstance(value, threading.local):
            attributes = self._locals[id(value)] = LocalAttributes(value)
            return [*self._mapping(attributes, _form(shown, ".{}")), (type(value), "")]
        elif isinstance(value, MappingProxyType):
            return [(each, f"{shown}[{key!r}]") for key, each in value.items()]
        elif _is_of_library(type(value)) and not isinstance(value, WRAPPERS):
            return []
        elif isinstance(getattr(value, "__dict__", None), dict):
            if isinstance(value, Layer):
                self.settings.append((value.__dict__, _settings_of(value)))
            found = self._mapping(value.__dict__, _form(shown, ".{}"))
            if isinstance(value, Layer) and found:
                self.layers.append(value)
            return [*found, *self._slots(value, shown), (type(value), "")]
        elif held := self._slots(value, shown):
            return [*held, (type(value), "")]
        return []

    def _slots(self, value: Any, shown: str) -> list[tuple[Any, str]]:
        """Notes what the `__slots__` of an object of the user's hold."""
        if is_ignored_module(type(value).__module__) or not attributes_in_slots(value):
            return []
        held = self._slotted[id(value)] = SlotAttributes(value)
        return self._mapping(held, _form(shown, ".{}"))

    def _attributes(self, tensor: EagerValue, shown: str) -> list[tuple[Any, str]]:
        """Notes what is set on a Tensor beside its value, as much is of each parameter."""
        if not tensor.__dict__:
            return []
        held = self._of_tensors[id(tensor)] = TensorAttributes(tensor)
        return self._mapping(held, _form(shown, ".{}"))

    def _optimizer(self, optimizer: Optimizer, shown: str) -> list[tuple[Any, str]]:
        """Notes an optimizer: what it keeps for parameters it makes once, in the first step, and not in each run."""
        for kept in optimizer.kept_values():
            self._seen[id(kept)] = kept
            self._kept.append((kept, dict(kept)))
        return [*self._mapping(optimizer.__dict__, _form(shown, ".{}")), (type(optimizer), "")]

    def draws(self, generator: Any) -> bool:
        """Whether an object is one of the random generators that were there before."""
        return any(generator is held for held, _ in self._others)

    def is_new(self, value: Any) -> bool:
        """Whether an object was not among those that were there before."""
        held = getattr(value, "__dict__", None)
        return id(value) not in self._slotted and not any(mapping is held for mapping, _, _ in self.mappings)

    # Putting back

    def restore(self) -> None:
        """Puts back what has changed since."""
        for mapping, _, contents in self.mappings:
            if not _unchanged(mapping, contents):
                for key in entries_of(mapping):
                    set_value(mapping, key, ABSENT)
                for key, value in contents.items():
                    set_value(mapping, key, value)
        for sequence, _, items in self.sequences:
            if len(sequence) != len(items) or any(a is not b for a, b in zip(sequence, items, strict=True)):
                _fill(sequence, items)
        for value, _, numbers, before in self._numbers.values():
            if can_be_written(value) and as_written(value) != before:
                write_numbers(value, numbers)
        for kept, contents in self._kept:
            kept.clear()
            kept.update(contents)
        for tensor, noted in self._tensors:
            _restore_tensor(tensor, noted)
        self._restore_random()

    @contextlib.contextmanager
    def unchanged_by(self, what: str) -> Iterator[None]:
        """Around code that is to compute and nothing else: what it changes is put back, and RuntimeError says what."""
        before = [entries_of(mapping) for mapping, _, _ in self.mappings]
        items = [list(sequence) for sequence, _, _ in self.sequences]
        try:
            yield
        finally:
            changed = [*self._put_back_mappings(before), *self._put_back_sequences(items)]
        if changed:
            raise RuntimeError(
                f"{what} changes {', '.join(changed)}, which outlives it: in a Program it only computes gradients, and "
                "is run once, when the Program is built. Change state in forward, or leave the function unconverted.")

    def repeated_keys(self, mapping: Any) -> list[Any]:
        """The keys of those entries of a mapping that runs change by doing again what has changed them."""
        return [key for where, key in self._repeated if where == id(mapping)] if self._repeated else []

    @contextlib.contextmanager
    def repeated(self) -> Iterator[None]:
        """Around what each run does again: the entries that it changes are no change that tracing has left."""
        before = [entries_of(mapping) for mapping, _, _ in self.mappings]
        yield
        for (mapping, _, _), then in zip(self.mappings, before, strict=False):
            if not _unchanged(mapping, then):
                self._repeated |= {(id(mapping), key) for key, value in entries_of(mapping).items()
                                   if then.get(key, ABSENT) is not value}

    def _put_back_mappings(self, before: list[dict]) -> Iterator[str]:
        """Gives mappings the contents that they had then (the later ones: when noted); what has been changed."""
        for place, (mapping, form, contents) in enumerate(self.mappings):
            then = before[place] if place < len(before) else contents
            if not _unchanged(mapping, then):
                now = entries_of(mapping)
                keys = [key for key in {**then, **now} if then.get(key, ABSENT) is not now.get(key, ABSENT)]
                yield from (f"`{form.format(key)}`" for key in keys if not _is_ours(key))
                for key in keys:
                    if key in then:
                        set_value(mapping, key, then[key])
                    elif not _is_ours(key):
                        set_value(mapping, key, ABSENT)

    def _put_back_sequences(self, before: list[list]) -> Iterator[str]:
        for place, (sequence, shown, contents) in enumerate(self.sequences):
            then = before[place] if place < len(before) else contents
            if len(sequence) != len(then) or any(a is not b for a, b in zip(sequence, then, strict=True)):
                yield f"`{shown}`"
                _fill(sequence, then)

    def _restore_random(self) -> None:
        random.setstate(self._random)
        if self._numpy is not None:
            np.random.set_state(self._numpy)
        for generator, state in self._generators:
            generator.set_state(state)
        for other, state in self._others:
            if isinstance(other, random.Random):
                other.setstate(state)
            elif isinstance(other, np.random.RandomState):
                other.set_state(state)
            else:
                other.bit_generator.state = state

    def rewind(self) -> None:
        """Puts back the entries that runs change by doing again what has changed them."""
        if self._repeated:
            for mapping, _, contents in self.mappings:
                for key in [key for key in mapping if (id(mapping), key) in self._repeated]:
                    set_value(mapping, key, contents[key])

    # What tracing has left

    def changed_entries(self) -> Iterator[tuple[Entry, Any, Any]]:
        """The entries of mappings that have another value now: with that of before, and that of now."""
        for mapping, form, contents in self.mappings:
            if not _unchanged(mapping, contents):
                for key in [*contents, *(key for key in mapping if key not in contents)]:
                    before, now = contents.get(key, ABSENT), value_of(mapping, key)
                    if before is not now and (id(mapping), key) not in self._repeated:
                        yield Entry(mapping, key, form.format(key)), before, now

    def changed_items(self) -> Iterator[tuple[Items, list[Any]]]:
        """The lists, sets and deques that have other items now, with those that they had."""
        for sequence, shown, items in self.sequences:
            if len(sequence) != len(items) or any(a is not b for a, b in zip(sequence, items, strict=True)):
                yield Items(sequence, shown), items

    def changed_numbers(self) -> Iterator[tuple[Numbers, Any]]:
        """The arrays that have other elements now, with those that they had."""
        for value, shown, numbers, before in self._numbers.values():
            if can_be_written(value) and as_written(value) != before:
                yield Numbers(value, shown), numbers


def _settings_of(layer: Layer) -> dict[str, Any]:
    """What code that is not converted may read of a layer: of a user's own, what the classes that it extends name."""
    if is_ignored_module(type(layer).__module__):
        return dict(layer.__dict__)
    names = _named_in_extended(type(layer))
    return {name: value for name, value in layer.__dict__.items() if name in names}


def _named_in_extended(kind: type) -> frozenset[str]:
    extended = [each for each in kind.__mro__ if each is not Layer and is_ignored_module(each.__module__)]
    codes = [value.__code__ for each in extended for value in vars(each).values() if isinstance(value, FunctionType)]
    return frozenset({"training"}.union(*map(all_names, codes)))


def _defaults(function: FunctionType) -> list[tuple[Any, str]]:
    values = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    return [(value, "a default value") for value in values]


def _unchanged(mapping: Any, contents: dict[Any, Any]) -> bool:
    if isinstance(mapping, dict):
        keys, values = list(dict.keys(mapping)), list(dict.values(mapping))
        if len(keys) == len(contents) and all(map(is_, values, contents.values())) and all(map(is_, keys, contents)):
            return True  # in the same order, as nearly always
    return len(mapping) == len(contents) and all(value_of(mapping, k) is v for k, v in contents.items())


def _form(shown: str, of_key: str) -> str:
    """What shows a value by its key; a key before it, such as a set, may hold braces."""
    return shown.replace("{", "{{").replace("}", "}}") + of_key


def _fill(sequence: Any, items: list[Any]) -> None:
    sequence.clear()
    sequence.update(items) if isinstance(sequence, set) else sequence.extend(items)


def _is_of_library(kind: type) -> bool:
    return kind.__name__ not in _NAMESPACES and is_of_library(kind)


def _is_ours(key: Any) -> bool:
    """Whether an attribute is one of this package's own notes."""
    return isinstance(key, str) and key.startswith("_static_")


def _tensor_state(tensor: EagerValue) -> tuple:
    holder = tensor._holder()
    gradient = None if holder is None else (holder.grad, holder.cleared)
    return tensor._array, tensor._edge, tensor._name, tensor._leaf, holder, gradient


def _restore_tensor(tensor: EagerValue, noted: tuple) -> None:
    array, edge, name, leaf, holder, gradient = noted
    if tensor._array is not array:
        tensor._replace(array)
    if tensor._edge is not edge:
        tensor._edge = edge
    if tensor._leaf is not leaf:
        tensor._leaf = leaf
    tensor._name = name
    if holder is not None:
        holder.grad, holder.cleared = gradient
