"""Gradients of values of a Program, with respect to others and to parameters, by the walk that lives in `ops`.

The operations of a block become nodes, and walking them under a program trace appends the gradient's operations.
`static/backward.py` is what users call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...core.dtype import DType
from ...ops.array.creation import full_like
from ...ops.core.backward import Walk, run_hooks
from ...ops.core.trace import grad_mode, using
from ...ops.math.casting import cast
from ..ir.block import Block
from ..ir.operation import LOSS_ROLE, Operation
from ..ir.usage import OUTSIDE, reads, writes
from ..ir.variable import Variable
from .block_graph import BlockGraph, reading
from .differentiable_loops import make_differentiable
from .gradient_names import Callback, GradientNames, NamingWalk
from .gradients_in_blocks import operations_within
from .overwriting import keep_overwritten
from .results_of_blocks import check_ways_within


def derivatives(trace: Any, targets: Sequence[Variable], inputs: Sequence[Variable],
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
    edges = [graph.edge(v.name) if _is_what_a_loop_gave(trace, v) else graph.wanted(v.name) for v in inputs]
    roots = [(graph.edge(t.name), t, g) for t, g in zip(targets, starts, strict=True)]
    if trace.captures and naming is None:
        check_ways_within(edges, inputs, [edge for edge, *_ in roots])
    names = naming(graph) if naming is not None else None
    with using(trace), grad_mode(create_graph):
        started = [(edge, full_like(t, 1.0) if g is None else g) for edge, t, g in roots if edge is not None]
        asked = [e for e in edges if e is not None]
        wanted = asked if inputs_only else list(dict.fromkeys([*graph.leaves.values(), *asked]))
        with reading(trace, graph) as saved:
            found = (Walk(saved, True, wanted) if names is None else NamingWalk(names, saved, wanted)).run(started)
        gradients = [None if edge is None or edge not in found else _of_dtype(found[edge], v.dtype)
                     for edge, v in zip(edges, inputs, strict=True)]
        if hooks := block.program.leaf_hooks:
            gradients = [None if g is None else run_hooks(hooks.get(v.name, {}), g)
                         for g, v in zip(gradients, inputs, strict=True)]
        if create_graph:
            _may_be_asked_about([g for g in gradients if g is not None and all(g is not start for start in starts)])
        if names is None:
            return gradients
        found.update((e, g) for e, g in zip(edges, gradients, strict=True) if g is not None)
        named = {e: names.complete(e, g) for e, g in found.items()}
        names.finish()
        return [named.get(edge) for edge in edges]


def _may_be_asked_about(gradients: Sequence[Variable]) -> None:
    """Gradients may be asked about in their turn, as eagerly, though nothing leads on from those of what is linear."""
    for gradient in gradients:
        if gradient.stop_gradient and not gradient.persistable and not gradient.is_data:
            gradient.stop_gradient = False


def _is_what_a_loop_gave(trace: Any, variable: Variable) -> bool:
    """Whether a name is what it holds behind a loop: in a function that is converted, where loops copy first."""
    return trace.captures and not variable.is_data and not variable.persistable


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
        if op.type not in OUTSIDE and not wanted.isdisjoint(writes(op)):
            found.append(op)
            wanted.update(name for name in reads(op) if not _is_parameter(block, name))
    return found[::-1]


def _is_parameter(block: Block, name: str) -> bool:
    variable = block.find_var(name)
    return variable is not None and variable.is_parameter


def _prepare(trace: Any, block: Block, targets: Sequence[Variable]) -> None:
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


def check_variables(function: str, argument: str, given: Any) -> None:
    """Raises TypeError unless what is given, if anything, is Variables or their names, a collection of them.

    A name alone would be taken for the list of its letters.
    """
    if given is None:
        return
    if isinstance(given, str) or not hasattr(given, "__iter__"):
        raise TypeError(f"{function}({argument}): must be a list of Variables or of names. Received {given!r}.")
    for item in given if isinstance(given, (list, tuple, set, frozenset)) else ():
        if not isinstance(item, str) and not hasattr(item, "name"):
            raise TypeError(f"{function}({argument}): holds Variables or their names. Received {item!r} in {given!r}.")


def _computed(block: Block, name: str) -> Variable | None:
    """The variable of this name, where it is no parameter: those that are not trained get no gradient."""
    variable = block.find_var(name)
    return None if variable is None or variable.is_parameter else variable


def named_derivatives(trace: Any, targets: Sequence[Variable], inputs: Sequence[Variable],
                      starts: Sequence[Variable | None], no_grad: Any, callbacks: Sequence[Callback] = (),
                      inputs_only: bool = True) -> list[Variable | None]:
    """As `derivatives`, under the names that gradients have in Programs that are written by hand."""
    def naming(graph: BlockGraph) -> GradientNames:
        edges = {**graph.edges, **graph.before_loops}  # of what loops begin with: they overwrite it
        sources = {edge: name for name, edge in edges.items() if edge is not None}
        return GradientNames(trace.block, sources, callbacks)

    return derivatives(trace, targets, inputs, starts, no_grad, True, naming, inputs_only)


def gradients_of_parameters(trace: Any, loss: Variable, parameter_list: Any = None, no_grad_set: Any = None,
                            callbacks: Any = None) -> list[tuple[Variable, Variable]]:
    """Appends the gradient of `loss`, the sum of its elements, by a trace; gives (parameter, gradient) pairs."""
    check_variables("append_backward", "parameter_list", parameter_list)
    check_variables("append_backward", "no_grad_set", no_grad_set)
    if callbacks is not None and not (isinstance(callbacks, (list, tuple)) and all(map(callable, callbacks))):
        raise TypeError("append_backward(callbacks): must be a list or tuple of functions, each called with block= and "
                        f"context=. Received {callbacks!r}.")
    parameters: dict[str, Variable] = {p.name: p for p in loss.program.global_block().all_parameters() if p.trainable}
    if parameter_list is not None:
        parameters = {name: variable for name in _names(parameter_list)
                      if (variable := parameters.get(name, _computed(loss.block, name))) is not None}
    wanted = list(parameters.values())
    found = named_derivatives(trace, [loss], wanted, [None], no_grad_set, callbacks or (), inputs_only=False)
    pairs: list[tuple[Variable, Variable]] = [(p, g) for p, g in zip(wanted, found, strict=True) if g is not None]
    _tell_roles(trace.block, loss, pairs)
    return pairs


def _tell_roles(block: Block, loss: Variable, pairs: Sequence[tuple[Variable, Variable]]) -> None:
    """Says of operations what code that divides training among processes looks for.

    Which one the gradient of the loss begins with (its role), and which give gradients of parameters (`op_role_var`:
    parameters and gradients, by name).
    """
    parameters = {gradient.name: parameter.name for parameter, gradient in pairs}
    start = next((op for op in block.ops if op.is_backward and op.input_arg_names == [loss.name]), None)
    if start is not None:
        start.attrs["op_role"] |= LOSS_ROLE
    for op in reversed(block.ops):
        found = [name for name in op.output_arg_names if name in parameters]
        if found and op.is_backward:
            op.attrs["op_role_var"] = [each for name in found for each in (parameters.pop(name), name)]
