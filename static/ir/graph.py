"""IrGraph: a Program that passes change, as code written for Paddle's graphs asks for it."""

from __future__ import annotations

from typing import Any

from .program import Program


def graph_of(description: Any) -> Program:
    """What `core.Graph(program.desc)` is: a copy of the Program, for passes to change.

    >>> import proa as paddle
    >>> main = paddle.static.Program()
    >>> copy = paddle.framework.core.Graph(main.desc)
    >>> copy is main, isinstance(copy, paddle.static.Program)
    (False, True)
    """
    program = getattr(description, "_program", description)
    if not isinstance(program, Program):
        raise TypeError(f"Graph(desc): must be a Program's desc. Received {type(description).__name__}.")
    copy: Any = program
    return copy.clone()


class IrGraph:
    """A Program in the hands of passes: `SomePass(…).apply(graph)` changes it, `to_program()` gives it.

    `for_test`: whether passes put in what only evaluates. Nodes of the graph (`all_op_nodes`) are not here: a pass of
    one's own changes the operations of `to_program()`.

    >>> import proa as paddle
    >>> main = paddle.static.Program()
    >>> graph = paddle.framework.IrGraph(paddle.framework.core.Graph(main.desc), for_test=True)
    >>> graph.to_program() is graph.graph
    True
    """

    def __init__(self, graph: Program, for_test: bool = False):
        if not isinstance(graph, Program):
            raise TypeError("IrGraph(graph): must be what core.Graph(program.desc) gives. "
                            f"Received {type(graph).__name__}.")
        self.graph, self._for_test = graph, bool(for_test)
        self.out_node_mapping_table: dict[str, str] = {}

    def is_test(self) -> bool:
        """Whether passes put in what only evaluates."""
        return self._for_test

    def all_sub_graphs(self) -> list[IrGraph]:
        """This graph: it holds all blocks."""
        return [self]

    def clone(self) -> IrGraph:
        """A copy."""
        return IrGraph(graph_of(self.graph), self._for_test)

    def to_program(self) -> Program:
        """The Program."""
        return self.graph
