"""Sizes that change from call to call: after some shapes, one Program that leaves them open serves all further ones."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from ...core import nest
from ...core.flags import values as flags
from ...static.ir.input_spec import InputSpec
from ...static.ir.variable import Variable
from .concrete_program import ConcreteProgram

Shapes = tuple[tuple[int, ...], ...]


class OpenSizes:
    """The shapes that a function was called with, by what its Programs depend on beside them."""

    def __init__(self) -> None:
        self._seen: dict[Hashable, dict[Hashable, Shapes]] = {}  # by kind of call
        self._closed: set[Hashable] = set()

    def opened(self, rest: Hashable, kind: Hashable, specs: dict[str, Any]) -> dict[str, Any] | None:
        """The specs with each size left open that has changed; None until there were enough shapes, and where a size
        that has changed is 0 or 1, which broadcast.
        """
        enough = flags["FLAGS_to_static_shapes"]
        if rest in self._closed or not enough:
            return None
        shapes = tuple(leaf.shape for leaf in nest.leaves(specs) if isinstance(leaf, InputSpec))
        seen = self._seen.setdefault(rest, {})
        if kind not in seen and len(seen) < enough:
            seen[kind] = shapes
            return None
        sizes = [list(zip(*of_one, strict=True)) for of_one in zip(*seen.values(), shapes, strict=True)]
        changed = [[len(set(found)) > 1 for found in of_one] for of_one in sizes]
        if any(now in (0, 1) and changes for shape, of_one in zip(shapes, changed, strict=True)
               for now, changes in zip(shape, of_one, strict=True)):
            return None
        following = iter(changed)
        return nest.map_structure(
            lambda leaf: _open(leaf, next(following)) if isinstance(leaf, InputSpec) else leaf, specs)

    def kinds(self, rest: Hashable) -> list[Hashable]:
        """The kinds of calls whose shapes were counted, the latest first."""
        return list(reversed(self._seen[rest]))

    def close(self, rest: Hashable) -> None:
        """No size is left open in calls of this kind from now on."""
        self._closed.add(rest)


def rank_of(spec: InputSpec) -> InputSpec:
    """The spec with no size known."""
    return InputSpec([-1] * len(spec.shape), spec.dtype, spec.name, spec.stop_gradient)


def _open(spec: InputSpec, changed: list[bool]) -> InputSpec:
    sizes = [-1 if open_ else size for open_, size in zip(changed, spec.shape, strict=True)]
    return InputSpec(sizes, spec.dtype, spec.name, spec.stop_gradient)


def stands_for(program: ConcreteProgram, exact: ConcreteProgram) -> bool:
    """Whether a Program with open sizes gives what one for known sizes does: the same structure of tensors of the same
    dtypes and ranks, the same other values; and none changes what Python holds, which sizes could go into.
    """
    if program.slots or program.effects or exact.slots or exact.effects:
        return False
    if list(nest.leaf_names(program.result, "")) != list(nest.leaf_names(exact.result, "")):
        return False
    return all(nest.flatten(nest.map_structure(_alike, program.result, exact.result)))


def _alike(found: Any, known: Any) -> bool:
    if not isinstance(found, Variable) or not isinstance(known, Variable):
        return type(found) is type(known) and bool(found == known)
    fits = all(size in (-1, other) for size, other in zip(found.shape, known.shape, strict=False))
    return found.dtype is known.dtype and len(found.shape) == len(known.shape) and fits
