"""PyLayer: an operation with a gradient of the user's own."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

from .. import backend
from ..core import nest
from ..core.place import expected_place
from ..ops.core.backward import Node, Output
from ..ops.core.trace import grad_mode, state, using
from ..ops.program.custom_gradient import checked_gradients
from .packing import unpacked
from .value import EagerValue, another_of

if TYPE_CHECKING:
    from .tensor import Tensor


class _SavedOutput:
    """An output that was saved: referring to it would keep it, and the graph behind it, for ever."""

    __slots__ = ("array", "index")

    def __init__(self, array: Any, index: int):
        self.array, self.index = array, index


def _kept(saved: Any) -> Any:
    return another_of(saved) if isinstance(saved, EagerValue) and saved._source is not None else saved


def _is_leaf(value: Any) -> bool:
    return value.is_leaf if isinstance(value, EagerValue) else value.op is None  # a Program's variable


class PyLayerContext:
    """What a PyLayer's `forward` hands on to its `backward`; any attribute may be set on it.

    >>> import proa as paddle
    >>> class Cube(paddle.autograd.PyLayer):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         ctx.times = 3  # what is no tensor is an attribute
    ...         return x ** 3
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         x, = ctx.saved_tensor()
    ...         return grad * ctx.times * x ** 2
    >>> x = paddle.to_tensor([2.0], stop_gradient=False)
    >>> Cube.apply(x).backward()
    >>> x.grad.tolist()
    [12.0]
    """

    def __init__(self) -> None:
        self._saved: tuple[Any, ...] = ()
        self._undifferentiable: list[int] = []
        self._not_in_place: list[int] = []
        self._materialize = True
        self._node: Any = None
        self._eager: Any = None

    def save_for_backward(self, *tensors: Any) -> None:
        """Keeps tensors for `backward`, which gets them from `saved_tensor()`."""
        self._saved = state.trace.kept(tensors)

    def saved_tensor(self) -> tuple[Tensor, ...]:
        """What `save_for_backward` was given."""
        saved: list[Any] = [self._output(t) if isinstance(t, _SavedOutput) else t for t in unpacked(self._saved)]
        return tuple(saved)

    def mark_not_inplace(self, *tensors: Any) -> None:
        """Says that these inputs, where they are outputs too, are values of their own, and are not changed in place."""
        self._not_in_place = [id(t) for t in tensors]

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Says that no gradient flows through these outputs."""
        self._undifferentiable = [id(t) for t in tensors]

    def set_materialize_grads(self, value: bool) -> None:
        """Whether `backward` gets zeros (the default) or None for an output that nothing used."""
        self._materialize = bool(value)

    def _made_by(self, node: PyLayerNode, originals: Sequence[EagerValue], inputs: Sequence[EagerValue],
                 in_place: Collection[int]) -> None:
        """Lets a gradient of a gradient flow through saved outputs: they are results of this application.

        Of saved views the values of now are kept, whatever becomes of what they are views of, and of what becomes a
        result itself (`in_place`, ids), what it was before.
        """
        given = {id(t) for t in inputs}
        places = {id(t): n for n, t in enumerate(originals) if id(t) not in given}
        self._saved = tuple(_SavedOutput(t._array, places[id(t)]) if id(t) in places else
                            another_of(t) if id(t) in in_place else _kept(t) for t in self._saved)
        self._node, self._eager = weakref.ref(node), node.eager

    def _is_changed_in_place(self, value: Any, given_back: Sequence[Any], inputs: Sequence[Any]) -> bool:
        """Whether what `forward` gives back becomes a result: an input with a gradient, given once, that is no leaf."""
        return (any(value is x for x in inputs) and not value.stop_gradient and not _is_leaf(value)
                and id(value) not in (*self._not_in_place, *self._undifferentiable)
                and [id(x) for x in given_back].count(id(value)) == 1)

    def _output(self, saved: _SavedOutput) -> EagerValue:
        tensor, node = self._eager.new(saved.array), self._node()
        if node is not None:
            tensor._edge = Output(node, saved.index)
        return tensor


class PyLayerNode(Node):
    """An application of a PyLayer as the backward walk sees it."""

    __slots__ = ("eager", "layer", "context", "outputs", "shapes")

    def __init__(self, eager: Any, layer: type[PyLayer], context: PyLayerContext, inputs: Sequence[EagerValue],
                 outputs: Sequence[EagerValue]):
        saved = tuple(t._array for t in context._saved if isinstance(t, EagerValue))
        super().__init__([t._edge for t in inputs], saved)
        self.eager, self.layer, self.context = eager, layer, context
        self.outputs = [(o._array.shape, o._array.dtype) for o in outputs]
        self.shapes = [t._array.shape for t in inputs]

    @property
    def type(self) -> str:
        """The name of the PyLayer."""
        return self.layer.__name__

    @property
    def count(self) -> int:
        """How many Tensors `forward` gave."""
        return len(self.outputs)

    def kept_arrays(self) -> list[Any]:
        """The values of the Tensors that it saved, which must not have been changed in place since."""
        return list(self.saved or ())

    def gradients(self, gs: Sequence[Any], saved: tuple[Any, ...]) -> Sequence[Any]:
        """What the user's `backward` gives, one gradient an input tensor, in the walk's own form."""
        recorded = any(isinstance(g, EagerValue) for g in gs)
        with using(self.eager), grad_mode(recorded):
            given = [self._cotangent(n, g) for n, g in enumerate(gs)]
            backward = self.layer.backward
            results = checked_gradients(f"{self.layer.__name__}.backward", backward, backward(self.context, *given),
                                        [e is not None for e in self.edges], self.shapes)
        return results if recorded else [None if r is None else r._array for r in results]

    def _cotangent(self, number: int, gradient: Any) -> Any:
        if gradient is None:
            if not self.context._materialize:
                return None
            shape, dtype = self.outputs[number]
            return self.eager.new(backend.namespace_at(expected_place()).zeros(shape, dtype))
        return gradient if isinstance(gradient, EagerValue) else self.eager.new(gradient)


class PyLayer:
    """An operation whose forward and backward the user writes; used by `apply`.

    >>> import proa as paddle
    >>> class Double(paddle.autograd.PyLayer):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x * 2
    ...     @staticmethod
    ...     def backward(ctx, dy):
    ...         return dy * 2
    >>> x = paddle.ones([1]); x.stop_gradient = False
    >>> Double.apply(x).backward(); float(x.grad)
    2.0
    """

    @staticmethod
    def forward(ctx: PyLayerContext, *args: Any, **kwargs: Any) -> Any:
        """The user's computation; what happens in it is not recorded."""
        raise NotImplementedError("A PyLayer must define the static method forward(ctx, ...).")

    @staticmethod
    def backward(ctx: PyLayerContext, *args: Any, **kwargs: Any) -> Any:  # `**kwargs`: for checkers, it takes anything
        """From the gradients of the outputs, those of the tensor inputs in order (None for none)."""
        raise NotImplementedError("A PyLayer must define the static method backward(ctx, ...).")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """What `forward` gives; its gradient is what `backward` makes of that of the results.

        An input that was computed, and that `forward` gives back, is changed in place: it is a result from then on.
        Of a leaf a value of its own is given.

        Under `to_static` both are converted, and run once, when the Program is built: Python that needs tensors' values
        in `backward`, or a change of anything outside of it, is an error where a gradient is wanted.
        """
        return state.trace.py_layer(cls, PyLayerContext(), args, kwargs)


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator of a PyLayer's `backward`: what it computes is not recorded, so that there is no gradient of it.

    >>> import proa as paddle
    >>> class Square(paddle.autograd.PyLayer):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...     @staticmethod
    ...     @paddle.autograd.py_layer.once_differentiable
    ...     def backward(ctx, dy):
    ...         return dy * 2 * ctx.saved_tensor()[0]
    >>> x = paddle.to_tensor([3.0], stop_gradient=False)
    >>> slope, = paddle.grad(Square.apply(x), x, create_graph=True)
    >>> slope.tolist(), paddle.grad(slope, x, allow_unused=True)
    ([6.0], [None])
    """

    @functools.wraps(backward)
    def unrecorded(ctx: PyLayerContext, *args: Any) -> Any:
        with grad_mode(False):
            return backward(ctx, *args)

    return unrecorded


def apply_eagerly(eager: Any, layer: type[PyLayer], context: PyLayerContext, args: tuple[Any, ...],
                  kwargs: dict[str, Any]) -> Any:
    """Runs `forward` and records the operation when an input wants a gradient."""
    inputs = [leaf for leaf in nest.leaves([list(args), kwargs]) if isinstance(leaf, EagerValue)]
    with grad_mode(False):
        result = layer.forward(context, *args, **kwargs)
    if not any(isinstance(leaf, EagerValue) for leaf in nest.leaves(result)):
        raise ValueError(f"{layer.__name__}.forward must return at least one Tensor. It returned {result!r}.")
    if not state.grad_enabled or all(t.stop_gradient for t in inputs):
        return result
    owned = nest.map_structure(
        lambda leaf: eager.new(leaf._array.view()) if isinstance(leaf, EagerValue) else leaf, result)
    originals = [leaf for leaf in nest.leaves(result) if isinstance(leaf, EagerValue)]
    outputs = [leaf for leaf in nest.leaves(owned) if isinstance(leaf, EagerValue)]
    node = PyLayerNode(eager, layer, context, inputs, outputs)
    in_place = {id(t) for t in originals if context._is_changed_in_place(t, originals, inputs)}
    context._made_by(node, originals, inputs, in_place)
    for index, (original, output) in enumerate(zip(originals, outputs, strict=True)):
        if id(original) not in context._undifferentiable:
            output._edge = Output(node, index)
    if not in_place:
        return owned
    changed = {id(output): original for original, output in zip(originals, outputs, strict=True)
               if id(original) in in_place}
    for output in outputs:
        if id(output) in changed:
            changed[id(output)]._pass_through(output._edge)
    return nest.map_structure(lambda leaf: changed.get(id(leaf), leaf), owned)
