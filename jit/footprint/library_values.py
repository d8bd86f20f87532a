"""What values of Python's library hold, as mappings: threads' locals, context variables, the process's environment.

Also which of them wrap a dict or list of the user's (`UserDict`, `ChainMap`). Knows Python values alone.
"""

from __future__ import annotations

import os
import threading
from collections import ChainMap, UserDict, UserList, UserString
from collections.abc import Iterator, MutableMapping
from contextvars import ContextVar
from types import CodeType, MappingProxyType
from typing import Any

from .global_names import all_names
from .locations import ABSENT

#: What a function may hold by a name, of which a change behind its back is to be seen.
WATCHED = (ContextVar, MappingProxyType, UserDict, UserList, UserString, ChainMap, bytearray, memoryview)
WRAPPERS = (UserDict, UserList, UserString, ChainMap)
_ENVIRONMENT_NAMES = frozenset({"environ", "getenv"})


class LocalAttributes(MutableMapping):
    """The attributes of a `threading.local`, as the thread that asks has them."""

    def __init__(self, owner: threading.local):
        self.owner = owner
        self.identity = id(owner)

    def __getitem__(self, name: str) -> Any:
        return self.owner.__dict__[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self.owner.__dict__[name] = value

    def __delitem__(self, name: str) -> None:
        del self.owner.__dict__[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.owner.__dict__)

    def __len__(self) -> int:
        return len(self.owner.__dict__)


class ContextValue(MutableMapping):
    """The value of a context variable, in the context that asks, as a mapping with one key at most."""

    KEY = "get()"

    def __init__(self, variable: ContextVar):
        self._variable = variable
        self.identity = id(variable)

    def __getitem__(self, key: str) -> Any:
        value = self._variable.get(ABSENT)
        if value is ABSENT:
            raise KeyError(key)
        return value

    def __setitem__(self, key: str, value: Any) -> None:
        self._variable.set(value)

    def __delitem__(self, key: str) -> None:
        """Leaves it as it is: a variable that was set has a value from there on, in this context."""

    def __iter__(self) -> Iterator[str]:
        return iter([self.KEY] if self._variable.get(ABSENT) is not ABSENT else [])

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Environment(MutableMapping):
    """The process's environment variables, as the system has them: their objects stay what they are."""

    identity = id(os.environ)

    def __getitem__(self, key: Any) -> Any:
        return _held()[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        os.putenv(key, value)
        _held()[key] = value

    def __delitem__(self, key: Any) -> None:
        os.unsetenv(key)
        del _held()[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(list(_held()))

    def __len__(self) -> int:
        return len(_held())


def _held() -> dict[Any, Any]:
    return os.environ._data  # type: ignore[attr-defined]


def asks_environment(code: CodeType) -> bool:
    """Whether code may name what tells environment variables."""
    return not _ENVIRONMENT_NAMES.isdisjoint(all_names(code))


def tells_environment(value: Any) -> bool:
    """Whether a value is `os.environ`, or `os.getenv`, under any name."""
    return value is os.environ or value is os.getenv
