"""Scopes: where the values of persistable variables are kept between runs, by name."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from ... import backend
from ...core.place import CPUPlace, Place


class ScopeTensor:
    """The value of one variable of a scope: `numpy.array(t)` reads it, `t.set(array, place)` replaces it."""

    def __init__(self, variable: ScopeVariable):
        self._variable = variable

    def set(self, array: Any, place: Place | None = None) -> None:
        """Replaces the value."""
        self._variable.array = backend.as_place(np.array(array), place or CPUPlace())

    def shape(self) -> list[int]:
        """The sizes."""
        return [] if self._variable.array is None else list(self._variable.array.shape)

    def _is_initialized(self) -> bool:
        return self._variable.array is not None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if self._variable.array is None:
            raise RuntimeError(f"The variable {self._variable.name!r} has no value yet: run the startup Program first.")
        array = backend.to_numpy(self._variable.array)
        return array.astype(dtype) if dtype is not None else array.copy()


class ScopeVariable:
    """A named place in a scope."""

    def __init__(self, name: str):
        self._name = name
        self.array: Any = None

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    def get_tensor(self) -> ScopeTensor:
        """The value, to be read or replaced."""
        return ScopeTensor(self)


class Scope:
    """Variables by name; one that is not found here is looked up in the parent."""

    def __init__(self, parent: Scope | None = None):
        self._parent = parent
        self._variables: dict[str, ScopeVariable] = {}

    def var(self, name: str) -> ScopeVariable:
        """The variable of this name, made when there is none."""
        return self.find_var(name) or self._variables.setdefault(name, ScopeVariable(name))

    def find_var(self, name: str) -> ScopeVariable | None:
        """The variable of this name, or None."""
        found = self._variables.get(name)
        return found if found is not None or self._parent is None else self._parent.find_var(name)

    def local_var_names(self) -> list[str]:
        """The names in this very scope."""
        return list(self._variables)

    def new_scope(self) -> Scope:
        """A scope inside this one."""
        return Scope(self)

    def erase(self, names: list[str]) -> None:
        """Forgets variables."""
        for name in names:
            self._variables.pop(name, None)

    def array(self, name: str) -> Any:
        """The array of a variable; None when there is none."""
        found = self.find_var(name)
        return None if found is None else found.array

    def set_array(self, name: str, array: Any) -> None:
        """Sets the array of a variable."""
        self.var(name).array = array


_scopes = [Scope()]


def global_scope() -> Scope:
    """The scope that an Executor uses unless it is given another."""
    return _scopes[-1]


@contextlib.contextmanager
def scope_guard(scope: Scope) -> Iterator[None]:
    """Within the block, `scope` is the global one."""
    _scopes.append(scope)
    try:
        yield
    finally:
        _scopes.pop()
