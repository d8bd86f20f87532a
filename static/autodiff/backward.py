"""Gradients of a Program: `append_backward` and `gradients`, by the walk that lives in `ops`.

The operations of a block become nodes, and walking them under a program trace appends the gradient's operations.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ...core.dtype import DType
from ...ops.array.creation import full_like
from ...ops.core.backward import Leaf, Node, Output, Walk
from ...ops.core.operator import find
from ...ops.core.operator_node import OperatorNode, operator_node
from ...ops.core.trace import grad_mode, using
from ...ops.math.elementwise import cast
from ...ops.program.control_flow import share_data_op
from ..building.trace import ProgramTrace
from ..ir.program import BACKWARD_ROLE, Block, Operation, Variable
from ..ir.usage import holds_values, reads, writes
from .differentiable_loops import make_differentiable
from .gradient_names import Callback, GradientNames, NamingWalk
from .gradients_in_blocks import operations_within
from .overwriting import keep_overwritten


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
            if op.type not in ("feed", "fetch"):
                self._add(op)

    def wanted(self, name: str) -> Any:
        """The edge at which the gradient with respect to a name is looked for: of a loop variable, before the loop."""
        return self.before_loops.get(name) or self.edge(name)

    def edge(self, name: str) -> Any:
        """The edge of a name as things stand; a new leaf for one that nothing has written yet."""
        if name not in self.edges:
            variable = self.block.find_var(name)
            differentiable = variable is not None and holds_values(variable) and variable.dtype.is_differentiable
            wanted = differentiable and not variable.stop_gradient and name not in self.no_grad  # type: ignore[union-attr]
            self.edges[name] = self.leaves.setdefault(name, Leaf()) if wanted else None
        return self.edges[name]

    def _add(self, op: Operation) -> None:
        edges = [self._slot_edges(op, slot.name, slot.many) for slot in _operator_slots(op)]
        node = self._node(op, edges) if any(edges) else None
        if node is not None:
            self.lines[node] = op.source
        if op.type == "while":
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
        if operator.runs_block:
            from .control_flow_backward import ControlFlowNode

            return ControlFlowNode(op, edges)
        if operator.gradient is None:
            return None
        inputs = [self._values(op.input(s.name), s.many) for s in operator.inputs]
        outputs = [self._values(op.output(s.name), s.many) for s in operator.results]
        attrs = {k: v for k, v in op.attrs.items() if k in operator.attributes}
        return operator_node(operator, attrs, edges, operator.gradient.save_symbols(inputs, outputs))

    def _values(self, names: list[str], many: bool) -> Any:
        values = [self.block.var(name) for name in names]
        return values if many else values[0] if values else None

    def _connect(self, op: Operation, node: Node | None) -> None:
        operator = find(op.type)
        aliases = dict(operator.aliases)
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
                         or not holds_values(variable) or not (variable.dtype.is_differentiable or _is_single(node)))
                if stops:
                    self.edges[name] = None
                elif node is None:  # made of nothing that wants a gradient, and told to want one; or overwritten by it
                    own = self.block.has_var(name) and name not in self.leaves
                    self.edges[name] = self.leaves.setdefault(name, Leaf()) if own else None
                elif node.is_single:
                    self.edges[name] = node
                else:
                    self.edges[name] = Output(node, index, position if slot.many else None)


def _is_single(node: Node | None) -> bool:
    """Whether gradients flow through a result of integers too, as without a Program: casts lead there and back."""
    return node is not None and node.is_single


def _source(edge: Any) -> Any:
    """The edge of what a copy without a copy's cost is of; another edge as it is."""
    return edge.edges[0] if isinstance(edge, OperatorNode) and edge.op is share_data_op else edge


def _operator_slots(op: Operation) -> tuple:
    return find(op.type).inputs


@contextlib.contextmanager
def _reading(trace: ProgramTrace, graph: BlockGraph) -> Iterator[Callable[[Node], tuple]]:
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


class GradientTrace(ProgramTrace):
    """A program trace whose operations are marked as part of the backward pass."""

    role = BACKWARD_ROLE


def walk_block(graph: BlockGraph, roots: Sequence[tuple[Any, Variable]], targets: Sequence[Any]) -> dict[Any, Variable]:
    """Appends the gradients of the targets (edges) to the current block and gives them by edge."""
    trace = GradientTrace(graph.block.program)
    with using(trace), grad_mode(True), _reading(trace, graph) as saved:
        return Walk(saved, True, targets).run(roots)


def gradients(
    targets: Any, inputs: Any, target_gradients: Any = None, no_grad_set: Any = None,
) -> list[Variable | None]:
    """Appends the gradients of the sum of `targets` with respect to `inputs`, and gives them; None where there is none.

    They are named `x@GRAD` for an input x, and so are those of the values between. What an in-place operation has
    changed since is read as it was, except parameters and other persistable values: these are read as they are.

    >>> import proa as paddle
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data("x", [2]); x.stop_gradient = False
    ...     [g] = paddle.static.gradients(x * x, x)
    >>> g.shape
    (2,)
    """
    targets = list(targets) if isinstance(targets, (list, tuple)) else [targets]
    inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    given = target_gradients
    starts = list(given) if isinstance(given, (list, tuple)) else [given] * len(targets)
    return _named_derivatives(targets, inputs, starts, no_grad_set)


def _named_derivatives(targets: Sequence[Variable], inputs: Sequence[Variable], starts: Sequence[Variable | None],
                       no_grad: Any, callbacks: Sequence[Callback] = (),
                       inputs_only: bool = True) -> list[Variable | None]:
    """As `derivatives`, under the names that gradients have in Programs that are written by hand."""
    trace = GradientTrace(targets[0].block.program)

    def naming(graph: BlockGraph) -> GradientNames:
        sources = {edge: name for name, edge in graph.edges.items() if edge is not None}
        return GradientNames(trace.block, sources, callbacks)

    return derivatives(trace, targets, inputs, starts, no_grad, True, naming, inputs_only)


def derivatives(trace: ProgramTrace, targets: Sequence[Variable], inputs: Sequence[Variable],
                starts: Sequence[Variable | None], no_grad: Any, create_graph: bool,
                naming: Callable[[BlockGraph], GradientNames] | None = None,
                inputs_only: bool = True) -> list[Variable | None]:
    """Appends, by a trace, the gradients of targets with respect to inputs; None where there is none.

    With `create_graph` they can be differentiated in their turn. Without `inputs_only`, which are not computed then,
    those of all other values that want one are appended too.
    """
    block = trace.block
    if block.parent is None:
        _prepare(trace, block, targets)
    inside = block.parent is not None and naming is None
    ops = operations_within(block, targets, inputs) if inside else _leading_to(block, targets)
    graph = BlockGraph(block, ops, _names(no_grad))
    edges = [graph.wanted(v.name) for v in inputs]
    roots = [(graph.edge(t.name), t, g) for t, g in zip(targets, starts, strict=True)]
    names = naming(graph) if naming is not None else None
    with using(trace), grad_mode(create_graph):
        started = [(edge, full_like(t, 1.0) if g is None else g) for edge, t, g in roots if edge is not None]
        wanted = [e for e in edges if e is not None] if inputs_only else [*graph.leaves.values()]
        with _reading(trace, graph) as saved:
            found = (Walk(saved, True, wanted) if names is None else NamingWalk(names, saved, wanted)).run(started)
        gradients = [None if edge is None or edge not in found else _of_dtype(found[edge], v.dtype)
                     for edge, v in zip(edges, inputs, strict=True)]
        if names is None:
            return gradients
        found.update((e, g) for e, g in zip(edges, gradients, strict=True) if g is not None)
        named = {e: names.complete(e, g) for e, g in found.items()}
        names.finish()
        return [named.get(edge) for edge in edges]


def _of_dtype(gradient: Variable, dtype: DType) -> Variable:
    """The gradient in a dtype, where that is not wider than its own."""
    same = gradient.dtype is dtype or gradient.dtype.itemsize <= dtype.itemsize
    return gradient if same else cast(gradient, dtype)


def _leading_to(block: Block, targets: Sequence[Variable]) -> list[Operation]:
    """The operations, of a block and of those around it, from which targets are computed; updates of parameters not."""
    ops: list[Operation] = []
    around: Block | None = block
    while around is not None:
        ops[:0] = around.ops
        around = around.parent
    wanted = {target.name for target in targets}
    found = []
    for op in reversed(ops):
        if op.type not in ("feed", "fetch") and not wanted.isdisjoint(writes(op)):
            found.append(op)
            wanted.update(name for name in reads(op) if not _is_parameter(block, name))
    return found[::-1]


def _is_parameter(block: Block, name: str) -> bool:
    variable = block.find_var(name)
    return variable is not None and variable.is_parameter


def _prepare(trace: ProgramTrace, block: Block, targets: Sequence[Variable]) -> None:
    """Gives a Program the form of which gradients can be appended."""
    if any(op.type in ("while_grad", "conditional_block_grad") for op in _leading_to(block, targets)):
        make_differentiable(block.program)
    if trace.captures:
        keep_overwritten(block.program)  # state that the function has changed since it read it
    else:
        keep_overwritten(block.program, [v.name for v in block.vars.values() if v.is_data], states=False)


def _names(variables: Any) -> dict[str, None]:
    """The names of variables, or of what has their names, once each and in order."""
    return dict.fromkeys(v if isinstance(v, str) else v.name for v in variables or ())


def append_backward(loss: Variable, parameter_list: Any = None, no_grad_set: Any = None, callbacks: Any = None,
                    checkpoints: Any = None, distop_context: Any = None) -> list[tuple[Variable, Variable]]:
    """Appends the gradient of `loss` (one element) and gives (parameter, gradient) pairs.

    `parameter_list`: Variables or names; all trainable parameters by default. `no_grad_set`: no gradient flows through
    these. The gradient of `w` is named `w@GRAD`, and so are those of the values between; a later call in the same
    Program has `grad/` before names that are taken. A parameter that has been updated before is read as it is then.
    `callbacks`: called for each operation of the backward pass with `block=` and `context=`, which tells the names of
    variables by those of their gradients, and the operation by '__current_op_desc__'.
    Raises ValueError when the loss has more than one element, TypeError when it is no Variable.
    """
    if distop_context is not None:
        raise NotImplementedError("append_backward(distop_context): Programs over several devices are not supported. "
                                  "Leave it None.")
    if not isinstance(loss, Variable):
        raise TypeError(f"append_backward(loss): loss must be a Variable. Received {type(loss).__name__}.")
    if any(size != 1 for size in loss.shape):
        raise ValueError(
            f"append_backward(loss): loss must have one element; take its mean. Received shape {loss.shape}."
        )
    if callbacks is not None and not (isinstance(callbacks, (list, tuple)) and all(map(callable, callbacks))):
        raise TypeError("append_backward(callbacks): must be a list or tuple of functions, each called with block= and "
                        f"context=. Received {callbacks!r}.")
    parameters = {p.name: p for p in loss.program.global_block().all_parameters() if p.trainable}
    if parameter_list is not None:
        parameters = {name: parameters[name] for name in _names(parameter_list) if name in parameters}
    wanted = list(parameters.values())
    found = _named_derivatives([loss], wanted, [None], no_grad_set, callbacks or (), inputs_only=False)
    return [(p, g) for p, g in zip(wanted, found, strict=True) if g is not None]
