"""Dispatchers: which parameter server gets which variable. One of the user's own is a subclass of PSDispatcher."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any


class PSDispatcher:
    """Base of the dispatchers: `dispatch(varlist)` gives an endpoint for each variable, in order."""

    def __init__(self, pserver_endpoints: Sequence[str]):
        self._eps = list(pserver_endpoints)
        self._step = 0

    @property
    def eps(self) -> list[str]:
        """The endpoints of the servers."""
        return self._eps

    def reset(self) -> None:
        """Begins anew with the first server."""
        self._step = 0

    def dispatch(self, varlist: Sequence[Any]) -> list[str]:
        """The endpoint of the server of each variable."""
        raise NotImplementedError(f"{type(self).__name__}.dispatch(varlist): give an endpoint of self.eps for each.")


class RoundRobin(PSDispatcher):
    """One server after the other.

    >>> from proa.fluid.transpiler import RoundRobin
    >>> RoundRobin(["a:1", "b:1"]).dispatch(["x", "y", "z"])
    ['a:1', 'b:1', 'a:1']
    """

    def dispatch(self, varlist: Sequence[Any]) -> list[str]:
        """The endpoint of the server of each variable; the next call goes on behind the last one."""
        found = []
        for _ in varlist:
            found.append(self._eps[self._step])
            self._step = (self._step + 1) % len(self._eps)
        return found


class HashName(PSDispatcher):
    """By the variables' names alone, in every process alike.

    >>> from proa.fluid.transpiler import HashName
    >>> HashName(["a:1", "b:1"]).dispatch(["x", "x"])[0] in ("a:1", "b:1")
    True
    """

    def dispatch(self, varlist: Sequence[Any]) -> list[str]:
        """The endpoint of the server of each variable, by the CRC-32 of its name."""
        return [self._eps[zlib.crc32(getattr(var, "name", var).encode()) % len(self._eps)] for var in varlist]


__all__ = ["HashName", "PSDispatcher", "RoundRobin"]
