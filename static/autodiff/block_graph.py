"""A block's operations as a graph for the backward walk; the gradient of control flow, whose blocks are such graphs.

A `while` or a branch has a block of gradient operations for each block of its own that ran. The forward operation
keeps, for each round, the values of its block that the gradient needs (`StepScopes`, `Scope`); `while_grad` takes the
rounds back from the last, `conditional_block_grad` takes the one that ran, if it ran. Gradients with respect to values
of the enclosing block are accumulated in variables there, zero at first.
"""

from __future__ import annotations

import contextlib
import copy
import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ...core.dtype import DType, float32, promote
from ...ops.array.creation import assign, zeros_like
from ...ops.array.reshape import reshape
from ...ops.core.backward import Leaf, Node, Output, Walk
from ...ops.core.operator import find
from ...ops.core.operator_node import OperatorNode, operator_node
from ...ops.core.trace import apply, current_trace, grad_mode, using
from ...ops.program.control_flow import recurrent_op, share_data_op
from ...ops.program.tensor_arrays import empty_array_op
from ..ir.block import Block
from ..ir.one_element import widened
from ..ir.operation import Operation
from ..ir.transform import complete_outputs
from ..ir.usage import OUTSIDE, block_reads, block_writes, holds_values, sub_block
from ..ir.variable import Variable
from .reaching import reached_leaves
from .recurrent import RecurrentNode


class BlockGraph:
    """The nodes of a block's operations: `edges` holds the edge of each name after the last operation.

    A name that is read before it is written gets a Leaf in `leaves`, unless its variable stops gradients.
    """

    def __init__(self, block: Block, ops: Sequence[Operation] | None = None, no_grad: Iterable[str] = ()):
        self.block = block
        self.no_grad = set(no_grad)
        self.edges: dict[str, Any] = {}
        self.leaves: dict[str, Leaf] = {}
        self.lines: dict[Node, str] = {}  # the user's line of each node's operation
        self.before_loops: dict[str, Any] = {}  # the edges of what loops begin with, by the names that they overwrite
        for op in block.ops if ops is None else ops:
            if op.type not in OUTSIDE:
                self._add(op)

    def wanted(self, name: str) -> Any:
        """The edge at which the gradient with respect to a name is looked for: of a loop variable, before the loop."""
        return self.before_loops.get(name) or self.edge(name)

    def walk(self, trace: Any, roots: Sequence[tuple[Any, Variable]], targets: Sequence[Any]) -> dict[Any, Variable]:
        """Appends the gradients of the targets (edges) by a trace of the Program, and gives them by edge."""
        with using(trace), grad_mode(True), reading(trace, self) as saved:
            return Walk(saved, True, targets).run(roots)

    def reached(self, names: Iterable[str]) -> set[Leaf]:
        """The leaves to which gradients of some names go."""
        return reached_leaves([edge for name in names if (edge := self.edges.get(name)) is not None], through_blocks)

    def edge(self, name: str) -> Any:
        """The edge of a name as things stand; a new leaf for one that nothing has written yet."""
        if name not in self.edges:
            variable = self.block.find_var(name)
            wanted = variable is not None and _may_have_gradient(variable) and name not in self.no_grad
            self.edges[name] = self.leaves.setdefault(name, Leaf()) if wanted else None
        return self.edges[name]

    def _add(self, op: Operation) -> None:
        if op.type == "recurrent_grad":
            raise NotImplementedError("gradients of gradients do not go through a recurrence (StaticRNN, DynamicRNN). "
                                      "Write its steps one after the other.")
        edges = [self._slot_edges(op, slot.name, slot.many) for slot in _operator_slots(op)]
        node = self._node(op, edges) if any(edges) else None
        if node is not None:
            self.lines[node] = op.source
        if _is_loop(op):
            for name in op.output("Out"):
                self.before_loops.setdefault(name, _source(self.edges.get(name)))
        self._connect(op, node)

    def _slot_edges(self, op: Operation, slot: str, many: bool) -> Any:
        edges = [self.edge(name) for name in op.input(slot)]
        if many:
            return edges if any(edges) else None
        return edges[0] if edges else None

    def _node(self, op: Operation, edges: list[Any]) -> Node | None:
        operator = find(op.type)
        if operator is recurrent_op:
            return RecurrentNode(op, edges, BlockGraph)
        if operator.runs_block:
            return ControlFlowNode(op, edges)
        if operator.gradient is None:
            return None
        if any(saved.of_output and not op.output(operator.results[saved.index].name)
               for saved in operator.gradient.saved):
            complete_outputs(self.block, op, operator)
        inputs = [self._values(op.input(s.name), s.many) for s in operator.inputs]
        outputs = [self._values(op.output(s.name), s.many) for s in operator.results]
        attrs = {k: v for k, v in op.attrs.items() if k in operator.attributes}
        return operator_node(operator, attrs, edges, operator.gradient.save_symbols(inputs, outputs))

    def _values(self, names: list[str], many: bool) -> Any:
        values = [_as_it_was(self.block.var(name)) for name in names]
        return values if many else values[0] if values else None

    def _connect(self, op: Operation, node: Node | None) -> None:
        operator = find(op.type)
        aliases = dict(operator.aliases)
        scalars = widened(op) if node is not None else ()
        for index, slot in enumerate(operator.results):
            for position, name in enumerate(op.output(slot.name)):
                variable = self.block.find_var(name)
                if variable is not None and variable.is_parameter:
                    self.edge(name)  # an update: gradients are with respect to the parameter, before and after
                    continue
                if index in aliases:
                    self.edges[name] = self.edge(op.input(operator.inputs[aliases[index]].name)[position])
                    continue
                stops = (variable is None or variable.stop_gradient or name in self.no_grad
                         or not holds_values(variable)
                         or not (variable.dtype.is_differentiable or _is_single(node) or operator.moves
                                 or type(node) is ControlFlowNode))
                if stops:
                    self.edges[name] = None
                elif node is None:  # made of nothing that wants a gradient, and told to want one; or overwritten by it
                    own = self.block.has_var(name) and name not in self.leaves
                    self.edges[name] = self.leaves.setdefault(name, Leaf()) if own else None
                else:
                    edge = node if node.is_single else Output(node, index, position if slot.many else None)
                    self.edges[name] = WidenedNode(edge) if name in scalars else edge


def _as_it_was(variable: Variable) -> Variable:
    """A value as the operation has seen it: what it is a view of, or what a branch chose, may have changed since."""
    if variable.view_of is None and not variable.chosen:
        return variable
    seen = copy.copy(variable)
    seen.view_of, seen.chosen = None, ()
    return seen


def _may_have_gradient(variable: Variable) -> bool:
    """Whether a gradient may flow to a variable: to integers only as they were computed of floats (`x.cast(…)`)."""
    if not holds_values(variable) or variable.stop_gradient:
        return False
    return variable.dtype.is_differentiable or not (variable.is_data or variable.persistable)


def _source(edge: Any) -> Any:
    """The edge of what a copy without a copy's cost is of; another edge as it is."""
    return edge.edges[0] if isinstance(edge, OperatorNode) and edge.op is share_data_op else edge


def _operator_slots(op: Operation) -> tuple:
    return find(op.type).inputs


def _is_single(node: Node | None) -> bool:
    """Whether gradients flow through a result of integers too, as without a Program: casts lead there and back."""
    return node is not None and node.is_single


@contextlib.contextmanager
def reading(trace: Any, graph: BlockGraph) -> Iterator[Callable[[Node], tuple]]:
    """What gives a walk the saved values of nodes: operations of gradients then have the line of what they are of."""
    def saved(node: Node) -> tuple:
        assert node.saved is not None
        trace.source = graph.lines.get(node, "")
        return node.saved

    before = trace.source
    try:
        yield saved
    finally:
        trace.source = before


class WidenedNode(Node):
    """What gives a value without dimensions the one that the Program declares it with."""

    __slots__ = ()

    is_single = True

    def __init__(self, edge: Any):
        super().__init__([edge], ())

    @property
    def type(self) -> str:
        """What messages call it."""
        return "one element"

    @property
    def count(self) -> int:
        """One."""
        return 1

    def gradients(self, gs: Sequence[Any], saved: tuple) -> Sequence[Any]:
        """The gradient without the dimension."""
        return [reshape(gs[0], [])]


class ControlFlowNode(Node):
    """A `while` or `conditional_block` as the backward walk sees it."""

    __slots__ = ("operation",)

    def __init__(self, operation: Operation, edges: list[Any]):
        super().__init__(edges, ())
        self.operation = operation

    @property
    def type(self) -> str:
        """`while` or `conditional_block`."""
        return self.operation.type

    @property
    def count(self) -> int:
        """One repeated result, and what a file has beside it."""
        return len(find(self.operation.type).results)

    def gradients(self, gs: Sequence[Any], saved: tuple) -> Sequence[Any]:
        """Appends the gradient operation to the current block; the gradients of the input slots."""
        op = self.operation
        inner = sub_block(op)
        assert inner is not None
        given = {op.output("Out")[position]: g for position, g in (gs[0] or {}).items()}
        found = _append_gradient(op, inner, given)
        slots = [slot.name for slot in find(op.type).inputs]
        return [[found.get(name) for name in op.input(slot)] if edge is not None else None
                for slot, edge in zip(slots, self.edges, strict=True)]


def _keep_versions(block: Block, carried: list[str]) -> None:
    """Gives each value that a carried name has in a round, and that is read, a name of its own, never overwritten.

    The name itself goes on to hold what it holds: it is what leaves the round.
    """
    for name in reversed(carried):
        outer = block.var(name)
        makers = [None, *(op for op in block.ops if name in _all_writes(op))]
        versions = {f"{name}@ROUND_{block.idx}_{number}": maker for number, maker in enumerate(makers)}
        if outer.kind != "tensor" or any(map(block.has_var, versions)):  # an earlier gradient has done it
            continue
        for kept, maker in reversed(versions.items()):
            _keep_version(block, name, maker, kept)
    block.program.version += 1


def _keep_version(block: Block, name: str, maker: Operation | None, kept: str) -> None:
    """Gives what a name holds from one operation (None: from the beginning of a round) to the next write its own."""
    begin = 0 if maker is None else block.ops.index(maker) + 1
    behind = block.ops[begin:]
    next_write = next((n for n, op in enumerate(behind) if name in _all_writes(op)), len(behind))
    readers = [op for op in behind[: next_write + 1] if name in op.input_arg_names]
    own_output = maker is not None and sub_block(maker) is None and _keeps_output(maker)
    if not readers and not own_output:
        return
    outer = block.var(name)
    block.new_var(kept, outer.shape, outer.dtype, stop_gradient=outer.stop_gradient)
    for op in readers:
        _rename_reads(op, name, kept)
    if own_output:
        assert maker is not None
        maker.rename_output(name, kept)
        block.ops.insert(begin, _copy(block, kept, name))
    else:
        block.ops.insert(begin, _copy(block, name, kept))


def _copy(block: Block, source: str, target: str) -> Operation:
    return Operation(block, share_data_op.type, {"X": [source]}, {"Out": [target]}, {})


def _keeps_output(op: Operation) -> bool:
    """Whether the gradient of an operation may read what it gives."""
    return op.type not in ("assign", share_data_op.type) and find(op.type).gradient is not None


def _all_writes(op: Operation) -> list[str]:
    inner = sub_block(op)
    return op.output_arg_names if inner is None else [*op.output_arg_names, *block_writes(inner)]


def _rename_reads(op: Operation, old: str, new: str) -> None:
    inner = sub_block(op)
    if inner is not None and old in block_writes(inner):
        return  # carried by the inner block too, which makes its own copy
    op.rename_input(old, new)
    if inner is not None:
        for nested in inner.ops:
            _rename_reads(nested, old, new)


def _append_gradient(op: Operation, inner: Block, given: dict[str, Variable]) -> dict[str, Variable]:
    """Appends `while_grad` or `conditional_block_grad`; outer names' gradients, as the round before leaves them."""
    trace = current_trace()
    program = inner.program
    outputs, inputs = op.output("Out"), [*op.input("X"), *op.input("Input")]
    carried = [name for name in outputs if name in block_writes(inner)]
    _keep_versions(inner, carried)
    live = _reached(op, inner, given)
    gradients: dict[str, Variable] = {}
    of_integers = functools.reduce(promote, [g.dtype for g in given.values() if not _is_list(g)], float32)
    read = set(block_reads(inner))  # what is only overwritten gets none; it may begin with another shape
    for name in dict.fromkeys([*carried, *inputs]):
        variable = inner.var(name)
        if not _may_have_gradient(variable):
            continue
        if name in given:
            gradients[name] = apply(share_data_op, given[name]) if _is_list(variable) else assign(given[name])
        elif name in live and name in inputs and (name in read or name not in carried):
            gradients[name] = _zeros(variable, of_integers)
    for total in gradients.values():  # even if it begins as zeros, what a round adds may have a gradient in its turn
        total.stop_gradient = False
    parent = program.current_block()
    block = program.create_block()
    block.forward_block_idx = inner.idx
    _fill(block, inner, carried, gradients)
    saved = _saved_names(block, inner)
    program.rollback()
    kind, slot = ("while_grad", "StepScopes") if _is_loop(op) else ("conditional_block_grad", "Scope")
    op.attrs["saved"] = saved
    names = [v.name for v in gradients.values()]
    parent.append(kind, {slot: op.output(slot), "Out@GRAD": names}, {"Out": names},
                  {"sub_block": block.idx, "saved": saved, "op_role": trace.role})
    return gradients


def _is_loop(op: Operation) -> bool:
    return op.type == "while"


def _reached(op: Operation, inner: Block, given: Iterable[str]) -> set[str]:
    """The names to which gradients of some of a loop's or branch's results go, those themselves included."""
    graph = BlockGraph(inner)
    names = {leaf: name for name, leaf in graph.leaves.items()}
    found, roots = set(given), set(given)
    while roots:
        new = {names[leaf] for leaf in graph.reached(roots) if leaf in names} - found
        found |= new
        roots = new if _is_loop(op) else set()
    return found


def through_blocks(node: Node, results: set[tuple[int, int | None]]) -> list[Any] | None:
    """The edges to which a loop or branch takes the gradients of some of its results; None for another operation."""
    if not isinstance(node, ControlFlowNode):
        return None
    op = node.operation
    inner = sub_block(op)
    assert inner is not None
    found = _reached(op, inner, {op.output("Out")[position or 0] for _, position in results})
    slots = [slot.name for slot in find(op.type).inputs]
    return [edge for slot, edges in zip(slots, node.edges, strict=True) if edges is not None
            for name, edge in zip(op.input(slot), edges if isinstance(edges, list) else [edges], strict=True)
            if edge is not None and name in found]


def _fill(block: Block, inner: Block, carried: list[str], gradients: dict[str, Variable]) -> None:
    """Writes the gradient operations of one round into `block`, the current one."""
    graph = BlockGraph(inner)
    leaves = dict(graph.leaves)
    roots = [(graph.edges[n], gradients[n]) for n in carried if n in gradients and graph.edges.get(n) is not None]
    found = graph.walk(current_trace().bare(), roots, list(leaves.values())) if roots else {}
    updates: list[tuple[Variable, Variable]] = []
    own = {v.name for v in gradients.values()}
    for name, total in gradients.items():
        flowed = found.get(leaves.get(name)) if name in leaves else None
        if name in carried:
            new = _zeros(total, total.dtype) if flowed is None else flowed
        elif flowed is None:
            continue
        else:
            new = total + flowed
        updates.append((total, apply(share_data_op, new) if new.name in own else new))
    for total, new in updates:
        kind = share_data_op.type if _is_list(total) else "assign"
        block.append(kind, {"X": [new.name]}, {"Out": [total.name]}, {})


def _is_list(variable: Variable) -> bool:
    return variable.kind != "tensor"


def _zeros(variable: Variable, of_integers: DType) -> Variable:
    """The gradient of nothing: zeros, of a dtype that is given where the values are integers; or an empty list."""
    if not _is_list(variable):
        return zeros_like(variable, None if variable.dtype.is_differentiable else of_integers)
    return apply(empty_array_op, shape=list(variable.shape), dtype=variable.dtype, gradient=True)


def _saved_names(block: Block, inner: Block) -> list[str]:
    """The values of the forward block that the gradient block reads; they get variables there too."""
    names = [name for name in block_reads(block) if inner.has_var(name) and not block.has_var(name)]
    for name in names:
        source = inner.vars[name]
        block.new_var(name, source.shape, source._dtype, kind=source.kind, stop_gradient=source.stop_gradient)
    return names
