"""The Programs of a function by the kind of call, as `program_cache` shows them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakMethod

from .concrete_program import ConcreteProgram


class ProgramCache(dict[Any, ConcreteProgram]):
    """Programs by what tells their calls apart; `latest` gives that of the last call, `forget` clears the rest."""

    def __init__(self, latest: Callable[[], Any], forget: Callable[[], None]):
        super().__init__()
        self._latest, self._forget = WeakMethod(latest), WeakMethod(forget)

    def concrete_programs(self) -> list[ConcreteProgram]:
        """The Programs, in the order in which they were made."""
        return list(self.values())

    def last(self) -> tuple[Any, tuple[ConcreteProgram, ConcreteProgram]]:
        """What tells the last call from others, and its Program, with what runs it: the same here.

        Raises AssertionError where there is none yet.
        """
        if not self:
            raise AssertionError("program_cache.last(): there is no Program yet. Call the function first.")
        latest = self._latest()
        key = None if latest is None else latest()
        key = key if key in self else next(reversed(self))
        return key, (self[key], self[key])

    def clear(self) -> None:
        """Forgets the Programs: the next calls make new ones."""
        super().clear()
        forget = self._forget()
        if forget is not None:
            forget()
