"""Recomputation: a function whose intermediate values are freed at once, and computed again for its gradient.

Chen et al., Training Deep Nets with Sublinear Memory Cost, 2016. The function runs and is recorded as usual; then its
part of the graph is replaced by one node, which knows where gradients leave that part. Its gradient runs the function
again, from the same inputs and random state, and walks the new part. Knows Tensors and layers' buffers, no Program.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ..core import nest
from ..core.errors import ModifiedInPlaceError
from ..core.random import default_generator
from ..ops.core.backward import Node, Output, edge_node, next_order, reachable_nodes
from ..ops.core.operator import Operator
from ..ops.core.trace import Trace, grad_mode, state, using
from ..ops.core.trace_around import TraceAround
from .eager import EagerTrace
from .engine import walk_segment
from .value import EagerValue


class _Changing(TraceAround):
    """Keeps what each value had to which the function gives something else; not of what was made behind `since`."""

    def __init__(self, inner: Trace, since: int):
        super().__init__(inner)
        self.since, self.before = since, _Former()

    def replaces(self, value: Any) -> None:
        """Keeps the array."""
        if not _is_inner(value._edge, self.since):
            self.before.note(value)
        self.inner.replaces(value)

    def sets_buffer(self, buffers: dict[str, Any], name: str) -> None:
        """Keeps the Tensor that is the buffer so far."""
        self.before.buffers.setdefault((id(buffers), name), (buffers, buffers.get(name)))
        self.inner.sets_buffer(buffers, name)


class _Watched(_Changing):
    """Knows which Tensors are read, too.

    `read` has those that no recorded operation made, each with its array, and holds on to neither.
    """

    def __init__(self, inner: Trace, since: int):
        super().__init__(inner, since)
        self.read: dict[int, tuple[weakref.ref[EagerValue], weakref.ref[Any]]] = {}

    def apply(self, op: Operator, inputs: tuple, attrs: dict[str, Any]) -> Any:
        """Applies the operator."""
        for tensor in nest.leaves(inputs):
            if isinstance(tensor, EagerValue) and (tensor.is_leaf or tensor.stop_gradient):
                known = self.read.get(id(tensor))
                if known is None or known[0]() is not tensor:
                    self.read[id(tensor)] = weakref.ref(tensor), weakref.ref(tensor._array)
        return self.inner.apply(op, inputs, attrs)


class _Former:
    """The first arrays and edges of Tensors, the first Tensors that were buffers."""

    def __init__(self) -> None:
        self.tensors: dict[int, tuple[weakref.ref[EagerValue], Any, Any]] = {}
        self.buffers: dict[tuple[int, str], tuple[dict[str, Any], Any]] = {}

    def note(self, tensor: EagerValue) -> None:
        """Keeps what a Tensor has, if nothing is kept of it."""
        known = self.tensors.get(id(tensor))
        if known is None or known[0]() is not tensor:
            self.tensors[id(tensor)] = weakref.ref(tensor), tensor._array, tensor._edge

    def changed(self) -> _Former:
        """What is no longer as it was, and still there."""
        found = _Former()
        for key, (reference, array, edge) in self.tensors.items():
            tensor = reference()
            if tensor is not None and tensor._array is not array:
                found.tensors[key] = reference, array, edge
        found.buffers = {key: (owner, former) for key, (owner, former) in self.buffers.items()
                         if owner.get(key[1]) is not former}
        return found

    def now(self) -> _Former:
        """The same Tensors and buffers as they are."""
        found = _Former()
        for reference, _, _ in self.tensors.values():
            tensor = reference()
            if tensor is not None:
                found.note(tensor)
        found.buffers = {key: (owner, owner.get(key[1])) for key, (owner, _) in self.buffers.items()}
        return found

    def put_back(self) -> None:
        """Gives Tensors and Layers what they had."""
        for reference, array, edge in self.tensors.values():
            tensor = reference()
            if tensor is not None:
                tensor._array, tensor._edge = array, edge
        for (_, name), (owner, tensor) in self.buffers.items():
            owner[name] = tensor


class Segment:
    """One call of a recomputed function: what it takes to run it again with the same outcome."""

    def __init__(self, function: Callable[..., Any], args: tuple, kwargs: dict[str, Any], preserve_rng_state: bool):
        self.function, self.args, self.kwargs = function, args, kwargs
        self.trace = state.trace.bare()
        self.eager = self.trace.find(EagerTrace).plain  # type: ignore[union-attr]
        self.random_state = default_generator().get_state() if preserve_rng_state else None
        self.given = {id(t): (t, t._array, t._edge) for t in nest.leaves([args, kwargs]) if isinstance(t, EagerValue)}
        self.before = _Former()  # what the call found in Tensors and Layers that it changed
        self.read: list[tuple[weakref.ref[EagerValue], weakref.ref[Any]]] = []

    def run(self) -> tuple[Any, int]:
        """The function's result, and the order from which on nodes belong to it."""
        watched = _Watched(self.trace, next_order())
        with using(watched), grad_mode(True):
            result = self.function(*self.args, **self.kwargs)
        self.before = watched.before.changed()
        self.read = [found for key, found in watched.read.items()
                     if key not in self.before.tensors and _is_unchanged(*found)]
        return result, watched.since

    def run_again(self) -> tuple[Any, int]:
        """As `run`; what the call changes is left as it is."""
        for tensor, array in self.read:
            if not _is_unchanged(tensor, array):
                raise ModifiedInPlaceError(
                    f"The gradient of a recomputed function needs a value of shape {tensor().shape} that was changed "  # type: ignore[union-attr]
                    "after the function ran, by an optimizer's step or in place: it cannot be computed again. Call "
                    "backward() before the change.")
        args, kwargs = nest.map_structure(self._as_given, (self.args, self.kwargs))
        now = self.before.now()
        watched = _Changing(self.trace, next_order())
        try:
            self.before.put_back()
            with _random_state(self.random_state), using(watched), grad_mode(True):
                result = self.function(*args, **kwargs)
        finally:
            watched.before.put_back()
            now.put_back()
        return result, watched.since

    def _as_given(self, leaf: Any) -> Any:
        """An argument as it was: another Tensor where its gradient has been cut off, or let flow, since, or where it
        has other values by now, which only `set_value` and what it is a view of can give it without an error.
        """
        tensor, array, edge = self.given.get(id(leaf), (None, None, None))
        is_as_it_was = tensor is None or leaf._array is array or id(leaf) in self.before.tensors
        if tensor is None or leaf._edge is edge and is_as_it_was:
            return leaf
        former = tensor._eager.new(array)
        former._edge = edge
        return former

    def arrays_found(self) -> list[Any]:
        """The arrays of the arguments that the call did not change itself."""
        return [array for key, (_, array, _) in self.given.items() if key not in self.before.tensors]


def _is_unchanged(tensor: weakref.ref[EagerValue], array: weakref.ref[Any]) -> bool:
    """Whether a Tensor has the array still that it had, or is gone: nobody can give that another one."""
    found = tensor()
    return found is None or found._array is array()


@contextlib.contextmanager
def _random_state(random_state: Any) -> Iterator[None]:
    """Within the block random numbers are those that were drawn after the given state (None: the current one)."""
    generator = default_generator()
    before = generator.get_state()
    if random_state is not None:
        generator.set_state(random_state)
    try:
        yield
    finally:
        if random_state is not None:
            generator.set_state(before)


class RecomputeNode(Node):
    """A call of a recomputed function as the backward walk sees it."""

    __slots__ = ("_count", "kept")

    def __init__(self, segment: Segment, edges: list[Any], count: int, kept: list[Any]):
        super().__init__(edges, (segment,))
        self._count, self.kept = count, kept

    @property
    def type(self) -> str:
        """The function that does this."""
        return "recompute"

    @property
    def count(self) -> int:
        """How many Tensors with a gradient the function gives."""
        return self._count

    def kept_arrays(self) -> list[Any]:
        """Values that the function found, which must not have been changed in place since."""
        return self.kept if self.saved else []

    def gradients(self, gs: Sequence[Any], saved: tuple) -> Sequence[Any]:
        """Runs the function again and walks back through it."""
        segment: Segment = saved[0]
        result, since = segment.run_again()
        outputs = _computed(result, since)
        if len(outputs) != len(gs):
            raise RuntimeError(_DIFFERENT.format(f"{len(outputs)} Tensors with a gradient, after {len(gs)} before"))
        roots = [(t._edge, g) for t, g in zip(outputs, gs, strict=True) if g is not None]
        del result, outputs
        found = walk_segment(segment.eager, roots, since, any(isinstance(g, EagerValue) for g in gs))
        gradients = [_arrived(found, edge) for edge in self.edges]
        known = {edge_node(edge) or edge for edge in self.edges}
        if not found.keys() <= known:
            raise RuntimeError(_DIFFERENT.format("a gradient for values that it did not use before"))
        return gradients


_DIFFERENT = (
    "recompute(function): the second run of the function, for its gradient, gave {}. It must do the same each time: it "
    "may depend on its arguments, parameters and random numbers, but on nothing that changes between the runs."
)


def _arrived(found: dict[Any, Any], edge: Any) -> Any:
    """The gradient at an edge, from what a walk left."""
    if type(edge) is not Output:
        return found.get(edge)
    gs = found.get(edge.node)
    gradient = None if gs is None else gs[edge.index]
    return gradient if gradient is None or edge.position is None else gradient.get(edge.position)


def _is_inner(edge: Any, since: int) -> bool:
    node = edge_node(edge)
    return node is not None and node.order >= since


def _computed(result: Any, since: int) -> list[EagerValue]:
    """The Tensors in a result that nodes of an order of at least `since` made, each once."""
    tensors = {id(t): t for t in nest.leaves(result) if isinstance(t, EagerValue) and _is_inner(t._edge, since)}
    return list(tensors.values())


def _leaving(nodes: Iterable[Node], since: int) -> tuple[list[Any], list[Any]]:
    """The edges by which gradients leave the nodes, each once, and the arrays that were saved of values there."""
    edges: dict[Any, None] = {}
    arrays: list[Any] = []
    for node in nodes:
        for slot in node.edges:
            for edge in slot if type(slot) is list else (slot,):
                if edge is not None and not _is_inner(edge, since):
                    edges[edge] = None
        arrays += node.leaf_arrays()
    return list(edges), arrays


def run_recomputed(function: Callable[..., Any], args: tuple, kwargs: dict[str, Any], preserve_rng_state: bool) -> Any:
    """The function's result, whose gradient runs it again."""
    if not state.grad_enabled:
        return function(*args, **kwargs)
    segment = Segment(function, args, kwargs, preserve_rng_state)
    result, since = segment.run()
    outputs = _computed(result, since)
    if not outputs:
        return result
    edges, arrays = _leaving(reachable_nodes([t._edge for t in outputs], since), since)
    node = RecomputeNode(segment, edges, len(outputs), [*segment.arrays_found(), *arrays])
    for index, tensor in enumerate(outputs):
        tensor._edge = Output(node, index)
    return result
