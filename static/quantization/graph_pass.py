"""What a pass over an IrGraph is."""

from __future__ import annotations

from typing import Any

from ..ir.block import Block
from ..ir.graph import IrGraph
from ..run.scope import Scope, global_scope


class GraphPass:
    """Changes the block that a graph stands for."""

    def __init__(self, scope: Scope | None = None, place: Any = None):
        self._scope = global_scope() if scope is None else scope

    def apply(self, graph: IrGraph) -> IrGraph:
        """Changes the graph, and gives it."""
        self._change(graph.settled_block(), graph.is_test())
        return graph

    def _change(self, block: Block, is_test: bool) -> None:
        raise NotImplementedError
