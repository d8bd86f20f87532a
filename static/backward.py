"""Gradients of a Program: `append_backward` and `gradients`, by the walk that lives in `ops`.

The operations of a block become nodes, and walking them under a program trace appends the gradient's operations.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..ops.backward import Leaf, Node, Output, Walk
from ..ops.creation import full_like
from ..ops.elementwise import cast
from ..ops.operator import find
from ..ops.trace import grad_mode, using
from .overwriting import keep_overwritten
from .program import GRAD_SUFFIX, Block, Operation, Variable
from .trace import ProgramTrace

BACKWARD_ROLE, OPTIMIZE_ROLE = 1, 2  # of the attribute op_role in files


class BlockGraph:
    """The nodes of a block's operations: `edges` holds the edge of each name after the last operation.

    A name that is read before it is written gets a Leaf in `leaves`, unless its variable stops gradients.
    """

    def __init__(self, block: Block, ops: Sequence[Operation] | None = None, no_grad: Iterable[str] = ()):
        self.block = block
        self.no_grad = set(no_grad)
        self.edges: dict[str, Any] = {}
        self.leaves: dict[str, Leaf] = {}
        for op in block.ops if ops is None else ops:
            if op.type not in ("feed", "fetch"):
                self._add(op)

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
        self._connect(op, node)

    def _slot_edges(self, op: Operation, slot: str, many: bool) -> Any:
        edges = [self.edge(name) for name in op.input(slot)]
        if many:
            return edges if any(edges) else None
        return edges[0] if edges else None

    def _node(self, op: Operation, edges: list[Any]) -> Node | None:
        if op.type in ("while", "conditional_block"):
            from .control_flow_backward import ControlFlowNode

            return ControlFlowNode(op, edges)
        operator = find(op.type)
        if operator.gradient is None:
            return None
        inputs = [self._values(op.input(s.name), s.many) for s in operator.inputs]
        outputs = [self._values(op.output(s.name), s.many) for s in operator.results]
        attrs = {k: v for k, v in op.attrs.items() if k in operator.attributes}
        return Node(operator, attrs, edges, operator.gradient.save_symbols(inputs, outputs))

    def _values(self, names: list[str], many: bool) -> Any:
        values = [self.block.var(name) for name in names]
        return values if many else values[0] if values else None

    def _connect(self, op: Operation, node: Node | None) -> None:
        operator = find(op.type)
        aliases = dict(operator.aliases)
        for index, slot in enumerate(operator.results):
            for position, name in enumerate(op.output(slot.name)):
                variable = self.block.find_var(name)
                stops = (variable is None or variable.stop_gradient or name in self.no_grad
                         or not holds_values(variable) or not variable.dtype.is_differentiable)
                if node is None or stops or index in aliases:
                    self.edges[name] = None
                elif node.is_single:
                    self.edges[name] = node
                else:
                    self.edges[name] = Output(node, index, position if slot.many else None)


def holds_values(variable: Variable) -> bool:
    """Whether a variable holds what can have a gradient: a tensor, or a list of these."""
    return variable._dtype is not None and variable.kind in ("tensor", "array", "array_gradient")


def _operator_slots(op: Operation) -> tuple:
    return find(op.type).inputs


def _saved(node: Node) -> tuple:
    assert node.saved is not None
    return node.saved


class GradientTrace(ProgramTrace):
    """A program trace whose operations are marked as part of the backward pass."""

    role = BACKWARD_ROLE


def walk_block(graph: BlockGraph, roots: Sequence[tuple[Any, Variable]], targets: Sequence[Any]) -> dict[Any, Variable]:
    """Appends the gradients of the targets (edges) to the current block and gives them by edge."""
    with using(GradientTrace(graph.block.program)), grad_mode(True):
        return Walk(_saved, True, targets).run(roots)


def _named(block: Block, variable: Variable, name: str) -> Variable:
    """The gradient under the name by which it is looked for, `x@GRAD`."""
    while block.has_var(name):
        name += "@RENAME"
    if any(variable.name in op.output_arg_names for op in block.ops) and not variable.persistable:
        for op in block.ops:
            op.rename_input(variable.name, name)
            op.rename_output(variable.name, name)
        del block.vars[variable.name]
        variable.name = name
        return block.add_var(variable)
    return variable


def gradients(
    targets: Any, inputs: Any, target_gradients: Any = None, no_grad_set: Any = None,
) -> list[Variable | None]:
    """Appends the gradients of the sum of `targets` with respect to `inputs`, and gives them; None where there is none.

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
    return derivatives(GradientTrace(targets[0].block.program), targets, inputs, starts, no_grad_set, True)


def derivatives(trace: ProgramTrace, targets: Sequence[Variable], inputs: Sequence[Variable],
                starts: Sequence[Variable | None], no_grad: Any, create_graph: bool) -> list[Variable | None]:
    """Appends, by a trace, the gradients of targets with respect to inputs; None where there is none.

    With `create_graph` they can be differentiated in their turn.
    """
    from .differentiable_loops import make_differentiable

    block = trace.main.global_block()
    if trace.block is not block:
        raise RuntimeError("grad(outputs, inputs): inside of an `if` or a loop that a tensor decides, gradients cannot "
                           "be asked for: they reach beyond it. Compute them before or after.")
    make_differentiable(block.program)  # gradients of loops that are there already
    if trace.captures:
        keep_overwritten(block.program)  # state that the function has changed since it read it
    graph = BlockGraph(block, no_grad=_names(no_grad))
    edges = [graph.edge(v.name) for v in inputs]
    roots = [(graph.edge(t.name), t, g) for t, g in zip(targets, starts, strict=True)]
    with using(trace), grad_mode(create_graph):
        started = [(edge, full_like(t, 1.0) if g is None else g) for edge, t, g in roots if edge is not None]
        found = Walk(_saved, True, [e for e in edges if e is not None]).run(started)
        gradients = [found.get(edge) if edge is not None else None for edge in edges]
        return [g if g is None or g.dtype is v.dtype or g.dtype.itemsize <= v.dtype.itemsize else cast(g, v.dtype)
                for g, v in zip(gradients, inputs, strict=True)]


def _names(variables: Any) -> set[str]:
    return {v if isinstance(v, str) else v.name for v in variables or ()}


def append_backward(loss: Variable, parameter_list: Any = None, no_grad_set: Any = None, callbacks: Any = None,
                    checkpoints: Any = None, distop_context: Any = None) -> list[tuple[Variable, Variable]]:
    """Appends the gradient of `loss` (one element) and gives (parameter, gradient) pairs.

    `parameter_list`: Variables or names; all trainable parameters by default. `no_grad_set`: no gradient flows through
    these. The gradient of `w` is named `w@GRAD`. Raises ValueError when the loss has more than one element.
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
    block = loss.program.global_block()
    parameters = [p for p in block.all_parameters() if p.trainable]
    if parameter_list is not None:
        wanted = _names(parameter_list)
        parameters = [p for p in parameters if p.name in wanted]
    pairs = zip(parameters, gradients(loss, parameters, None, no_grad_set), strict=True)
    return [(p, _named(block, g, p.name + GRAD_SUFFIX)) for p, g in pairs if g is not None]
