"""IrGraph: a Program that passes change, as code written for Paddle's graphs asks for it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .append_op import described
from .block import Block
from .descriptions import OpDesc, VarDesc
from .graph_nodes import BlockNodes, IrNode, IrOpNode, IrVarNode, link
from .operation import Operation
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
    """A block of a Program in the hands of passes: nodes for its operations and for the values between them.

    `SomePass(…).apply(graph)` changes it, `to_program()` gives the Program. `for_test`: whether passes put in what only
    evaluates. It stands for the outermost block; `all_sub_graphs()` has one for each block. A pass of one's own changes
    the nodes and their links:

    >>> import numpy, proa as paddle
    >>> paddle.enable_static()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     y = paddle.exp(paddle.static.data("x", [2]))
    >>> graph = paddle.framework.IrGraph(paddle.framework.core.Graph(main.desc), for_test=True)
    >>> (exp,), (x,) = graph.all_op_nodes(), [n for n in graph.all_var_nodes() if n.name() == "x"]
    >>> negative = graph.create_var_node("negative", x.type(), x.shape(), x.dtype())
    >>> scale = graph.create_op_node("scale", {"scale": -1.0}, {"X": x}, {"Out": negative})
    >>> graph.link_to(x, scale); graph.link_to(scale, negative)
    >>> graph.update_input_link(x, negative, exp)
    >>> changed = graph.to_program()
    >>> [op.type for op in changed.global_block().ops]
    ['scale', 'exp']
    >>> exe = paddle.static.Executor()
    >>> exe.run(changed, feed={"x": numpy.zeros(2, "float32")}, fetch_list=[y.name])[0].tolist()
    [1.0, 1.0]
    >>> paddle.disable_static()
    """

    def __init__(self, graph: Program, for_test: bool = False):
        if not isinstance(graph, Program):
            raise TypeError("IrGraph(graph): must be what core.Graph(program.desc) gives. "
                            f"Received {type(graph).__name__}.")
        self.graph, self._for_test = graph, bool(for_test)
        self.out_node_mapping_table: dict[str, str] = {}
        self._index = 0
        self._nodes: dict[int, BlockNodes] = {}  # of the blocks whose nodes were asked for

    def is_test(self) -> bool:
        """Whether passes put in what only evaluates."""
        return self._for_test

    def get_sub_graph(self, i: int, for_test: bool = False) -> IrGraph:
        """The graph of another block of the same Program, by the block's number."""
        if not 0 <= i < self.graph.num_blocks:
            raise IndexError(f"get_sub_graph(i): the Program has {self.graph.num_blocks} blocks. Received {i}.")
        found = IrGraph(self.graph, for_test)
        found._index, found._nodes = i, self._nodes
        found.out_node_mapping_table = self.out_node_mapping_table
        return found

    def all_sub_graphs(self, for_test: bool = False) -> list[IrGraph]:
        """The graphs of all blocks, that of the outermost first."""
        return [self.get_sub_graph(index, for_test) for index in range(self.graph.num_blocks)]

    def clone(self) -> IrGraph:
        """A copy, with nodes of its own."""
        copy = IrGraph(graph_of(self.to_program()), self._for_test)
        copy._index = self._index
        return copy

    def to_program(self) -> Program:
        """The Program, as the nodes are now. ValueError where their links go in a circle."""
        for nodes in self._nodes.values():
            nodes.write()
        return self.graph

    def settled_block(self) -> Block:
        """The block as the nodes are now, to be changed itself: nodes are made anew when they are asked for."""
        self.to_program()
        self._nodes.pop(self._index, None)
        return self.graph.block(self._index)

    # What there is

    def _own(self) -> BlockNodes:
        if self._index not in self._nodes:
            self._nodes[self._index] = BlockNodes(self.graph.block(self._index))
        return self._nodes[self._index]

    def all_nodes(self) -> set[IrNode]:
        """All nodes."""
        return {*self._own().operations, *self._own().variables}

    def all_op_nodes(self) -> set[IrOpNode]:
        """The nodes of operations."""
        return set(self._own().operations)

    def all_var_nodes(self) -> set[IrVarNode]:
        """The nodes of values."""
        return set(self._own().variables)

    def all_persistable_nodes(self) -> set[IrVarNode]:
        """The nodes of values that are kept between runs, parameters among them."""
        return {each for each in self._own().variables if not each.is_ctrl_var() and each.persistable()}

    def topology_sort(self) -> list[IrOpNode]:
        """The operations, each behind those whose results it reads. ValueError where links go in a circle."""
        return self._own().in_order()

    def build_adjacency_list(self) -> dict[IrOpNode, set[IrOpNode]]:
        """For each operation those that make what it reads."""
        nodes = self._own()
        return {each: set(nodes.before(each)) for each in nodes.operations}

    def has_circle(self) -> bool:
        """Whether the links go in a circle, so that there is no order in which the operations could run."""
        try:
            self.topology_sort()
        except ValueError:
            return True
        return False

    def graph_num(self) -> int:
        """The number of parts between which there are no links."""
        left, parts = self.all_op_nodes(), 0
        while left:
            parts, reached = parts + 1, [left.pop()]
            while reached:
                node = reached.pop()
                values = [*node.inputs, *node.outputs]
                near = {each for value in values for each in (*value.inputs, *value.outputs)} & left
                left -= near
                reached.extend(near)
        return parts

    def _find_node_by_name(self, nodes: Iterable[Any], node_name: str) -> Any:
        nodes = list(nodes)
        for each in nodes:
            if each.name() == node_name:
                return each
        raise ValueError(f"No node has the name {node_name!r}. The names: {sorted({each.name() for each in nodes})}.")

    # What changes it

    def create_var_node(self, name: str, var_type: Any, shape: Any, var_dtype: Any) -> IrVarNode:
        """A node of a value, with its variable. `var_type` and `var_dtype` are what other nodes' `type()` and `dtype()`
        say."""
        return self._created(name, var_type, shape, var_dtype, False)

    def create_persistable_node(self, name: str, var_type: Any, shape: Any, var_dtype: Any) -> IrVarNode:
        """The same, kept between runs: the scope has to hold a value of this name."""
        return self._created(name, var_type, shape, var_dtype, True)

    def create_var_node_from_desc(self, var_desc: VarDesc) -> IrVarNode:
        """A further node of the variable that `node.var()` described: another value of it."""
        variable = self._own().block.find_var(var_desc.name())
        if variable is None:
            return self._created(var_desc.name(), var_desc.type(), var_desc.shape(), var_desc.dtype(),
                                 var_desc.persistable())
        added: IrVarNode = self._own().add(IrVarNode(variable))
        return added

    def create_control_dep_var(self) -> IrVarNode:
        """A node that holds no value: linked between two operations, it says which of them comes first."""
        added: IrVarNode = self._own().add(IrVarNode(None))
        return added

    def _created(self, name: str, var_type: Any, shape: Any, var_dtype: Any, persistable: bool) -> IrVarNode:
        block = self._own().block
        home = self.graph.global_block() if persistable else block
        variable = block.find_var(name) or home.new_var(name=name, shape=shape, dtype=var_dtype, type=var_type,
                                                        persistable=persistable)
        added: IrVarNode = self._own().add(IrVarNode(variable))
        return added

    def create_op_node(self, op_type: str, attrs: Any, inputs: dict[str, Any], outputs: dict[str, Any]) -> IrOpNode:
        """A node of an operation. `inputs` and `outputs`: nodes of values by slot, one or a list; `link_to` links them.

        Raises what `Block.append_op` raises for slots and values that do not fit.
        """
        block = self._own().block
        found = described(block, op_type, _names(inputs), _names(outputs), attrs)
        added: IrOpNode = self._own().add(IrOpNode(
            Operation(block, found.type, found.inputs, found.outputs, found.attrs, "", found.inferred)))
        return added

    def create_op_node_from_desc(self, op_desc: OpDesc) -> IrOpNode:
        """A node of an operation like the one that `node.op()` described."""
        attrs = {name: op_desc.attr(name) for name in op_desc.attr_names()}
        added: IrOpNode = self._own().add(IrOpNode(
            Operation(self._own().block, op_desc.type(), op_desc.inputs(), op_desc.outputs(), attrs)))
        return added

    def link_to(self, node_in: IrNode, node_out: IrNode) -> None:
        """Links two nodes: the first comes before the second."""
        self._check("link_to", node_in, node_out)
        link(node_in, node_out)

    def update_input_link(self, old_input_node: IrVarNode, new_input_node: IrVarNode, op_node: IrOpNode) -> None:
        """Lets an operation read another value: its link and the name that it reads."""
        self._check("update_input_link", old_input_node, new_input_node, op_node)
        old_input_node.remove_output(op_node)
        op_node.remove_input(old_input_node)
        if all(each is not op_node for each in new_input_node.outputs):
            link(new_input_node, op_node)
        op_node.rename_input(old_input_node.name(), new_input_node.name())

    def update_output_link(self, old_output_node: IrVarNode, new_output_node: IrVarNode, op_node: IrOpNode) -> None:
        """Lets an operation write another value: its link and the name that it writes."""
        self._check("update_output_link", old_output_node, new_output_node, op_node)
        old_output_node.remove_input(op_node)
        op_node.remove_output(old_output_node)
        if all(each is not op_node for each in new_output_node.inputs):
            link(op_node, new_output_node)
        op_node.rename_output(old_output_node.name(), new_output_node.name())

    def safe_remove_nodes(self, remove_nodes: Any) -> None:
        """Takes nodes away, one or several, with the links to them."""
        nodes = list(remove_nodes) if isinstance(remove_nodes, (set, list, tuple, frozenset)) else [remove_nodes]
        self._check("safe_remove_nodes", *nodes)
        self._own().remove(nodes)

    def _check(self, what: str, *nodes: Any) -> None:
        known = self.all_nodes()
        for node in nodes:
            if node not in known:
                raise ValueError(f"{what}: the nodes must be of this graph, and not taken away before. "
                                 f"Received {node!r}.")

    def resolve_hazard(self) -> None:
        """Nothing: `to_program()` lets what reads a value stand before what overwrites it."""

    def draw(self, save_path: str, name: str, marked_nodes: Any = None, remove_ctr_var: bool = True) -> None:
        """Writes the graph as a picture: `save_path/name.dot`, and by Graphviz's program `dot` a .pdf of it.

        `marked_nodes` are yellow. FileNotFoundError, with the .dot file written, where there is no program `dot`.
        """
        marked = set(marked_nodes or ())
        shown = [node for node in (*self._own().operations, *self._own().variables)
                 if not (remove_ctr_var and node.is_ctrl_var())]
        lines = [f'  n{node.id()} [label="{node.name()}", shape={"box" if node.is_op() else "ellipse"}'
                 f'{", style=filled, fillcolor=yellow" if node in marked else ""}];' for node in shown]
        known = set(shown)
        lines += [f"  n{node.id()} -> n{behind.id()};" for node in shown for behind in node.outputs if behind in known]
        folder = Path(save_path)
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{name}.dot"
        file.write_text("digraph {\n" + "\n".join(lines) + "\n}\n")
        program = shutil.which("dot")
        if program is None:
            raise FileNotFoundError(f"draw(save_path): {file} is written, but there is no program 'dot' to make a .pdf "
                                    "of it. Install Graphviz.")
        subprocess.run([program, "-Tpdf", str(file), "-o", str(folder / f"{name}.pdf")], check=True)


def _names(slots: dict[str, Any]) -> dict[str, list[str]]:
    return {slot: [node.name() for node in (nodes if isinstance(nodes, (list, tuple)) else [nodes])]
            for slot, nodes in slots.items() if nodes is not None}
