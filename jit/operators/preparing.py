"""Preparing a statement for its next trace: lists become lists of the program, variables get places.

Knows the state of a statement; the tracing itself is the caller's.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from .merging import described_name
from .retracing import (
    Apart,
    CastNumber,
    MakePartial,
    Preparations,
    Retrace,
    Several,
    StageList,
    StageNumbers,
    with_list,
)
from .watching import NameOfContents


class Preparer:
    """Does what a Retrace asks for; `held` are the variables whose value someone else may hold too."""

    def __init__(self, names: tuple[str, ...], held: tuple[str, ...], where: str, statement: str,
                 preparations: Preparations, get_state: Callable[[], tuple], set_state: Callable[[tuple], Any]):
        self._names, self._held, self._where, self._statement = names, held, where, statement
        self._preparations = preparations
        self._get_state, self._set_state = get_state, set_state
        self._done: set[tuple] = set()

    def __call__(self, found: Retrace) -> None:
        """Prepares; TypeError where that has been done already, or cannot be."""
        key = type(found), found.index, found.path, getattr(found, "optional", None)
        if key in self._done:
            raise TypeError(
                f"{self._where}: a tensor decides about this {self._statement}, and "
                f"{described_name(self._names[found.index])} is of another kind each way. Give it the same type, and "
                "the same nesting of lists and dicts, before it and on every way through it.")
        self._done.add(key)
        if isinstance(found, MakePartial):
            self._preparations.note(found)
        elif isinstance(found, CastNumber):
            self._preparations.note_dtype(found)
        elif isinstance(found, StageNumbers):
            self._preparations.note_numbers(found)
        elif isinstance(found, Apart):
            self._preparations.apart |= found.places
        elif isinstance(found, StageList):
            self._stage_list(found)

    def _stage_list(self, found: StageList) -> None:
        name = self._names[found.index]
        name += "".join(f"[{key!r}]" for key in found.path)
        if name in self._held:
            of_contents = next((each for each in self._held if each == name and isinstance(each, NameOfContents)), None)
            if of_contents is not None:
                raise of_contents.refusal()
            raise TypeError(
                f"{self._where}: a tensor decides about this {self._statement}, and the list `{name}` grows or shrinks "
                "in it, so that its length is known only when the program runs; but another variable or the caller "
                "may hold the same list. Make the list in this function, give it one name only, and return it joined: "
                "paddle.stack(list).")
        state = list(self._get_state())
        state[found.index] = with_list(state[found.index], found.path, found.example)
        self._set_state(tuple(state))


@contextlib.contextmanager
def restoring(restore: Callable[[], Any]) -> Iterator[None]:
    """Within the block a Retrace puts the state back first."""
    try:
        yield
    except (Retrace, Several):
        restore()
        raise
