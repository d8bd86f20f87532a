"""A run of a Program as the backward walk sees it: one node, whose gradients are a compiled Program's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ... import backend
from ...core.random import default_generator
from ...dygraph.eager import EagerTrace
from ...dygraph.engine import check_unchanged
from ...dygraph.value import EagerValue
from ...ops.core.backward import Leaf, Node, Output, edge_node, next_order
from ...ops.core.trace import state

if TYPE_CHECKING:
    from ...static.compiler import Plan
    from .halves import Halves
    from .program_function import ProgramFunction


def eager_trace() -> EagerTrace:
    """The eager trace in charge, whose values a run gives."""
    found = state.trace.find(EagerTrace)
    if found is None:
        raise RuntimeError("A compiled Program runs on Tensors, and no trace that computes at once is in charge.")
    return found


class ProgramNode(Node):
    """A run of a ProgramFunction as the backward walk sees it."""

    __slots__ = ("function", "halves", "wanted", "outputs", "leaves", "random_state")

    flows_within = True

    def __init__(self, function: ProgramFunction, halves: Halves, wanted: tuple[int, ...], edges: list[Any],
                 saved: tuple, outputs: Sequence[EagerValue], random_state: Any):
        self.edges, self.saved, self.order, self.hooks = edges, saved, next_order(), None
        self.function, self.halves, self.wanted, self.random_state = function, halves, wanted, random_state
        self.outputs = [((array := o._array).shape, array.dtype) for o in outputs]
        self.leaves = [outputs[index]._array for index in halves.leaves] if halves.leaves else []

    @property
    def type(self) -> str:
        """The name that profiles have for a compiled Program."""
        return "run_program"

    @property
    def count(self) -> int:
        """How many outputs the Program has."""
        return len(self.outputs)

    def kept_arrays(self) -> list[Any]:
        """The inputs' arrays that the gradient reads, and which must not have been changed in place since."""
        if self.saved is None:
            return []
        return [self.saved[0][index] for index in self.halves.read]

    def gradients(self, gs: Sequence[Any], saved: tuple) -> Sequence[Any]:
        """The gradients of the inputs: arrays from the backward plan, Tensors where they are to be differentiated."""
        is_whole = True
        for g in gs:  # a loop: this is asked at every step
            if g is None:
                is_whole = False
            elif isinstance(g, EagerValue):
                return self._recorded_gradients(gs, saved)
        inputs, kept = saved
        halves = self.halves
        plan: Plan | None = halves.backward
        found = halves.found
        xp = backend.namespace_of(inputs)
        if not is_whole and len(given := self._given(gs)) < len(halves.recorded):
            plan, found = self.function.part(self.wanted, given)
        cotangents = gs if is_whole else self._cotangents(gs, xp)
        if plan is None:
            results = self._computed_again(gs, saved)
        else:
            results = plan(xp, [*cotangents, *[inputs[index] for index in halves.passed], *kept])
        gradients: list[Any] = [None] * halves.count
        for index, gradient in zip(found, results, strict=True):
            edge = self.edges[index]
            if type(edge) is Leaf or not _is_freed(edge) or gradient.any():  # else a way reads it that was not taken
                gradients[index] = gradient
        return gradients

    def _given(self, gs: Sequence[Any]) -> tuple[int, ...]:
        """The outputs to which gradients came."""
        return tuple([index for index in self.halves.recorded if gs[index] is not None])

    def _cotangents(self, gs: Sequence[Any], xp: Any) -> list[Any]:
        return [xp.zeros(shape, dtype) if g is None else g for g, (shape, dtype) in zip(gs, self.outputs, strict=True)]

    def _recorded_gradients(self, gs: Sequence[Any], saved: tuple) -> Sequence[Any]:
        function, found = self.function.recorded_gradient(self.wanted, self._given(gs))
        by_input = dict(zip(found, self._run_again(function, gs, saved), strict=True))
        return [by_input.get(index) for index in range(len(self.edges))]

    def _computed_again(self, gs: Sequence[Any], saved: tuple) -> Sequence[Any]:
        """The gradients by way of the forward half, of which other values were kept."""
        return self._plainly(self.function.recorded_gradient(self.wanted, self._given(gs))[0], gs, saved)

    def _plainly(self, function: ProgramFunction, gs: Sequence[Any], saved: tuple) -> Sequence[Any]:
        """What a function of inputs, leaves, inner outputs and cotangents gives, as arrays."""
        self._check_all(saved)
        xp, own = backend.namespace_of(saved[0]), self.function
        inner = own.inner(self.wanted)
        with _random_state(self.random_state):
            made = own.plan()(xp, saved[0]) if inner else []
        given = [made[index] for index in inner]
        with _random_state(self.random_state):
            return function.plan()(xp, [*saved[0], *self.leaves, *given, *self._cotangents(gs, xp)])

    def _run_again(self, function: ProgramFunction, gs: Sequence[Any], saved: tuple) -> list[EagerValue]:
        """What a function of inputs, leaves, inner outputs and cotangents gives, with what the run drew at random.

        Inner outputs are computed again: nobody keeps them, and their Tensors may have been changed in place.
        """
        self._check_all(saved)
        xp, new = backend.namespace_of(saved[0]), eager_trace().new
        unchanged = set(self.halves.unchanged)
        tensors = []
        for index, (array, edge) in enumerate(zip([*saved[0], *self.leaves], self.edges, strict=True)):
            is_former = index < len(saved[0]) and index not in unchanged  # as the run found it, before it wrote
            tensor = new(array.view() if is_former else array)
            tensor._edge = edge
            tensors.append(tensor)
        inner = self.function.inner(self.wanted)
        with _random_state(self.random_state):
            made = self.function.plan()(xp, saved[0]) if inner else []
        for index in inner:
            tensor = new(xp.asarray(made[index]))
            tensor._edge = Output(self, index)
            tensors.append(tensor)
        tensors += [g if isinstance(g, EagerValue) else new(a)
                    for g, a in zip(gs, self._cotangents([getattr(g, "_array", g) for g in gs], xp), strict=True)]
        with _random_state(self.random_state):
            return function(tensors)

    def _check_all(self, saved: tuple) -> None:
        """Raises ModifiedInPlaceError where what runs the Program again would find another input."""
        check_unchanged(self, [saved[0][index] for index in self.halves.unchanged])

    def whole(self, index: int, gs: Sequence[Any], read_saved: Callable[[Node], tuple]) -> Any:
        """The gradient of an output, with what comes to it from outputs that the Program computes from it."""
        function = self.function.whole_gradient(self.wanted, index) if index in self.halves.recorded else None
        if function is None:
            return gs[index]
        saved = read_saved(self)
        if any(isinstance(g, EagerValue) for g in gs):
            return self._run_again(function, gs, saved)[0]
        return self._plainly(function, gs, saved)[0]

    def last_first(self, places: Iterable[tuple[int, int | None]]) -> Iterable[tuple[int, int | None]]:
        """The places of outputs, those that the Program computes last first."""
        return sorted(places, key=lambda place: self.function.made_at[place[0]], reverse=True)


class _random_state:
    """Within the block random numbers are those that were drawn after the given state."""

    def __init__(self, state: Any):
        self.state = state

    def __enter__(self) -> None:
        if self.state is not None:
            self.before = default_generator().get_state()
            default_generator().set_state(self.state)

    def __exit__(self, *_: Any) -> None:
        if self.state is not None:
            default_generator().set_state(self.before)


def _is_freed(edge: Any) -> bool:
    """Whether what made a value has been walked, and cannot be again."""
    node = edge_node(edge)
    return node is not None and node.saved is None
