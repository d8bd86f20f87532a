"""Scopes: where the values of persistable variables are kept between runs, by name."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from .lod_tensor import LoDTensor
from .selected_rows import SelectedRows


class ScopeVariable:
    """A named place in a scope."""

    def __init__(self, name: str):
        self._name = name
        self._tensor = LoDTensor(name=name)
        self._rows: SelectedRows | None = None  # where it was asked for as these
        self._number = 0

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def array(self) -> Any:
        """The array of its value; None where it has none."""
        return self._tensor._value

    @array.setter
    def array(self, array: Any) -> None:
        self._tensor._value = array

    def get_tensor(self) -> LoDTensor:
        """The value, to be read or replaced."""
        return self._tensor

    def get_selected_rows(self) -> SelectedRows:
        """The value as some rows of a matrix, to be read or replaced: from here on it is these."""
        if self._rows is None:
            self._rows = SelectedRows()
        return self._rows

    def set_int(self, number: int) -> None:
        """Keeps a number of Python in place of a tensor, as tests of scopes do."""
        self._number = int(number)

    def get_int(self) -> int:
        """The number that `set_int` has kept."""
        return self._number

    @property
    def is_rows(self) -> bool:
        """Whether the value is some rows of a matrix."""
        return self._rows is not None

    def take(self, found: LoDTensor) -> None:
        """Shares what an operator has given."""
        if self._rows is None:
            self._tensor._share_data_with(found)
        else:
            self._rows.take(found._value)


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

    def drop_kids(self) -> None:
        """Nothing: a scope inside this one lives as long as someone holds it."""

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
    """The scope that an Executor uses unless it is given another.

    >>> import proa as paddle
    >>> from proa import static
    >>> static.global_scope().find_var("never made") is None
    True
    """
    return _scopes[-1]


def switch_scope(scope: Scope) -> Scope:
    """Puts a scope in the place of the one that is the global one now, which it gives."""
    before, _scopes[-1] = _scopes[-1], scope
    return before


@contextlib.contextmanager
def scope_guard(scope: Scope) -> Iterator[None]:
    """Within the block, `scope` is the global one.

    >>> import proa as paddle
    >>> from proa import static
    >>> mine = static.Scope()
    >>> with static.scope_guard(mine):
    ...     same = static.global_scope() is mine
    >>> same
    True
    """
    _scopes.append(scope)
    try:
        yield
    finally:
        _scopes.pop()
