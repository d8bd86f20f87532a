"""Where functions find state that no local name holds: attributes, globals, variables of enclosing functions.

Each kind of space tells what it holds by key, sets one, and says what the user's code calls it; a `Place` is one of
these. Knows nothing of what is within reach of whom (`outside.py`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from types import FunctionType, GeneratorType
from typing import Any

from ...nn import Layer
from ..footprint.library_values import ContextValue, Environment
from ..footprint.locations import ABSENT, attributes_in_slots
from .undefined import Undefined


class Attributes:
    """The attributes of an object, or of a class."""

    def __init__(self, owner: Any, shown: str):
        self._owner, self._shown = owner, shown

    def entries(self) -> dict[str, Any]:
        """What each attribute holds."""
        held = getattr(self._owner, "__dict__", {})
        found = {**held, **held["_buffers"]} if isinstance(self._owner, Layer) else dict(held)
        is_class = isinstance(self._owner, type)
        if not is_class:
            found |= attributes_in_slots(self._owner)
        return {key: value for key, value in found.items() if not key.startswith(("__", "_static_"))
                and not (is_class and not _is_value(value))}

    def inherited(self, key: str) -> Any:
        """What is there where the object, or the class, has none of its own; ABSENT for nothing, and for functions."""
        kinds = self._owner.__mro__[1:] if isinstance(self._owner, type) else type(self._owner).__mro__
        value = next((vars(kind)[key] for kind in kinds if key in vars(kind)), ABSENT)
        return value if _is_value(value) else ABSENT

    def store(self, key: str, value: Any) -> None:
        """Sets one, or takes it away for ABSENT."""
        if value is ABSENT:
            delattr(self._owner, key)
        else:
            setattr(self._owner, key, value)

    def name(self, key: str) -> str:
        """What the user's code calls one."""
        return f"{self._shown}.{key}"


def _is_value(value: Any) -> bool:
    return not callable(value) and not hasattr(value, "__get__")


class Globals:
    """The globals that a function's code names."""

    def __init__(self, names: Iterable[str], held: dict[str, Any]):
        self._names, self._held = names, held

    def entries(self) -> dict[str, Any]:
        """What each holds."""
        return {name: self._held[name] for name in self._names if name in self._held}

    def store(self, key: str, value: Any) -> None:
        """Sets one, or takes it away for ABSENT."""
        if value is ABSENT:
            del self._held[key]
        else:
            self._held[key] = value

    def name(self, key: str) -> str:
        """What the user's code calls one."""
        return key


class Cells:
    """The variables of enclosing functions that a function's code names."""

    def __init__(self, function: FunctionType):
        self._cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))

    def entries(self) -> dict[str, Any]:
        """What each holds."""
        found = {}
        for name, cell in self._cells.items():
            with contextlib.suppress(ValueError):  # it is empty
                found[name] = cell.cell_contents
        return found

    def store(self, key: str, value: Any) -> None:
        """Sets one, or empties it for ABSENT."""
        if value is ABSENT:
            del self._cells[key].cell_contents
        else:
            self._cells[key].cell_contents = value

    def name(self, key: str) -> str:
        """What the user's code calls one."""
        return key


class Enclosing:
    """The variables of enclosing functions that a generator's code names, which it alone can set."""

    def __init__(self, generator: GeneratorType):
        self._generator = generator

    def entries(self) -> dict[str, Any]:
        """What each holds."""
        frame = self._generator.gi_frame
        return {} if frame is None else {
            name: frame.f_locals[name] for name in self._generator.gi_code.co_freevars if name in frame.f_locals}

    def store(self, key: str, value: Any) -> None:
        """Leaves it as it is."""

    def name(self, key: str) -> str:
        """What the user's code calls one."""
        return key


class HeldByLibrary:
    """What a context variable or the process's environment holds."""

    def __init__(self, mapping: ContextValue | Environment, shown: str):
        self._mapping, self._shown = mapping, shown

    def entries(self) -> dict[Any, Any]:
        """What each entry holds."""
        return dict(self._mapping)

    def store(self, key: Any, value: Any) -> None:
        """Sets one, or takes it away for ABSENT."""
        if value is ABSENT:
            del self._mapping[key]
        else:
            self._mapping[key] = value

    def name(self, key: Any) -> str:
        """What the user's code calls one."""
        return f"{self._shown}.{key}" if isinstance(self._mapping, ContextValue) else f"{self._shown}[{key!r}]"


Space = Attributes | Globals | Cells | Enclosing | HeldByLibrary


class Place:
    """One attribute, global or variable."""

    def __init__(self, space: Space, key: str, before: Any):
        self._space, self._key, self.name = space, key, space.name(key)
        self.key = id(space), key
        self._inherited = space.inherited(key) if before is ABSENT and isinstance(space, Attributes) else ABSENT

    def load(self) -> Any:
        """What it holds; an Undefined where there is nothing."""
        value = self._space.entries().get(self._key, ABSENT)
        value = self._inherited if value is ABSENT else value
        return Undefined(self.name) if value is ABSENT else value

    def store(self, value: Any) -> None:
        """Makes it hold a value, or nothing for an Undefined that Python left, and for what it would inherit."""
        present = self._space.entries().get(self._key, ABSENT)
        if value is self._inherited:
            value = Undefined(self.name)
        if type(value) is Undefined and present is ABSENT:
            return
        if present is not value:
            self._space.store(self._key, ABSENT if type(value) is Undefined else value)
