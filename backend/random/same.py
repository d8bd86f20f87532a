"""Loops that give the very bits that NumPy gives: they may stand in for it at any call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import loops
from ..loops.functions import Function
from ..threads import get_num_threads

_CALL = 1 << 16  # elements that a call counts as
_WORTH_READING = 1 << 19  # elements that NumPy computes before code is looked for on the disk


class Same:
    """A loop in which each operation is rounded by itself, for arguments of given types; nothing checks them."""

    def __init__(self, python: Callable[..., None], types: str):
        self.kernel = loops.Kernel(Function(python, exact=True))
        self._types = types.split()
        self._code: Callable[..., None] | None = None
        self._elements = 0
        self._is_kept = True

    def is_due(self, elements: int) -> bool:
        """Whether to call the loop for so many elements: it is wanted, and compiling it is worth it or was done."""
        if not loops.is_ready():
            return False
        if self._code is None:
            self._elements += elements + _CALL
            if self._is_kept and self._elements >= _WORTH_READING:
                self._code = self.kernel.kept(*self._types)
                self._is_kept = self._code is not None
            if self._code is None and self.kernel.is_due(elements):
                self._code = self.kernel.typed(*self._types)
        return self._code is not None

    def __call__(self, *arguments: Any) -> None:
        """Runs the loop, after `is_due` has said so."""
        assert self._code is not None
        self._code(get_num_threads(), *arguments)


def same(types: str) -> Callable[[Callable[..., None]], Same]:
    """Declares such a loop: a Python function in the language of kernels (`backend/loops/language.py`)."""
    return lambda python: Same(python, types)
