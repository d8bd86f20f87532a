"""What a Program relies on beside its arguments: where the Tensors it reads are kept, values Python has read, code.

`self.mask = other` between two calls gives the Program another Tensor to read, where it is of the same kind and was
kept in one place only; otherwise the Program does not fit any more. Knows Tensors and mappings; runs nothing.
"""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np

from ...backend import to_numpy
from ...core import nest
from ...dygraph.value import EagerValue
from ...nn import Layer
from .layer_guards import CodeGuards
from .locations import ABSENT, BARE, Guard
from .surroundings import Surroundings

_PLAIN = (bool, int, float, str)


class _Place:
    """An entry of a mapping that held a Tensor which the Program reads as its captured value number `index`."""

    __slots__ = ("mapping", "key", "tensor", "index", "is_only", "wants_gradient")

    def __init__(self, mapping: Any, key: Any, tensor: EagerValue, index: int, is_only: bool, wants_gradient: bool):
        self.mapping, self.key, self.tensor, self.index = mapping, key, tensor, index
        self.is_only, self.wants_gradient = is_only, wants_gradient

    def takes(self, now: Any) -> bool:
        """Whether another value may be read in place of the Tensor."""
        old = self.tensor
        return (self.is_only and type(now) is type(old) and now._array.shape == old._array.shape
                and now._array.dtype == old._array.dtype and (self.wants_gradient or now.stop_gradient))


class Captured(NamedTuple):
    """What a trace has met of Tensors: in order, and of each whether a gradient may be wanted.

    `looked_at` are those whose values Python has seen, with these; `rebound` those that the function changes in place.
    """

    tensors: list[EagerValue]
    wanted: list[bool]
    looked_at: list[tuple[EagerValue, np.ndarray]]
    rebound: list[EagerValue]


class Dependencies:
    """Of one Program; `values` are the captured Tensors, in order, kept up to date by `hold`."""

    def __init__(self, captured: Captured, surroundings: Surroundings, in_slots: set[int], code: CodeGuards):
        self.values = list(captured.tensors)
        number = {id(t): i for i, t in enumerate(self.values) if id(t) not in in_slots}
        self._places: list[_Place] = []
        self._nested: list[tuple[Any, Any, Any]] = []
        self._lists: list[tuple[list, list]] = []
        self.guards: list[Guard] = []  # Python values that were read
        self.code = code
        self._read = [(t, a) for t, a in captured.looked_at if id(t) not in in_slots]
        self.read_and_changed = [t.name for t, _ in captured.looked_at if any(t is each for each in captured.rebound)]
        self._settings = [(mapping, key, value) for mapping, contents in surroundings.settings
                          for key, value in contents.items()
                          if isinstance(value, _PLAIN) and mapping.get(key) == value]
        counted = {id(layer._sub_layers) for layer in surroundings.layers}
        for mapping, _, contents in surroundings.mappings:
            for key, value in contents.items():
                if type(value) in BARE:
                    continue
                index = number.get(id(value))
                if index is not None:
                    is_only = surroundings.places[id(value)] == 1
                    self._places.append(_Place(mapping, key, value, index, is_only, captured.wanted[index]))
                elif isinstance(value, Layer) and id(mapping) not in counted:
                    self._nested.append((mapping, key, value))
                elif isinstance(value, (list, tuple)) and any(id(leaf) in number for leaf in nest.leaves(value)):
                    self._nested.append((mapping, key, value))
        for items, _, held in surroundings.sequences:
            if isinstance(items, list) and any(id(item) in number for item in held):
                self._lists.append((items, held))

    def hold(self) -> bool:
        """Whether the Program may be run: everything is where it was, or another Tensor of its kind is there."""
        for place in self._places:
            now = place.mapping.get(place.key, ABSENT)
            if now is not place.tensor:
                if not place.takes(now):
                    return False
                place.tensor = self.values[place.index] = now
        if not self.code.classes_hold():
            return False
        for guard in self.guards:  # loops: this is asked at every call
            if not guard.holds():
                return False
        for a, b in self._lists:
            if len(a) != len(b) or not all(map(operator.is_, a, b)):
                return False
        for mapping, key, value in self._nested:
            if mapping.get(key, ABSENT) is not value:
                return False
        for tensor, array in self._read:
            if not is_same(tensor, array):
                return False
        return True

    def layers_hold(self) -> bool:
        """Whether layers, their functions and settings are what they were; `mode_changes` says when to ask."""
        return self.code.layers_hold() and all(
            mapping.get(key, ABSENT) == value for mapping, key, value in self._settings)


def is_same(tensor: EagerValue, value: np.ndarray) -> bool:
    """Whether a Tensor holds this value."""
    now = to_numpy(tensor._array)
    return now.shape == value.shape and now.dtype == value.dtype and bool(np.array_equal(now, value))
