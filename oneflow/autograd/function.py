"""`flow.autograd.Function`: operations with a gradient of the user's own."""

from __future__ import annotations

from typing import Any

from ...core import nest
from ...dygraph.py_layer import PyLayer, PyLayerContext
from ...ops.array.full import is_value
from ...ops.core.trace import state
from ..charge import flowing


class FunctionContext(PyLayerContext):
    """What `forward` leaves for `backward`: tensors by `save_for_backward`, anything else as attributes."""

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What `save_for_backward` was given."""
        return self.saved_tensor()


class Function:
    """An operation of the user's own: `forward(ctx, …)` computes, `backward(ctx, …)` gives the arguments' gradients.

    Of arguments that are no tensors the gradient is None, or is left out.

    >>> import proa.oneflow as flow
    >>> class Times(flow.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x, factor):
    ...         ctx.factor = factor
    ...         return x * factor
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         return g * ctx.factor, None
    >>> x = flow.ones(1, requires_grad=True)
    >>> Times.apply(x, 3).sum().backward(); x.grad.tolist()
    [3.0]
    """

    @staticmethod
    def forward(ctx: FunctionContext, *args: Any) -> Any:
        """The computation; what happens in it is not recorded."""
        raise NotImplementedError("A Function must define the static method forward(ctx, ...).")

    @staticmethod
    def backward(ctx: FunctionContext, *grads: Any) -> Any:
        """From the gradients of the results those of the arguments."""
        raise NotImplementedError("A Function must define the static method backward(ctx, ...).")

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """What `forward` gives; its gradient is what `backward` makes of that of the results."""
        return _applied(cls, args)

    def __call__(self, *args: Any) -> Any:
        """As `apply`."""
        return type(self).apply(*args)


@flowing
def _applied(function: type[Function], args: tuple) -> Any:
    kinds = [is_value(leaf) for leaf in nest.leaves(list(args))]

    def backward(ctx: Any, *grads: Any) -> Any:
        """The gradients of the tensors among the arguments."""
        given = function.backward(ctx, *grads)
        if isinstance(given, (tuple, list)) and len(given) == len(kinds):
            given = tuple(g for g, is_tensor in zip(given, kinds, strict=True) if is_tensor)
            return given[0] if len(given) == 1 else given
        return given

    layer = type(function.__name__, (PyLayer,), {"forward": staticmethod(function.forward),
                                                 "backward": staticmethod(backward)})
    return state.trace.py_layer(layer, FunctionContext(), args, {})
