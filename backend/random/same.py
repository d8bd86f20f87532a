"""Loops that give the very bits that NumPy gives: they may stand in for it at any call."""

from __future__ import annotations

import functools
from collections.abc import Callable

from .. import engines, loops
from ..loops.functions import Function
from ..threads import get_num_threads

_CALL = 1 << 16  # elements that a call counts as
_WORTH_READING = 1 << 19  # elements that NumPy computes before code is looked for on the disk


class Same:
    """A loop in which each operation is rounded by itself, for arguments of given types; nothing checks them."""

    def __init__(self, python: Callable[..., None], types: str):
        self.kernel = loops.Kernel(Function(python, exact=True))
        self._types = types.split()
        self._is_shared = "parallel" in python.__code__.co_names
        self._made: Callable[..., None] | None = None
        self._elements = 0
        self._is_kept = True
        self._run: Callable[..., None] | None = None
        engines.generation.on_change(self._leave)

    def due(self, elements: int) -> Callable[..., None] | None:
        """What runs the loop on its arguments; None where it is NumPy's turn for so many elements."""
        return self._run or self._considered(elements)

    def _leave(self) -> None:
        self._run = None

    def _considered(self, elements: int) -> Callable[..., None] | None:
        """The same where it is wanted, and compiling it is worth it or was done."""
        if not loops.is_ready():
            return None
        if self._made is None:
            self._made = self._code(elements)
        self._run = self._made
        return self._made

    def _code(self, elements: int) -> Callable[..., None] | None:
        code = None
        self._elements += elements + _CALL
        if self._is_kept and self._elements >= _WORTH_READING:
            code = self.kernel.kept(*self._types)
            self._is_kept = code is not None
        if code is None and self.kernel.is_due(elements):
            code = self.kernel.typed(*self._types)
        if code is None or not self._is_shared:
            return code and functools.partial(code, 1)
        return lambda *arguments: code(get_num_threads(), *arguments)


def same(types: str) -> Callable[[Callable[..., None]], Same]:
    """Declares such a loop: a Python function in the language of kernels (`backend/loops/language.py`)."""
    return lambda python: Same(python, types)
