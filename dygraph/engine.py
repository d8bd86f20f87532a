"""The engine: `backward` and `grad` on Tensors, by the walk that lives in `ops`.

A plain pass walks on bare arrays; with `create_graph` it walks on Tensors, and what it does is recorded in its turn.
Which Tensors these are, `eager` says: the eager trace of the values concerned.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import numpy as np

from .. import backend
from ..backend.selected_rows import SelectedRows
from ..core import nest
from ..core.errors import ModifiedInPlaceError, UnequalLengthsError, WrongKindError, warn_user
from ..core.hooks import check_hook
from ..ops.array.gradient_shapes import sum_to_op
from ..ops.core import native
from ..ops.core.backward import Leaf, Node, Output, Walk, run_hooks, total
from ..ops.core.checking import check_in_force
from ..ops.core.deferred import Deferred
from ..ops.core.operator_node import OperatorNode, SingleResultNode
from ..ops.core.trace import ArrayTrace, grad_mode, state, using
from ..ops.math.casting import cast
from .selected_rows import gradient_of
from .superseded import superseded, versions_of
from .value import EagerValue, another_of

_ndarray = np.ndarray
_ON_HOST = ArrayTrace(np)
# True where there may be some: asked for each node.
_superseded: dict[int, Any] = superseded.data  # type: ignore[attr-defined]


def check_unchanged(node: Node, arrays: Iterable[Any]) -> None:
    """Raises ModifiedInPlaceError where one of the arrays that a node needs was changed in place since."""
    for array in arrays:
        changed = superseded.get(id(array))
        if changed is not None and changed is array:
            raise ModifiedInPlaceError(
                f"The gradient of {node.type!r} needs a value of shape {list(changed.shape)} that was changed in "
                f"place after it was used{versions_of(changed)}. Use the form without the trailing underscore, or "
                f"change a clone(); where an optimizer's step changed it, call backward() before the step."
            )


def _read_arrays(node: Node) -> tuple:
    if _superseded:
        check_unchanged(node, node.kept_arrays())
    assert node.saved is not None
    return node.saved


if native.module is not None:
    native.module.serve_walk(Node, Leaf, Output, OperatorNode, _read_arrays, _superseded, sum_to_op)
    native.module.serve_steps(EagerValue, Leaf)


_OF_OPERATORS = {OperatorNode, SingleResultNode}


def _tensor_reader(eager: Any) -> Callable[[Node], tuple]:
    """What gives what a node saved, as Tensors of a trace that are connected to where they came from."""
    make, kind = object.__new__, eager.value_class

    def connect(array: Any, edge: Any) -> EagerValue:
        tensor = make(kind)
        tensor._array, tensor._edge, tensor._source = array, edge, None
        return tensor

    def read(node: Node) -> tuple:
        if _superseded:
            check_unchanged(node, node.kept_arrays())
        if type(node) in _OF_OPERATORS and native.module is not None and node.saved is not None:
            return native.module.connected(node, kind)
        return node.connected(connect)

    return read


def _ones(namespace: Any, like: Any) -> Any:
    """An array of ones: two calls of C, of which `ones_like` makes some five of Python."""
    made = namespace.empty(like.shape, like.dtype) if like.ndim == 0 else namespace.empty_like(like)
    made.fill(1)
    return made


def _start(tensor: EagerValue, gradient: EagerValue | None) -> EagerValue:
    if gradient is None:
        return tensor._eager.new(_ones(backend.namespace_of([tensor._array]), tensor._array))
    if gradient.shape != tensor.shape:
        raise UnequalLengthsError(
            f"The gradient to start from must have the tensor's shape. Received {gradient.shape} for {tensor.shape}."
        )
    # A value of its own: it may come out as a gradient, and what was given may be updated.
    return another_of(gradient) if gradient.dtype is tensor.dtype else cast(gradient, tensor.dtype)


class _CheckedWalk(Walk):
    """A walk that shows what each operator's gradient gives to the check that is in force."""

    def _gradients(self, node: Node, gs: list[Any]) -> Any:
        gradients = [_values_of(gradient) for gradient in super()._gradients(node, gs)]
        check = check_in_force()
        if check is not None:
            check(f"{node.type}_grad", [g._array if isinstance(g, EagerValue) else g for g in nest.leaves(gradients)])
        return gradients


def _values_of(gradient: Any) -> Any:
    """A gradient that was put off, computed."""
    return gradient.array() if type(gradient) is Deferred else gradient


def _walk_type() -> type[Walk]:
    if check_in_force() is not None:
        return _CheckedWalk
    return Walk if state.observer is None else state.observer.walk_type()


def _starts(outputs: Sequence[EagerValue], gradients: Sequence[EagerValue | None]) -> list[tuple[Any, EagerValue]]:
    return [(t._edge, _start(t, g)) for t, g in zip(outputs, gradients, strict=True) if t._edge is not None]


def _walk(eager: Any, outputs: Sequence[EagerValue], gradients: Sequence[EagerValue | None], retain: bool,
          create_graph: bool, targets: Sequence[Any] | None, blocked: Collection[Any]) -> dict[Any, Any]:
    """The gradients of the targets by edge: Tensors of a trace with `create_graph`, arrays otherwise."""
    starts = _starts(outputs, gradients)
    blocked = {*blocked}.difference([edge for edge, _ in starts])
    if create_graph:
        with using(eager), grad_mode(True):
            return _walk_type()(_tensor_reader(eager), retain, targets, blocked=blocked).run(starts)
    namespace = backend.namespace_of([t._array for t in outputs])
    with using(ArrayTrace(namespace)):
        found = _walk_type()(_read_arrays, retain, targets, blocked=blocked).run(
            [(edge, g._array) for edge, g in starts])
    return {edge: _as_array(namespace, g) for edge, g in found.items()}


def _as_array(namespace: Any, gradient: Any) -> Any:
    if type(gradient) is Deferred:
        gradient = gradient.array()
    return gradient if isinstance(gradient, SelectedRows) else namespace.asarray(gradient)


def walk_segment(eager: Any, roots: Sequence[tuple[Any, Any]], since: int, recorded: bool) -> dict[Any, Any]:
    """What a walk back from the roots leaves at the leaves, and at nodes of an order below `since`.

    It takes and gives arrays under the trace in charge, or Tensors of `eager` that can be differentiated again
    (`recorded`).
    """
    if not recorded:
        return _walk_type()(_read_arrays, False, None, since).run(roots)
    with using(eager), grad_mode(True):
        return _walk_type()(_tensor_reader(eager), True, None, since).run(roots)


NOTHING_FLOWS = (
    "backward(): no gradient can flow from this tensor: it has stop_gradient=True, or was computed from such tensors "
    "only, or under paddle.no_grad(). Nothing is computed. Set stop_gradient=False on what should get a gradient.")


def backward(tensors: Sequence[EagerValue], grad_tensors: Sequence[EagerValue | None] | None = None,
             retain_graph: bool = False) -> None:
    """Adds the gradient of several Tensors to `.grad` of every leaf they were computed from.

    When a hook or a gradient rule raises, no gradient has changed, of leaves or of what retains its own. Warns where
    none of the Tensors was computed from what wants a gradient.

    >>> import proa as paddle
    >>> x = paddle.to_tensor(3.0, stop_gradient=False)
    >>> paddle.autograd.backward([x * x, x * 2])
    >>> float(x.grad)
    8.0
    """
    tensors = tensors if type(tensors) is list else _listed(tensors)
    gradients = [None] * len(tensors) if grad_tensors is None else _listed(grad_tensors)
    if len(gradients) != len(tensors):
        raise ValueError(f"backward: {len(tensors)} tensors need as many grad_tensors. Received {len(gradients)}.")
    if not state.trace.computes and state.trace.fills_gradients(tensors, gradients, retain_graph):
        return
    namespace, roots = _roots(tensors, gradients)
    if roots is None:
        warn_user(NOTHING_FLOWS)
        return
    with _Changes() as changes:
        leaves = _Leaves(namespace, changes)
        with using(_ON_HOST if namespace is np else ArrayTrace(namespace)):
            left = _walk_type()(_read_arrays, retain_graph, finish=leaves.finish).run(roots)
        for edge, gradient in left.items():
            if type(edge) is Leaf:
                leaves.add(edge, gradient)
        for do in state.ends:
            do()


def _roots(tensors: list, gradients: list) -> tuple[Any, list[tuple[Any, Any]] | None]:
    """What arrays are of, and the edges to begin at with their gradients; None where no gradient can flow."""
    if len(tensors) == 1 and gradients[0] is None and isinstance(tensors[0], EagerValue):
        edge, part = tensors[0]._edge, tensors[0]._part()
        if part is tensors[0] and type(part._array) is _ndarray:  # a loss, nearly always
            return np, None if edge is None else [(edge, _ones(np, part._array))]
    try:
        flows = any([t._edge for t in tensors])
        starts = [None if g is None else g._part() for g in gradients]
    except AttributeError:
        _refuse_others(tensors, gradients)
        raise
    parts = [t._part() for t in tensors] if flows else []
    namespace = backend.namespace_of([part._array for part in parts])
    roots = [(part._edge, _ones(namespace, part._array) if g is None else _start(part, g)._array)
             for part, g in zip(parts, starts, strict=True) if part._edge is not None] if flows else None
    return namespace, roots


def _refuse_others(tensors: list, gradients: list) -> None:
    for what, values in (("tensors", tensors), ("grad_tensors", [g for g in gradients if g is not None])):
        for value in values:
            if not isinstance(value, EagerValue):
                raise WrongKindError(f"backward({what}): must be Tensors. Received {type(value).__name__}.")


def _listed(values: Any) -> list:
    return list(values) if isinstance(values, (list, tuple)) else [values]


def a_pass_goes_on() -> bool:
    """Whether this thread is within a backward pass: what is computed now, is computed again for it."""
    return state.changes is not None


def at_the_end_of_this_pass(do: Callable[[], Any]) -> None:
    """Has `do()` called when the pass that is going on has added all gradients, by an observer of one of its leaves.

    What it raises comes out of `backward()`, which then has changed no gradient.
    """
    state.ends.append(do)


def gradient_before_this_pass(tensor: EagerValue) -> EagerValue | None:
    """What `tensor.grad` was before the pass that is going on, for an observer of this leaf."""
    return next((gradient for leaf, gradient, _ in reversed(state.changes or ()) if leaf is tensor._edge), None)


class _Changes:
    """Around a pass: what `.grad`s were before it, which they are again where it fails."""

    def __enter__(self) -> list[tuple[Leaf, Any, bool]]:
        self.outer = state.changes, state.ends
        self.before: list[tuple[Leaf, Any, bool]] = []
        state.changes, state.ends = self.before, []
        return self.before

    def __exit__(self, kind: Any, *_: Any) -> None:
        state.changes, state.ends = self.outer
        if kind is not None:
            for leaf, gradient, cleared in reversed(self.before):
                leaf.grad, leaf.cleared = gradient, cleared


def _parts(values: Sequence[EagerValue | None]) -> list:
    """What of each has a gradient."""
    return [None if value is None else value._part() for value in values]


class _Leaves:
    """What one pass adds to the gradients of leaves."""

    def __init__(self, namespace: Any, before: list[tuple[Leaf, Any, bool]]):
        self.namespace, self.before = namespace, before

    def add(self, leaf: Leaf, gradient: Any) -> None:
        """Adds to a leaf's gradient."""
        if type(gradient) is Deferred:
            gradient = gradient.array()
        if type(gradient) is _ndarray and leaf.grad is None and not leaf.hooks and self.namespace is np:  # the most
            self.before.append((leaf, None, leaf.cleared))
            leaf.grad, leaf.cleared = leaf.trace.new(gradient), False
            return
        gradient = _as_array(self.namespace, gradient)
        if leaf.hooks:
            gradient = run_hooks(leaf.hooks, gradient)
        found = gradient_of(gradient) if isinstance(gradient, EagerValue) else gradient
        self.before.append((leaf, leaf.grad, leaf.cleared))
        is_first = leaf.grad is None or not leaf.trace.adds_up
        leaf.grad = leaf.trace.of_gradient(found if is_first else total(gradient_of(leaf.grad), found))
        leaf.cleared = False

    def finish(self, leaf: Leaf, gradient: Any) -> None:
        """Adds to a leaf's gradient, to which this pass will add nothing more, and tells those who wait for it."""
        self.add(leaf, gradient)
        if leaf.observers:
            with using(leaf.trace), grad_mode(False):
                for observer in list(leaf.observers.values()):
                    observer()


def tensor_hook(eager: Any, hook: Callable[[EagerValue], EagerValue | None]) -> Callable[[Any], Any]:
    """A user's hook on a Tensor of a trace in the form that the walk calls, whatever form its gradients take."""

    check_hook(hook)

    def checked(result: Any, gradient: Any) -> Any:
        if result is None:
            return None
        if not isinstance(result, EagerValue):
            raise TypeError(
                f"A Tensor's hook must return a Tensor, which takes the gradient's place, or None. "
                f"It returned {type(result).__name__}."
            )
        if list(result.shape) != list(gradient.shape):
            raise ValueError(f"A Tensor's hook must return a gradient of the Tensor's shape, {list(gradient.shape)}. "
                             f"It returned one of shape {list(result.shape)}.")
        return result

    def run(gradient: Any) -> Any:
        if isinstance(gradient, EagerValue):
            return checked(hook(gradient), gradient)
        with using(eager), grad_mode(False):
            value = eager.of_gradient(gradient)
            result = checked(hook(value), value)
        return None if result is None else gradient_of(result)

    return run


def _as_list(value: Any) -> list:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def grad(outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None,
         create_graph: bool = False, only_inputs: bool = True, allow_unused: bool = False,
         no_grad_vars: Any = None) -> list[Any]:
    """The gradients of `outputs` with respect to `inputs`, which need not be leaves; `.grad` is left alone.

    `grad_outputs`: where each output's gradient starts, ones by default. `create_graph=True` records the computation
    of the gradients, for gradients of gradients. An input that the outputs do not depend on is an error, or None with
    `allow_unused=True`. `no_grad_vars` are constants: no gradient flows through them, nor to them.

    The graph is kept: `backward()` or another `grad` may follow. `retain_graph` is taken as Paddle takes it, and
    changes nothing.

    >>> import proa as paddle
    >>> x = paddle.to_tensor(2.0, stop_gradient=False)
    >>> [g] = paddle.grad(x ** 3, x, create_graph=True)
    >>> float(paddle.grad(g, x)[0])
    12.0
    """
    outputs, inputs = _as_list(outputs), _as_list(inputs)
    if not only_inputs:
        raise ValueError("grad(only_inputs=False) is not supported; use backward() to accumulate into leaves.")
    starts = [None] * len(outputs) if grad_outputs is None else _as_list(grad_outputs)
    if len(starts) != len(outputs):
        raise UnequalLengthsError(f"grad: {len(outputs)} outputs need as many grad_outputs. Received {len(starts)}.")
    found = state.trace.derivatives(outputs, inputs, starts, no_grad_vars, create_graph)
    for position, (x, gradient) in enumerate(zip(inputs, found, strict=True)):
        if gradient is None and not allow_unused:
            raise ValueError(
                f"grad(outputs, inputs): outputs do not depend on inputs[{position}] ({x.name}), it has "
                f"stop_gradient=True, or no_grad_vars block the way. Pass allow_unused=True to get None for it."
            )
    return found


def derivatives(eager: Any, outputs: list, inputs: list, starts: list, no_grad: Any,
                create_graph: bool) -> list[EagerValue | None]:
    """The gradients of Tensors with respect to Tensors, as Tensors of a trace; None where there is none.

    The graph stays for later passes, as in Paddle, whatever they are asked of; and hooks of leaves are not called,
    which are for gradients that end in `grad`.
    """
    for value in (*outputs, *inputs):
        if not isinstance(value, EagerValue):
            raise WrongKindError(f"grad(outputs, inputs): both must be Tensors. Received {type(value).__name__}.")
    blocked = _edges_of_constants(no_grad)
    edges = [edge if edge not in blocked else None for edge in map(_edge_of, inputs)]
    targets = [edge for edge in edges if edge is not None]
    results: list[EagerValue | None] = []
    with _Changes():
        found = _walk(eager, _parts(outputs), _parts(starts), True, create_graph, targets, blocked)
        for given, edge in zip(inputs, edges, strict=True):
            tensor = given._part()
            gradient = found.get(edge) if edge is not None else None
            gradient = _in_dtype_of(gradient, tensor)
            if gradient is not None:
                made = gradient if isinstance(gradient, EagerValue) else eager.of_gradient(gradient)
                if create_graph and made._edge is None:  # a constant, which is part of what was recorded all the same
                    made = eager.of_gradient(made._array)
                    made.stop_gradient = False
                gradient = given._of_part(made)
            results.append(gradient)
    return results


def _edge_of(tensor: EagerValue) -> Any:
    """Where the gradient of a tensor goes; of one that was stopped since, where it went when it was computed with."""
    part: EagerValue = tensor._part()
    if part._edge is not None:
        return part._edge
    return part._stopped_edge if part._stopped_edge is not None else part._leaf


def _in_dtype_of(gradient: Any, tensor: EagerValue) -> Any:
    """The gradient in its tensor's dtype: rules may compute in float32, or in the dtype of another input."""
    if gradient is None or isinstance(gradient, SelectedRows):
        return gradient
    dtype = tensor._array.dtype
    if isinstance(gradient, EagerValue):
        return gradient if gradient._array.dtype == dtype else cast(gradient, tensor.dtype)
    return gradient if gradient.dtype == dtype else gradient.astype(dtype)


def _edges_of_constants(no_grad: Any) -> set[Any]:
    """Where the gradients of `no_grad_vars` would go."""
    values = [] if no_grad is None else list(no_grad) if isinstance(no_grad, (list, tuple, set)) else [no_grad]
    for value in values:
        if not isinstance(value, EagerValue):
            raise WrongKindError("grad(no_grad_vars): must be a Tensor, several of them, or None. "
                                 f"Received {type(value).__name__}.")
    return {edge for edge in map(_edge_of, values) if edge is not None}
