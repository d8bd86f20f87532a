"""Variables and attributes as mappings: of enclosing functions, globals, of modules and classes, in `__slots__`.

Knows Python values alone.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Set
from enum import Enum
from types import CellType, CodeType
from typing import Any

from .locations import ABSENT, attributes_in_slots


def is_value_of_class(kind: type, name: str, value: Any) -> bool:
    """Whether an attribute of a class is a value, and not a function, a class, or a member of an enumeration."""
    if name.startswith("__") or isinstance(value, type) or hasattr(type(value), "__get__"):
        return False
    return not issubclass(kind, Enum) or name not in kind.__members__ and not name.startswith("_")


class CellVariable(MutableMapping):
    """A variable of an enclosing function, as a mapping with one key at most."""

    def __init__(self, name: str, cell: CellType, code: CodeType):
        self._name, self._cell, self._code = name, cell, code
        self.identity = id(cell)

    def is_named_in(self, codes: Set[CodeType | None], name: str) -> bool:
        """Whether one of these codes names the variable."""
        return self._code in codes

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
    """Those of a module's globals that a function, of this code, names and none before it has."""

    def __init__(self, names: Set[str], held: dict[str, Any], code: CodeType):
        self._names, self._held = sorted(names), held
        self._codes = {name: {code} for name in names}
        self.identity = id(held)

    def also_named_in(self, code: CodeType, name: str) -> None:
        """Notes that another function names one of them too."""
        self._codes[name].add(code)

    def is_named_in(self, codes: Set[CodeType | None], name: str) -> bool:
        """Whether one of these codes names a global."""
        return not self._codes[name].isdisjoint(codes)

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


class ModuleAttributes(Globals):
    """Those of a module of the user's that a function, of this code, may name as its attributes."""


class ClassAttributes(MutableMapping):
    """The values in a class of the user's, without its functions."""

    def __init__(self, kind: type):
        self.kind = kind
        self.identity = id(kind)

    def __getitem__(self, name: str) -> Any:
        value = vars(self.kind)[name]
        if not is_value_of_class(self.kind, name, value):
            raise KeyError(name)
        return value

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self.kind, name, value)

    def __delitem__(self, name: str) -> None:
        delattr(self.kind, name)

    def __iter__(self) -> Iterator[str]:
        return iter([name for name in vars(self.kind) if name in self])

    def __len__(self) -> int:
        return sum(1 for _ in self)


class SlotAttributes(MutableMapping):
    """What the `__slots__` of an object of the user's hold."""

    def __init__(self, owner: Any):
        self.owner = owner
        self.identity = id(owner)

    def __getitem__(self, name: str) -> Any:
        return attributes_in_slots(self.owner)[name]

    def __setitem__(self, name: str, value: Any) -> None:
        object.__setattr__(self.owner, name, value)

    def __delitem__(self, name: str) -> None:
        object.__delattr__(self.owner, name)

    def __iter__(self) -> Iterator[str]:
        return iter(attributes_in_slots(self.owner))

    def __len__(self) -> int:
        return len(attributes_in_slots(self.owner))


class TensorAttributes(MutableMapping):
    """What the user's code may set on a Tensor: `optimize_attr`, `need_clip`, attributes of the user's own."""

    def __init__(self, owner: Any):
        self.owner = owner
        self.identity = id(owner)

    def __getitem__(self, name: str) -> Any:
        if name.startswith("_"):
            raise KeyError(name)
        return self.owner.__dict__[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self.owner.__dict__[name] = value

    def __delitem__(self, name: str) -> None:
        del self.owner.__dict__[name]

    def get(self, name: str, default: Any = None) -> Any:
        """As of any mapping; there is one of each parameter, which is why it is written out."""
        return default if name.startswith("_") else self.owner.__dict__.get(name, default)

    def items(self) -> Any:
        """As of any mapping."""
        return [(name, value) for name, value in self.owner.__dict__.items() if not name.startswith("_")]

    def __iter__(self) -> Iterator[str]:
        return iter([name for name in self.owner.__dict__ if not name.startswith("_")])

    def __len__(self) -> int:
        return sum(not name.startswith("_") for name in self.owner.__dict__)
