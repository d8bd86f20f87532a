"""Which results of a run are views of others, or of what the function was given: in place they change together.

Eagerly `return y, y[0]` gives two Tensors that share memory, and `return x.detach()` one that shares the caller's. A
Program gives Tensors that know nothing of each other; this says what each is a view of, as far as no tensor decides
it and no index that only a run knows. Knows Variables and Tensors; runs nothing but views.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...dygraph.value import EagerValue
from ...dygraph.views import show
from ...ops.core.trace import apply
from ...static.building.views import base_of, stand_in
from ...static.ir.variable import Variable


class _Step(NamedTuple):
    """An operator that gave a view, and its attributes; without an operator what it gave is detached."""

    op: Any
    attrs: dict[str, Any]

    def inputs(self, base: Any) -> tuple:
        return (base,) if self.op is None else (base, *[None] * (len(self.op.inputs) - 1))


class _Chain(NamedTuple):
    """What a variable is a view of, `root`, and the steps from there to it."""

    root: Variable
    steps: list[_Step]


class _View(NamedTuple):
    """The result of that name is a view of the input at `place`, or, where that is None, of the result `root`."""

    name: str
    place: int | None
    root: str
    steps: list[_Step]


class ResultViews:
    """Of one Program with these `arguments`, Variables as the function leaves them, and captured Tensors.

    `wanted` are the values that a run must give beside what it gives anyway: what several results are views of.
    """

    def __init__(self, arguments: Sequence[Variable], captured: Mapping[str, EagerValue],
                 variable_of: Callable[[EagerValue], Variable], results: Sequence[Variable]):
        places = {id(v): n for n, v in enumerate([*arguments, *map(variable_of, captured.values())])}
        leaves = list({v.name: v for v in results}.values())
        names = {id(v): v.name for v in leaves} | {id(v.is_of): v.name for v in leaves if v.is_of is not None}
        hidden: dict[int, list[tuple[Variable, _Chain]]] = {}
        self.wanted: list[Variable] = []
        self._views: list[_View] = []
        for leaf in leaves:
            chain = _chain(leaf, {*places, *names})
            if chain is None:
                continue
            place, name = places.get(id(chain.root)), names.get(id(chain.root), "")
            if place is None and not name:
                hidden.setdefault(id(chain.root), []).append((leaf, chain))
            elif name != leaf.name:
                self._views.append(_View(leaf.name, place, name, chain.steps))
        for several in hidden.values():
            root = several[0][1].root
            if _overlap(root, [chain.steps for _, chain in several]):
                self.wanted.append(root)
                self._views += [_View(leaf.name, None, root.name, chain.steps) for leaf, chain in several]

    def __bool__(self) -> bool:
        return bool(self._views)

    def put(self, results: Mapping[str, EagerValue], given: Sequence[EagerValue], places: set[int],
            are_among: bool) -> None:
        """Lets results know what they are views of: of inputs at these places, or of all else."""
        for name, place, root, steps in self._views:
            if (place in places) is not are_among:
                continue
            base = results[root] if place is None else given[place]
            for step in steps[:-1]:
                base = base.detach() if step.op is None else apply(step.op, *step.inputs(base), **step.attrs)
            if results[name] is not base:
                show(results[name], steps[-1].op, steps[-1].inputs(base), steps[-1].attrs)


def _chain(view: Variable, roots: set[int]) -> _Chain | None:
    """What a variable is a view of, up to one of `roots`, or to what is no view; None for what has a further input."""
    steps: list[_Step] = []
    while view.view_of is not None and not (steps and id(view) in roots):
        base, (_, changes, op, attrs, others) = base_of(view), view.view_of
        is_alone = all(x is None or type(x) is list and not x for x in others)
        if base.chosen and id(base) not in roots or base.changes != changes or not is_alone:
            return None
        steps.insert(0, _Step(op, attrs))
        view = base
    is_there = view.block is view.program.global_block()
    return _Chain(view, steps) if steps and is_there else None


def _overlap(root: Variable, chains: Sequence[list[_Step]]) -> bool:
    """Whether two of several views of a value show an element of it both."""
    memory, parts = stand_in(root), []
    for steps in chains:
        part = memory
        try:
            for step in steps:
                part = part if step.op is None else step.op.kernel(np, *step.inputs(part), **step.attrs)
        except (ValueError, IndexError):  # sizes that are not known yet
            return len(chains) > 1
        parts.append(part)
    return any(np.shares_memory(one, other) for n, one in enumerate(parts) for other in parts[:n])
