"""Which Tensors of before a run leaves in the places that a function rebinds, and returns: the very ones.

`if x.sum() > 0: self.h = cell(x)` leaves the Tensor that was there where the condition does not hold, and whoever else
holds that Tensor shows what is done to it later in place; so does `self.last = x` with the caller's. A Program gives
new Tensors only; this says which of those of before stand in their place. Knows Variables and Tensors; runs nothing.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ...core import nest
from ...dygraph.value import EagerValue
from ...dygraph.views import base_of
from ...ops.math.unary import logical_not
from ...static.building.views import as_read
from ...static.ir.variable import Variable
from ..errors import ConversionError
from ..footprint.slots import Slot


def _is_shared(value: Any, places: Mapping[int, int]) -> bool:
    """Whether a Tensor is held in several places, is a view of another one, or has views."""
    return isinstance(value, EagerValue) and (
        places.get(id(value), 0) > 1 or base_of(value) is not None or weakref.getweakrefcount(value) > 0)


class _Same(NamedTuple):
    """What a result is where the value named `flag` holds (None: always): the input at `place`, or result `name`."""

    flag: str | None
    place: int | None
    name: str


class SameTensors:
    """Of one Program with these `arguments`, Variables as the function leaves them, and captured Tensors.

    `wanted` are the values that a run must give beside what it gives anyway.
    """

    def __init__(self, arguments: list[Variable], captured: Mapping[str, EagerValue],
                 variable_of: Callable[[EagerValue], Variable]):
        self._indices = {id(variable): index for index, variable in enumerate(arguments)}
        for number, tensor in enumerate(captured.values(), len(arguments)):
            self._indices[id(tensor)] = self._indices[id(variable_of(tensor))] = number
        self.wanted: list[Variable] = []
        self._same: dict[str, list[_Same]] = {}  # by the name of a result
        self._names: dict[int, str] = {}  # of the results that variables, by id, are in a run

    def __bool__(self) -> bool:
        return bool(self._same)

    def note_results(self, leaves: list[Variable]) -> None:
        """Notes what the function returns, as far as it is an input, or a condition decides if it is one or another."""
        results = set(map(id, leaves))
        for leaf in leaves:
            if id(leaf) in self._indices:
                self._same[leaf.name] = [_Same(None, self._indices[id(leaf)], "")]
                continue
            chosen = leaf.is_of if leaf.is_of is not None and leaf.is_of.chosen else leaf
            found = [self._where(condition if holds else logical_not(condition), value)
                     for condition, holds, value, _ in chosen.chosen
                     if condition is not None and _is_outside(value) and self._is_known(value, results)]
            if found:
                self._same[leaf.name] = found

    def _is_known(self, value: Any, results: set[int]) -> bool:
        """Whether a value is an input or a result, or may be one of those that are."""
        return id(value) in self._indices or id(value) in results or isinstance(value, Variable) and any(
            self._is_known(other, results) for _, _, other, _ in value.chosen)

    def note_slot(self, slot: Slot, places: Mapping[int, int], where: str) -> None:
        """Notes what a place is given, as it was before it was brought up to date.

        ConversionError where only a run knows, of turns or nested branches, whether it is a Tensor that is held
        elsewhere too (`places`: how often each is held, by id).
        """
        for leaf in nest.leaves(slot.after):
            if isinstance(leaf, Variable):
                if any(condition is None and _is_shared(value, places) for condition, _, value, _ in leaf.chosen):
                    raise ConversionError(
                        where, f"whether `{slot.shown}` keeps the tensor that was there depends on how often a loop "
                        "runs, or on an `if` inside of another, which tensors decide; and the same tensor, or "
                        "a view, is held elsewhere too, and would change in place with it, or would not.",
                        "Give one of them a copy: x.clone().")
                self._note(leaf)

    def _note(self, leaf: Variable) -> str:
        if id(leaf) not in self._names:
            now = as_read(leaf)
            self.wanted.append(now)
            self._names[id(leaf)] = now.name
            index = self._indices.get(id(leaf))
            found = [] if index is None else [_Same(None, index, "")]
            found += [self._where(condition if holds else logical_not(condition), value)
                      for condition, holds, value, _ in leaf.chosen if condition is not None and _is_outside(value)]
            if found:
                self._same[now.name] = found
        return self._names[id(leaf)]

    def _where(self, flag: Variable, value: Any) -> _Same:
        self.wanted.append(flag)
        index = self._indices.get(id(value))
        return _Same(flag.name, index, self._note(value) if index is None else "")

    def put(self, results: dict[str, EagerValue], given: list[EagerValue]) -> None:
        """Puts the Tensors that a run was given in the place of those results that are these."""
        made = dict(results)

        def settled(name: str) -> EagerValue:
            for flag, index, other in self._same.get(name, ()):
                if flag is None or bool(made[flag]):
                    return settled(other) if index is None else given[index]
            return made[name]

        for name in self._same:
            results[name] = settled(name)


def _is_outside(value: Any) -> bool:
    """Whether a value that a condition chose was not made in a branch, as a view there: that is no Tensor of before."""
    return not isinstance(value, Variable) or value.block is value.program.global_block()
