"""Preparing a statement for its next trace: lists become lists of the program, variables get places.

Knows the state of a statement; the tracing itself is the caller's.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

from . import program_lists, staging
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
    at,
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
            raise self._held_too(name)
        state = list(self._get_state())
        if any(each is at(state[found.index], found.path) for each in _walks.lists):
            raise walked_grows(self._where, self._statement, name)
        if staging.is_held(at(state[found.index], found.path)):
            raise self._held_too(name)
        state[found.index] = with_list(state[found.index], found.path, found.example)
        self._set_state(tuple(state))

    def _held_too(self, name: str) -> TypeError:
        return TypeError(
            f"{self._where}: a tensor decides about this {self._statement}, and the list `{name}` grows or shrinks in "
            "it, so that its length is known only when the program runs; but another variable or the caller may hold "
            "the same list. Make the list in this function, give it one name only until then, and return it joined: "
            "paddle.stack(list).")


class PreparerOfExpression(Preparer):
    """Does so for an expression, which has no state: its ways fill a list of the program that is made before it."""

    def __init__(self, name: str, where: str, preparations: Preparations):
        super().__init__((name,), (), where, "`if`", preparations, tuple, lambda _: None)
        self._list: StageList | None = None
        self._made: Any = None

    def _stage_list(self, found: StageList) -> None:
        if found.path:
            raise self._other_lengths("Write it as an `if` statement, around the list alone.")
        self._list = found

    def begin(self) -> None:
        """Makes the list that the ways will fill, if one is needed: called before they are traced."""
        self._made = None if self._list is None else with_list([], (), self._list.example)

    def staged(self, value: Any, is_held: bool) -> Any:
        """What a way gives, or the list of the program that holds it; TypeError where somebody else has it (`is_held`),
        who would not see what becomes of the other."""
        if self._list is None:
            return value
        if is_held:
            raise self._other_lengths("One of them has another name too. Give a copy of it: `list(a) if … else …`.")
        made = with_list(value, (), self._list.example)
        if not staging.is_list(made):
            return value
        program_lists.keep_list(self._made, made)
        return self._made

    def _other_lengths(self, way: str) -> TypeError:
        return TypeError(
            f"{self._where}: a tensor decides this `… if … else …`, and its sides give lists of different lengths, so "
            f"that the length is known only when the program runs. {way}")


class _Walks(threading.local):
    def __init__(self) -> None:
        self.lists: list[list] = []  # those that `for` statements walk over


_walks = _Walks()


@contextlib.contextmanager
def walking(lists: list[list]) -> Iterator[None]:
    """Within the block a loop takes its items of these lists, which cannot become lists of the program meanwhile."""
    before = _walks.lists
    _walks.lists = [*before, *lists]
    try:
        yield
    finally:
        _walks.lists = before


def walked_grows(where: str, statement: str, name: str = "") -> TypeError:
    """The error where a loop takes its items of a list whose length only a run knows."""
    shown = f"the list `{name}`" if name else "the list that it takes its items of"
    return TypeError(
        f"{where}: a tensor decides about this {statement}, and {shown} grows or shrinks in it while a `for` takes its "
        "items of that list: how many there are to come is known only when the program runs. Loop over a copy, "
        "`for item in list(items):`, or write `while len(items) > 0:` with `items.pop(0)`.")


@contextlib.contextmanager
def restoring(restore: Callable[[], Any]) -> Iterator[None]:
    """Within the block a Retrace puts the state back first."""
    try:
        yield
    except (Retrace, Several):
        restore()
        raise
