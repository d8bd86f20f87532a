"""The gradient of a `recurrent`: a block of gradient operations that takes its steps back.

The forward operation keeps, for each step, the values of its block that the gradient needs (`step_scopes`). The
gradient gets that step's item of each output's gradient, and the gradients of the states as the step after left them;
it gives that step's item of each input's gradient, and the gradients of the states before. Gradients of parameters, and
of all else that the block reads, are accumulated in variables around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ops.array.creation import zeros_like
from ...ops.core.backward import Node
from ...ops.core.operator import find
from ...ops.core.trace import apply, current_trace
from ...ops.program.control_flow import share_data_op
from ..ir.block import Block
from ..ir.operation import Operation
from ..ir.usage import block_reads, holds_values, sub_block
from ..ir.variable import Variable


class RecurrentNode(Node):
    """A `recurrent` as the backward walk sees it; `graph_of` gives the graph of a block."""

    __slots__ = ("operation", "graph_of")

    def __init__(self, operation: Operation, edges: list[Any], graph_of: Any):
        super().__init__(edges, ())
        self.operation, self.graph_of = operation, graph_of

    @property
    def type(self) -> str:
        """`recurrent`."""
        return self.operation.type

    @property
    def count(self) -> int:
        """Its outputs, and what a file has beside them."""
        return len(find(self.operation.type).results)

    def gradients(self, gs: Sequence[Any], saved: tuple) -> Sequence[Any]:
        """Appends the gradient operation to the current block; the gradients of the input slots."""
        op = self.operation
        given = {op.output("outputs")[position]: g for position, g in (gs[0] or {}).items()}
        found = _Backward(op, self.graph_of).append(given)
        slots = [slot.name for slot in find(op.type).inputs]
        return [found[slot] if edge is not None else None for slot, edge in zip(slots, self.edges, strict=True)]


def _once(names: list[str], found: dict[str, Variable]) -> list[Variable | None]:
    """What was found for each name; for a name that comes again nothing, as its gradient is of all its uses."""
    return [found.get(name) if names.index(name) == place else None for place, name in enumerate(names)]


class _Backward:
    """What the gradient of a recurrence is made of."""

    def __init__(self, op: Operation, graph_of: Any):
        inner = sub_block(op)
        assert inner is not None
        self.op, self.inner, self.graph = op, inner, graph_of(inner)
        self.leaves = dict(self.graph.leaves)

    def append(self, given: dict[str, Variable]) -> dict[str, list[Variable | None]]:
        """Appends it; the gradients of each input slot, in its order."""
        op, trace = self.op, current_trace()
        program = self.inner.program
        parent = program.current_block()
        totals = {n: zeros_like(parent.var(n)) for n in op.input("parameters") if n in self.leaves}
        before = [zeros_like(parent.var(n)) for n in op.input("initial_states")]
        for started in (*totals.values(), *before):
            started.stop_gradient = False
        block = program.create_block()
        block.forward_block_idx = self.inner.idx
        of_outputs = {name: self._place(block, self.inner.vars[name]) for name in given}
        of_states = [self._place(block, self.inner.vars[name]) for name in op.attrs["states"]]
        flowed = self._walk(trace, of_outputs, of_states)
        of_ex_states = [self._left(flowed, name) for name in op.attrs["ex_states"]]
        items = [name for name in dict.fromkeys(op.input("inputs")) if name in self.leaves]
        of_inputs = [self._left(flowed, name) for name in items]
        for name, total in totals.items():
            if name in flowed:
                block.append("assign", {"X": [(total + flowed[name]).name]}, {"Out": [total.name]},
                             {"op_role": trace.role})
        saved = self._saved(block)
        program.rollback()
        op.attrs["saved"] = saved
        of_items = {name: self._outer(parent, name) for name in items}
        of_initial = [self._outer(parent, name) for name in op.input("initial_states")]
        parent.append("recurrent_grad", {
            "step_scopes": op.output("step_scopes"), "outputs@GRAD": [v.name for v in given.values()],
            "initial_states@GRAD": [v.name for v in before], "Out@GRAD": [v.name for v in totals.values()],
        }, {
            "inputs@GRAD": [v.name for v in of_items.values()], "initial_states@GRAD": [v.name for v in of_initial],
            "Out": [v.name for v in totals.values()],
        }, {
            "sub_block": block.idx, "saved": saved, "reverse": bool(op.attrs.get("reverse", False)),
            "of_outputs": [v.name for v in of_outputs.values()], "of_states": [v.name for v in of_states],
            "of_ex_states": [v.name for v in of_ex_states], "of_inputs": [v.name for v in of_inputs],
            "op_role": trace.role})
        # Several states may begin with one variable: each has a gradient of its own.
        return {"inputs": _once(op.input("inputs"), of_items), "initial_states": list(of_initial),
                "parameters": _once(op.input("parameters"), totals)}

    def _place(self, block: Block, variable: Variable) -> Variable:
        """A variable of the gradient's block for the gradient of a step's value."""
        name = block.program.new_name(f"{variable.name}@STEP")
        return block.new_var(name, variable.shape, variable.dtype, stop_gradient=False)

    def _outer(self, parent: Block, name: str) -> Variable:
        source = parent.var(name)
        return parent.new_var(parent.program.new_name("recurrent"), source.shape, source.dtype, stop_gradient=False)

    def _walk(self, trace: Any, of_outputs: dict[str, Variable], of_states: list[Variable]) -> dict[str, Variable]:
        """The gradients of what the block begins with, by name."""
        roots = [*of_outputs.items(), *zip(self.op.attrs["states"], of_states, strict=True)]
        started = [(self.graph.edge(name), g) for name, g in roots if self.graph.edge(name) is not None]
        found = self.graph.walk(trace.bare(), started, list(self.leaves.values())) if started else {}
        return {name: found[leaf] for name, leaf in self.leaves.items() if leaf in found}

    def _left(self, flowed: dict[str, Variable], name: str) -> Variable:
        """A step's gradient of an item or of a state before, in a variable of its own."""
        return apply(share_data_op, flowed[name]) if name in flowed else zeros_like(self.inner.vars[name])

    def _saved(self, block: Block) -> list[str]:
        """The values of a step that its gradient reads; they get variables there too."""
        names = [name for name in block_reads(block) if self.inner.has_var(name)]
        for name in names:
            source = self.inner.vars[name]
            block.new_var(name, source.shape, source._dtype, kind=source.kind, stop_gradient=source.stop_gradient)
        assert all(holds_values(self.inner.vars[name]) for name in names)
        return names
