"""The node of the backward walk for one application of an operator, whose gradient is the rule of the declaration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...backend import float_errors
from .backward import Edge, Leaf, Node, Output, next_order
from .operator import Operator


class OperatorNode(Node):
    """An application of an operator with several results, or with a repeated one: an `Output` is each one's edge."""

    __slots__ = ("op", "attrs")

    def __init__(self, op: Operator, attrs: dict[str, Any], edges: Sequence[Any], saved: tuple | None):
        # As the base class does it: every small operation that is recorded comes through here.
        self.op, self.attrs, self.edges, self.saved = op, attrs, edges, saved
        self.order = next_order()
        self.hooks = None

    @property
    def type(self) -> str:
        """The operator's type."""
        return self.op.type

    @property
    def count(self) -> int:
        """How many results the operator has."""
        return len(self.op.results)

    def gradients(self, gs: Sequence[Any], saved: tuple) -> Sequence[Any]:
        """What the operator's gradient rules give."""
        told = float_errors.begin()
        try:
            return self.op.gradient.run(gs, saved, self.attrs, self.edges)  # type: ignore[union-attr]
        finally:
            float_errors.end(told)

    def kept_arrays(self) -> list[Any]:
        """The values among what it saved that a gradient which is wanted needs, and that nobody may have changed."""
        arrays: list[Any] = []
        readers = self.op.gradient.readers if self.saved else ()  # type: ignore[union-attr]
        for position, of_output, index in self._values():
            if not any([self.edges[slot] for slot in readers[position]]):
                continue
            if self._as_it_was((self.op.results if of_output else self.op.inputs)[index].name):
                continue
            value = self.saved[position]  # type: ignore[index]
            arrays.extend(value if isinstance(value, (list, tuple)) else [] if value is None else [value])
        return arrays

    def _as_it_was(self, slot: str) -> bool:
        """Whether the gradient takes this value as it was, whoever has changed it since."""
        op = self.op
        return slot in op.former and (op.former_where is None or op.former_where(self.attrs))

    def leaf_arrays(self) -> list[Any]:
        """The values of leaves among what it saved."""
        return [self.saved[position] for position, of_output, index in self._values()  # type: ignore[index]
                if not of_output and type(self.edges[index]) is Leaf]

    def connected(self, connect: Callable[[Any, Edge], Any]) -> tuple:
        """What it saved, its values connected to where they came from."""
        assert self.saved is not None
        saved = list(self.saved)
        for position, of_output, index in self._values():
            value = saved[position]
            if isinstance(value, (list, tuple)):
                edges = [Output(self, index, n) for n in range(len(value))] if of_output else self.edges[index]
                saved[position] = [connect(a, e) for a, e in zip(value, edges or [None] * len(value), strict=True)]
            elif value is not None:
                saved[position] = connect(value, self._edge_of(index) if of_output else self.edges[index])
        return tuple(saved)

    def _edge_of(self, index: int) -> Edge:
        return Output(self, index)

    def _values(self) -> tuple[tuple[int, bool, int], ...]:
        """Which of what it saved are values, and of what: see `Gradient.values`."""
        return self.op.gradient.values if self.op.gradient and self.saved else ()


class SingleResultNode(OperatorNode):
    """An application of an operator with one result, whose edge it is itself: what most applications are."""

    __slots__ = ()

    is_single = True

    def _edge_of(self, index: int) -> Edge:
        return self


def operator_node(op: Operator, attrs: dict[str, Any], edges: Sequence[Any], saved: tuple | None) -> OperatorNode:
    """The node of an application, of the class that its results want."""
    return (SingleResultNode if op.is_single else OperatorNode)(op, attrs, edges, saved)
