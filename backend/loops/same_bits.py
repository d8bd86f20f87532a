"""When machine code takes over from NumPy's functions that give the same bits: when they have taken its time.

Nobody sees when that is, so that it may depend on the clock, and on what the disk has.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from .kernel import Kernel

WORTH_ITS_MAKING = 0.02  # seconds in NumPy's functions after which machine code is made: its making takes some 50 ms
WORTH_THE_COMPILER = 0.16  # the same of all such code, where LLVM is to be imported: both take so long, and 80 MB
WORTH_A_LOOK = 0.001  # the same after which machine code is looked for on disk
_LARGE = 1 << 17  # elements for which that is done at once
_FIRST = 1e-5  # what the first call counts, in which there is more to do than in later ones


class _All:
    """What NumPy's functions have taken of the code that was not made yet."""

    spent = 0.0


class SameBits:
    """A kernel for arguments of given types, and what NumPy's functions in its place have taken so far, in seconds."""

    def __init__(self, kernel: Kernel, types: tuple[str, ...]):
        self.kernel, self.types, self.spent = kernel, types, 0.0
        self.machine: Callable[..., None] | None = None
        self.has_looked = False  # at what is on disk

    def by_now(self, elements: int) -> Callable[..., None] | None:
        """The machine code, where it is time for it."""
        if self.machine is not None:
            return self.machine
        if not self.has_looked and (self.spent >= WORTH_A_LOOK or elements >= _LARGE):
            self.has_looked, self.machine = True, self.kernel.kept(*self.types)
        if self.machine is None and self.spent >= WORTH_ITS_MAKING and _has_compiler():
            self.machine = self.kernel.typed(*self.types)
        return self.machine

    def took(self, begin: float, times: int = 1) -> None:
        """Counts what NumPy's functions have done since `begin`, by `time.thread_time`: or so many times that."""
        seconds = (time.thread_time() - begin) * times if self.spent else _FIRST
        self.spent += seconds
        _All.spent += seconds


def _has_compiler() -> bool:
    """Whether LLVM is there, or worth its import."""
    return _All.spent >= WORTH_THE_COMPILER or "llvmlite.binding" in sys.modules
