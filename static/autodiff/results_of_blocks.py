"""`paddle.grad` with respect to what a branch or loop gave, of what the same branch or loop computed from it.

To the Program both are results of one operation, and no gradient goes from one to the other; in eager code it does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...core.errors import user_line
from ...ops.array.assign import assign_op
from ...ops.core.backward import Output, edge_node
from ...ops.core.operator_node import OperatorNode
from ...ops.program.control_flow import select_input_op, share_data_op
from ..ir.operation import Operation
from ..ir.usage import sub_block
from ..ir.variable import Variable
from .block_graph import BlockGraph, ControlFlowNode, through_blocks
from .reaching import reached_edges

_SAME_VALUE = {assign_op, share_data_op, select_input_op}


def check_ways_within(edges: Sequence[Any], inputs: Sequence[Variable], roots: Iterable[Any]) -> None:
    """RuntimeError where gradients of roots would reach one of the inputs, which have these edges, within a block."""
    asked = [(edge, v) for edge, v in zip(edges, inputs, strict=True)
             if any(isinstance(edge_node(one), ControlFlowNode) for one in _the_same(edge))]
    reached = reached_edges(roots, through_blocks) if asked else set()
    for edge, variable in asked:
        if _leads_within(_the_same(edge), reached):
            raise RuntimeError(
                f"grad(outputs, inputs) ({user_line()}): the input {variable.name!r} comes out of an `if` or a loop "
                "that a tensor decides, and so does another value that was computed from it in there, on which the "
                "outputs depend: gradients of a Program do not go from one to the other. Compute the other value "
                "behind it, or ask for the gradient inside.")


def _leads_within(wanted: list[Any], reached: Iterable[Any]) -> bool:
    """Whether other results of the operations that have given one of the wanted edges were computed from it there."""
    there = set(reached)
    for edge in wanted:
        node = edge_node(edge)
        if not isinstance(node, ControlFlowNode) or not isinstance(edge, Output):
            continue
        names = node.operation.output("Out")
        others = [names[each.position or 0] for each in there
                  if isinstance(each, Output) and each.node is node and each != edge and each.position != edge.position]
        if others and _is_way(node.operation, names[edge.position or 0], others):
            return True
    return False


def _is_way(op: Operation, name: str, others: list[str]) -> bool:
    """Whether, in the block of a branch or loop, other results are computed from the one of a name."""
    inner = sub_block(op)
    assert inner is not None
    graph = BlockGraph(inner)
    wanted = _the_same(graph.edges.get(name))
    reached = reached_edges([graph.edges.get(other) for other in others], through_blocks)
    return not reached.isdisjoint(wanted) or _leads_within(wanted, reached)


def _the_same(edge: Any) -> list[Any]:
    """An edge and those of what its value is a copy of, or is chosen from."""
    if edge is None:
        return []
    found = [edge]
    if isinstance(edge, OperatorNode) and edge.op in _SAME_VALUE:
        for one in edge.edges:
            for source in one if isinstance(one, list) else [one]:
                found += _the_same(source)
    return found
