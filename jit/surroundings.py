"""What a function can reach beside its arguments: noted before it is traced, put back when tracing fails.

Layers and other objects with their attributes, lists, dicts and sets in them, variables of enclosing functions and
globals that the function names, Tensors, and the random generators of Python, of NumPy and of this package. What the
outside world has seen (a line printed, a file written) cannot be put back. Knows values; knows nothing of conversion.
"""

from __future__ import annotations

import functools
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, MutableMapping
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from ..core.random import all_generators
from ..dygraph.tensor import Tensor
from .ignoring import is_foreign, is_ignored_module

_MOST_OBJECTS = 20_000
_MOST_ITEMS = 2_000
_ATOMS = (str, bytes, int, float, complex, bool, type(None), type, ModuleType, CodeType, BuiltinFunctionType,
          np.ndarray)
_SEQUENCES = (list, set)
_OF_LAYERS = ("_parameters", "_buffers", "_sub_layers")
ABSENT: Any = type("ABSENT", (), {"__repr__": lambda self: "nothing", "__slots__": ()})()


class CellVariable(MutableMapping):
    """A variable of an enclosing function, as a mapping with one key at most."""

    def __init__(self, name: str, cell: CellType):
        self._name, self._cell = name, cell

    def __getitem__(self, name: str) -> Any:
        try:
            return self._cell.cell_contents
        except ValueError:  # it is empty
            raise KeyError(name) from None

    def __setitem__(self, name: str, value: Any) -> None:
        self._cell.cell_contents = value

    def __delitem__(self, name: str) -> None:
        del self._cell.cell_contents

    def __iter__(self) -> Iterator[str]:
        return iter([self._name] if self.get(self._name, ABSENT) is not ABSENT else [])

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Globals(MutableMapping):
    """Those of a module's globals that a function names."""

    def __init__(self, names: set[str], held: dict[str, Any]):
        self._names, self._held = names, held

    def __getitem__(self, name: str) -> Any:
        return self._held[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._held[name] = value

    def __delitem__(self, name: str) -> None:
        del self._held[name]

    def __iter__(self) -> Iterator[str]:
        return iter([name for name in self._names if name in self._held])

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Surroundings:
    """The state within reach of a function and of the values it is called with, as it is now."""

    def __init__(self, function: Any, receiver: tuple, arguments: dict[str, Any]):
        self.mappings: list[tuple[Any, str, dict[Any, Any]]] = []  # with how its entries are called, and its contents
        self.sequences: list[tuple[Any, str, list[Any]]] = []
        self.places: defaultdict[int, int] = defaultdict(int)  # by a Tensor's id, how many places hold it
        self._tensors: list[tuple[Tensor, tuple]] = []
        self._random = random.getstate()
        self._numpy = np.random.get_state()
        self._generators = [(g, g.get_state()) for g in all_generators()]
        self._others: list[tuple[Any, Any]] = []
        self._seen: dict[int, Any] = {}
        pending = [(value, name) for name, value in arguments.items()]
        pending += [*((value, "self") for value in receiver), (function, "")]
        while pending and len(self._seen) < _MOST_OBJECTS:
            pending.extend(self._note(*pending.pop()))
        self._seen.clear()

    # Noting

    def _note(self, value: Any, shown: str) -> list[tuple[Any, str]]:
        """Notes one value; what is to be looked at next, with what it is called."""
        if isinstance(value, Tensor):
            self.places[id(value)] += 1
        if isinstance(value, _ATOMS) or id(value) in self._seen:
            return []
        self._seen[id(value)] = value
        if isinstance(value, Tensor):
            self._tensors.append((value, _tensor_state(value)))
            return []
        if isinstance(value, (FunctionType, MethodType, functools.partial)):
            return self._function(value)
        if isinstance(value, dict):
            held = shown.rpartition(".")
            return self._mapping(value, f"{held[0]}.{{}}" if held[2] in _OF_LAYERS else f"{shown}[{{!r}}]")
        if isinstance(value, (list, tuple, set, frozenset)):
            return self._sequence(value, shown)
        return self._object(value, shown)

    def _function(self, function: Any) -> list[tuple[Any, str]]:
        if isinstance(function, MethodType):
            return [(function.__func__, ""), (function.__self__, "self")]
        if isinstance(function, functools.partial):
            return [(function.func, ""), (function.args, "args"), (function.keywords, "keywords")]
        if is_foreign(function) or is_ignored_module(function.__globals__.get("__name__") or ""):
            return []
        cells: list[MutableMapping] = [CellVariable(name, cell) for name, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True)]
        named = _names(function.__code__) & function.__globals__.keys()
        found = []
        for mapping in (*cells, Globals(named, function.__globals__)):
            found += self._mapping(mapping, "{}")
        return found

    def _mapping(self, mapping: Any, form: str) -> list[tuple[Any, str]]:
        if len(mapping) > _MOST_ITEMS:
            return []
        contents = dict(mapping)
        self.mappings.append((mapping, form, contents))
        return [(value, form.format(key)) for key, value in contents.items()]

    def _sequence(self, items: Any, shown: str) -> list[tuple[Any, str]]:
        if len(items) > _MOST_ITEMS:
            return []
        contents = list(items)
        if isinstance(items, _SEQUENCES):
            self.sequences.append((items, shown, contents))
        return [(value, f"{shown}[{i}]") for i, value in enumerate(contents)]

    def _object(self, value: Any, shown: str) -> list[tuple[Any, str]]:
        if isinstance(value, random.Random):
            self._others.append((value, value.getstate()))
        elif isinstance(value, np.random.RandomState):
            self._others.append((value, value.get_state(legacy=False)))
        elif isinstance(value, np.random.Generator):
            self._others.append((value, value.bit_generator.state))
        elif hasattr(type(value), "dygraph_function"):  # a StaticFunction: the function behind it, bound as it is
            return [(value.dygraph_function, shown)]
        elif not _is_of_library(type(value)) and isinstance(getattr(value, "__dict__", None), dict):
            return self._mapping(value.__dict__, f"{shown}.{{}}")
        return []

    def draws(self, generator: Any) -> bool:
        """Whether an object is one of the random generators that were there before."""
        return any(generator is held for held, _ in self._others)

    # Putting back

    def restore(self) -> None:
        """Puts back what has changed since."""
        for mapping, _, contents in self.mappings:
            if not _unchanged(mapping, contents):
                for key in list(mapping):
                    del mapping[key]
                mapping.update(contents)
        for sequence, _, items in self.sequences:
            if len(sequence) != len(items) or any(a is not b for a, b in zip(sequence, items, strict=True)):
                sequence.clear()
                sequence.update(items) if isinstance(sequence, set) else sequence.extend(items)
        for tensor, noted in self._tensors:
            _restore_tensor(tensor, noted)
        self._restore_random()

    def _restore_random(self) -> None:
        random.setstate(self._random)
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

    # What tracing has left

    def changes(self) -> Iterator[tuple[Any, Any, str, Any, Any]]:
        """The entries of mappings that have another value now: mapping, key, what it is called, before, now."""
        for mapping, form, contents in self.mappings:
            if not _unchanged(mapping, contents):
                for key in [*contents, *(key for key in mapping if key not in contents)]:
                    before, now = contents.get(key, ABSENT), mapping.get(key, ABSENT)
                    if before is not now:
                        yield mapping, key, form.format(key), before, now

    def changed_sequences(self) -> Iterator[tuple[Any, str]]:
        """The lists and sets that have other items now."""
        for sequence, shown, items in self.sequences:
            if len(sequence) != len(items) or any(a is not b for a, b in zip(sequence, items, strict=True)):
                yield sequence, shown


def _unchanged(mapping: Any, contents: dict[Any, Any]) -> bool:
    return len(mapping) == len(contents) and all(mapping.get(k, ABSENT) is v for k, v in contents.items())


def _is_of_library(kind: type) -> bool:
    return kind.__module__.partition(".")[0] in sys.stdlib_module_names


def _names(code: CodeType) -> set[str]:
    inner = (_names(c) for c in code.co_consts if isinstance(c, CodeType))
    return set(code.co_names).union(*inner)


def _tensor_state(tensor: Tensor) -> tuple:
    holder = tensor._holder()
    gradient = None if holder is None else (holder.grad, holder.cleared)
    return tensor._array, tensor._edge, tensor._name, tensor._leaf, holder, gradient


def _restore_tensor(tensor: Tensor, noted: tuple) -> None:
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
