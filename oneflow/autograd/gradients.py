"""`flow.autograd.grad` and `backward`."""

from __future__ import annotations

from typing import Any

from ...dygraph.engine import grad as _grad
from ..charge import FLOW, flowing


@flowing
def grad(outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None,
         create_graph: bool = False, allow_unused: bool = True, is_grads_batched: bool = False) -> tuple[Any, ...]:
    """The gradients of outputs with respect to inputs; those that tensors hold are left alone.

    With `create_graph` they can be differentiated in their turn.

    >>> import proa.oneflow as flow
    >>> x = flow.tensor([2.0], requires_grad=True)
    >>> (g,) = flow.autograd.grad((x ** 3).sum(), x, create_graph=True)
    >>> flow.autograd.grad(g.sum(), x)[0].tolist()
    [12.0]
    """
    if is_grads_batched:
        raise NotImplementedError("grad(is_grads_batched=True): gradients are computed for one start at a time.")
    return tuple(_grad(outputs, inputs, grad_outputs, retain_graph, create_graph, True, allow_unused, None))


@flowing
def backward(tensors: Any, grad_tensors: Any = None, retain_graph: bool = False, create_graph: bool = False) -> None:
    """Adds the gradients of tensors to those of the leaves that they were computed from."""
    if create_graph:
        raise NotImplementedError("backward(create_graph=True): use flow.autograd.grad(…, create_graph=True).")
    values = list(tensors) if isinstance(tensors, (tuple, list)) else [tensors]
    starts = list(grad_tensors) if isinstance(grad_tensors, (tuple, list)) else [grad_tensors] * len(values)
    FLOW.backward(values, starts, retain_graph)
