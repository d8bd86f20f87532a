"""EagerValue: an array, the edge along which its gradient flows, and what all that is no face asks of a value.

Its array is never changed by an operation: the forms that work in place (`x.add_(y)`, `x[0] = 1`) give the value
another array. What saved the old one is told (`superseded.py`), so that a gradient that needs it raises.

What Python reads of it, and the language's operators, are in `readable.py`; the methods that users call by name are a
face's: `tensor.py` has Paddle's. The engine, operators and optimizers ask for nothing that is in neither.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from .. import backend
from ..backend.aliasing import COUNTS_TELL
from ..core.dtype import bfloat16, convert_dtype, from_numpy_dtype
from ..core.errors import AssertedError, LeafChangedInPlaceError
from ..core.hooks import add_hook
from ..core.lazy import require
from ..core.place import Place, expected_place, parse_place
from ..core.unique_name import generate
from ..ops.array.reshape import reshape
from ..ops.core.backward import Leaf, Output, edge_node
from ..ops.core.trace import grad_mode, state
from .construction import parts
from .printing import format_tensor
from .readable import Readable
from .superseded import supersede
from .views import part_from_views, show, show_change, stay, write_through

_getrefcount: Callable[[Any], int] = getattr(sys, "getrefcount", lambda _: 0)

if TYPE_CHECKING:
    from typing_extensions import Self

_Value = TypeVar("_Value", bound="EagerValue")

_OF_THE_GRAPH = ("_leaf", "_stopped_edge", "_is_twin", "_version")  # attributes that a copy has not


class EagerValue(Readable):
    """A value of eager code: what every face's Tensors are, whatever their methods are called."""

    __slots__ = ("_array", "_edge", "_source", "_views", "__dict__", "__weakref__")

    _is_proa_value = True
    is_parameter = False
    _name: str | None = None
    _version = 0  # how often an operation in place has changed it
    _leaf: Leaf | None = None  # kept while stop_gradient is True, so that the gradient is not lost
    _stopped_edge: Any = None  # of a computed value: its edge while stop_gradient is True, which may be taken back
    _is_twin = False  # whether it has the very array of what it is a view of, so that updates go on to write in place
    persistable = False

    _array: Any
    _edge: Any
    _source: Any  # of a view: what it is a view of (see `views.py`); else None
    _views: Any  # those that are views of it; not set where there never was one
    _eager: ClassVar[Any]  # the eager trace whose values are of this class: it tells, when it is made (`eager.py`)

    def __init__(self, *args: Any, **kwargs: Any):
        given = parts(args, kwargs)
        data, dtype, place = (given.get(key) for key in ("data", "dtype", "place"))
        if isinstance(data, EagerValue):
            self.persistable = data.persistable
            data = backend.to_numpy(data._array)
        array = np.asarray([] if data is None else data)
        if dtype is not None or data is None:
            array = array.astype(convert_dtype(dtype or "float32").dtype)
        array = array.astype(from_numpy_dtype(array.dtype).dtype, order="C")  # what was unpickled has one of its own
        self._array = backend.as_place(array, expected_place() if place is None else parse_place(place))
        self._edge = self._source = None
        if given.get("name") is not None:
            self._name = given["name"]
        if "persistable" in given:
            self.persistable = bool(given["persistable"])
        if not given.get("stop_gradient", True):
            self.stop_gradient = False

    # What it is

    @property
    def place(self) -> Place:
        """Where the array is."""
        return backend.place_of(self._array)

    @property
    def name(self) -> str:
        """The name; one is made up for a Tensor that was given none."""
        if self._name is None:
            self._name = generate("generated_tensor")
        return self._name

    @name.setter
    def name(self, value: str) -> None:
        self._name = value

    def is_dense(self) -> bool:
        """True: it holds every element.

        >>> import proa as paddle
        >>> paddle.ones([2]).is_dense()
        True
        """
        return True

    def is_selected_rows(self) -> bool:
        """False: it holds every element, and not some rows only.

        >>> import proa as paddle
        >>> paddle.ones([2]).is_selected_rows()
        False
        """
        return False

    def __repr__(self) -> str:
        return format_tensor(self)

    __str__ = __repr__

    def _repr_html_(self) -> str:
        from .tables import tensor_html  # needed in notebooks alone

        return tensor_html(self)

    # Gradient

    @property
    def stop_gradient(self) -> bool:
        """True when no gradient flows to or through this Tensor."""
        return self._edge is None

    @stop_gradient.setter
    def stop_gradient(self, value: bool) -> None:
        if not state.trace.computes:
            state.trace.sets_stop(self, bool(value))
        if value:
            if type(self._edge) is Leaf:
                self._leaf = self._edge
            elif self._edge is not None:
                self._stopped_edge = self._edge
            self._edge = None
        elif self._edge is None:
            if self._stopped_edge is not None:
                self._edge, self._stopped_edge = self._stopped_edge, None
            else:
                self._leaf = self._edge = self._leaf or Leaf(self._eager)

    @property
    def is_leaf(self) -> bool:
        """True for a Tensor that no recorded operation made; stopping its gradient changes nothing of that."""
        return (self._edge is None or type(self._edge) is Leaf) and self._stopped_edge is None

    @property
    def grad(self) -> Self | None:
        """The accumulated gradient, or None."""
        return self._gradient() if state.trace.computes else state.trace.gradient_of(self)

    @grad.setter
    def grad(self, value: Self | None) -> None:
        if not state.trace.computes and state.trace.sets_gradient(self, value):
            return
        if value is not None and (not isinstance(value, EagerValue) or value.shape != self.shape):
            raise ValueError(
                f"The gradient must be a Tensor of shape {self.shape}. Received "
                f"{value.shape if isinstance(value, EagerValue) else type(value).__name__}."
            )
        holder = self._holder()
        if holder is None:
            holder = self._leaf = Leaf(self._eager)
        holder.grad, holder.cleared = value, False

    def _gradient(self) -> Self | None:
        """As `grad`, whatever trace is in charge."""
        edge = self._edge
        holder = edge if type(edge) is Leaf else self._leaf
        if holder is None:
            return None
        if holder.cleared:
            zeros = backend.namespace_of([self._array]).zeros_like(self._array)
            holder.grad, holder.cleared = self._eager.new(zeros), False
        found, dtype = holder.grad, self._array.dtype
        if found is not None and not holder.hooks and found.is_dense() and found._array.dtype != dtype:
            # rules may compute in float32, or in the dtype of what else an operator was given
            holder.grad = found = self._eager.new(found._array.astype(dtype))
        return found

    def _holder(self) -> Leaf | None:
        """Where the gradient of this Tensor is kept: its own leaf, or that of `retain_grads`."""
        return self._edge if type(self._edge) is Leaf else self._leaf

    def _part(self) -> Self:
        """What of it has a gradient, dense: itself."""
        return self

    def _of_part(self, gradient: Any) -> Any:
        """The gradient of it, from that of its part."""
        return gradient

    def _hooks(self) -> dict[int, Callable[..., Any]]:
        node = edge_node(self._edge)
        if node is None:
            self._edge.hooks = self._edge.hooks if self._edge.hooks is not None else {}
            return self._edge.hooks
        node.hooks = node.hooks if node.hooks is not None else {}
        key = (self._edge.index, self._edge.position) if type(self._edge) is Output else (0, None)
        return node.hooks.setdefault(key, {})

    def _retain_gradient(self) -> None:
        """Keeps the gradient that each pass finds for a computed value in `grad`, in place of the one before."""
        if self._leaf is None:
            add_hook(self._hooks(), Retention(self))

    def detach(self) -> Self:
        """A Tensor with the same value through which no gradient flows.

        Both share memory: an operation in place on either, an optimizer's step too, is seen in the other.

        >>> import proa as paddle
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> y = (x * 2).detach()
        >>> y.stop_gradient, y.tolist()
        (True, [2.0, 4.0])
        """
        if not state.trace.computes:
            variable = state.trace.variable_of(self)
            if variable is not None:
                return variable.detach()
        is_twin = self._edge is None or type(self._edge) is Leaf
        detached = self._eager.new(self._array if is_twin else self._array.view())
        if is_twin:
            detached._is_twin = True
        show(detached, None, (self,), {})
        return detached

    # Changing it

    def _replace(self, array: Any) -> None:
        """Gives the Tensor another array of the same meaning, an array object that no other value has."""
        old = self._array
        if _getrefcount(old) != _alone:  # something beside the value holds it
            supersede(old, self)
        state.trace.replaces(self)
        self._array = array

    def _update(self, array: Any) -> None:
        """Gives the Tensor, and those that share its memory, what an update (a step, a running mean) has made of it."""
        self._replace(array)
        if self._source is not None:
            write_through(self)
        show_change(self)

    @property
    def _is_view(self) -> bool:
        return self._source is not None

    def _alias(self) -> Any:
        """Another Tensor of this value and edge: what an in-place form saves of it stays good."""
        if not state.trace.computes:
            return state.trace.lift(self, "a tensor that is changed in place")
        return another_of(self)

    def _rebind(self, result: EagerValue, former: EagerValue | None = None) -> Self:
        """Makes this Tensor the result of an operation on it: what the in-place forms do.

        Of a result that is a view of `former`, this Tensor as it was, the Tensor's views are views too.
        """
        if not isinstance(result, EagerValue):
            state.trace.rebind(self, result)
            return self
        if state.grad_enabled and type(self._edge) is Leaf and result._array.dtype.kind != "b":
            raise LeafChangedInPlaceError(
                f"A leaf Tensor with stop_gradient=False cannot be changed in place: its gradient would have no place "
                f"to go. Use the form that returns a new Tensor, or work under paddle.no_grad(). Tensor: {self.name}."
            )
        if result._array.shape != self._array.shape or result._array.dtype != self._array.dtype:
            if result._array.size != self._array.size:
                raise ValueError(
                    f"An in-place operation must keep the shape {self.shape} and dtype {self.dtype.name}. "
                    f"The result has shape {result.shape} and dtype {result.dtype.name}."
                )
            if not state.grad_enabled and self._edge is not None and type(self._edge) is not Leaf:
                self._edge = self._edge_in_shape(result.shape)
        self._replace(result._array)
        self._version += 1
        if state.grad_enabled:
            self._edge = result._edge
        if former is not None and result._source is not None and stay(self, former, result):
            return self
        if self._source is not None:
            write_through(self)
        show_change(self)
        return self

    def _pass_through(self, edge: Any) -> None:
        """Lets its gradient, and that of what it is a view of, flow along another edge: its elements are the same."""
        self._edge = edge
        self._version += 1
        if self._source is not None:
            write_through(self)
        show_change(self)

    def _edge_in_shape(self, shape: list[int]) -> Any:
        """The edge of a Tensor that has another shape from now on, but the gradient that it had."""
        with grad_mode(True):
            return reshape(self._alias(), shape)._edge

    def _assigned(self, result: EagerValue) -> Self:
        """Gives this Tensor the value, the shape and the edge of another; its own edge where that has none."""
        if not isinstance(result, EagerValue):
            return self._rebind(result)
        self._replace(result._array.view())
        self._version += 1
        if state.grad_enabled and result._edge is not None:
            self._edge = result._edge
        if self._source is not None:
            write_through(self)
        show_change(self)
        return self

    def _inplace_assign(self, result: EagerValue) -> None:
        """Gives this Tensor the value, the shape and the gradient's way of another, as `assign(result, self)` does.

        >>> import proa as paddle
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> y = x * 2
        >>> y._inplace_assign(y * 3)
        >>> y.sum().backward()
        >>> x.grad.tolist()
        [6.0, 6.0]
        """
        self._assigned(result)

    def _become(self, result: EagerValue) -> None:
        """Gives this Tensor the value and the edge of another, whatever its own were."""
        if result is not self:
            self._replace(result._array.view())
            self._edge, self._stopped_edge = result._edge, None
            part_from_views(self)

    def set_value(self, value: Any) -> None:
        """Sets the value from an array or Tensor of the same shape and dtype; raises ValueError otherwise.

        NumPy's uint16 are bits of bfloat16. Gradients go on to flow to what a computed Tensor was computed from; what
        was computed of its former value has the gradient of that.

        >>> import proa as paddle
        >>> import numpy as np
        >>> x = paddle.zeros([2])
        >>> x.set_value(np.array([1.0, 2.0], "float32"))
        >>> x.tolist()
        [1.0, 2.0]
        """
        if not state.trace.computes and state.trace.writes(self, value):
            return
        array = value._array if isinstance(value, EagerValue) else np.asarray(value)
        if array.dtype == np.uint16 and self.dtype is bfloat16:
            array = array.view(bfloat16.dtype)
        if tuple(array.shape) != self._array.shape:
            raise AssertedError(
                f"set_value(value): {self.name} has shape {self.shape}. Received shape {list(array.shape)}."
            )
        if array.dtype != self._array.dtype:
            raise AssertedError(
                f"set_value(value): {self.name} has dtype {self.dtype.name}. Received dtype {array.dtype}."
            )
        given = backend.as_place(array, self.place).astype(self._array.dtype, order="C").view()
        if self._edge is not None and type(self._edge) is not Leaf and self._source is None:
            state.trace.replaces(self)
            self._array = given  # weights adapted from others (MAML): what they were before still has its gradient
            show_change(self)
        else:
            self._update(given)

    # Moving and copying it

    def _moved(self, place: Place) -> Self:
        array = backend.as_place(self._array, place)
        if array is self._array:
            return self
        moved = self._eager.new(array)
        moved._name = self._name
        if not self.stop_gradient:
            moved.stop_gradient = False
        return moved

    def __deepcopy__(self, memo: dict[Any, Any]) -> Self:
        """A leaf with the same elements, whatever this one was computed from."""
        return self._copied(memo)

    def _copied(self, memo: dict[Any, Any]) -> Self:
        result = type(self).__new__(type(self))
        memo[id(self)] = result
        result._array, result._edge, result._source = self._array.copy(), None, None
        kept = {k: v for k, v in self.__dict__.items() if k not in ("_name", *_OF_THE_GRAPH)}
        result.__dict__.update({k: copy.deepcopy(v, memo) for k, v in kept.items()})
        if not self.stop_gradient:
            result.stop_gradient = False
        return result

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        attributes = {k: v for k, v in self.__dict__.items() if k not in _OF_THE_GRAPH}
        kind: Any = type(self)
        written_in = kind.__dict__.get("_written_in")
        known_by = kind if written_in is None else f"{written_in}:{kind.__qualname__}"
        device = () if isinstance(self._array, np.ndarray) else (backend.place_of(self._array).kind,)
        return _unpickled, (known_by, self.numpy(), self.stop_gradient, attributes, *device)


class _Alone:
    """Holds an array as a value does: how many references to one are counted that nothing else has saved."""

    __slots__ = ("_array",)

    def __init__(self) -> None:
        self._array: Any = np.zeros(1)

    def count(self) -> int:
        """What `_replace` counts; -1, which is never met, where counts do not tell."""
        old = self._array
        alone = _getrefcount(old)
        saved = [old]
        return alone if _getrefcount(old) > alone and saved and COUNTS_TELL else -1


_alone = _Alone().count()


def another_of(tensor: _Value) -> _Value:
    """Another Tensor of this value and edge, with an array object of its own."""
    other = tensor._eager.new(tensor._array.view())
    other._edge, other._source = tensor._edge, tensor._source
    return other


def share_memory(tensor: EagerValue, other: EagerValue) -> None:
    """Gives `other` the memory of a Tensor: its elements, shape and dtype. Updates of either change both."""
    other._replace(tensor._array)
    part_from_views(other)
    other._is_twin = True
    show(other, None, (tensor,), {})


def _named(name: str) -> Any:
    import pkgutil  # for what has been pickled

    return pkgutil.resolve_name(name)


def _unpickled(kind: type[EagerValue] | str, array: np.ndarray, stop_gradient: bool, attributes: dict[Any, Any],
               device: str | None = None) -> EagerValue:
    """The value that was pickled; one of a kind of device goes to where new values are made, where that is such."""
    cls: type[EagerValue] = _named(kind) if isinstance(kind, str) else kind
    if not hasattr(cls, "_eager"):
        require("default trace")  # nothing of the library has been used in this process
    tensor = cls.__new__(cls)
    place = expected_place()
    tensor._array = backend.as_place(array, place) if place.is_device() and place.kind == device else array
    tensor._edge = tensor._source = None
    tensor.__dict__.update(attributes)
    tensor.stop_gradient = stop_gradient
    return tensor


class Retention:
    """The hook by which a computed value keeps its gradient, which is taken back where the pass fails."""

    def __init__(self, value: EagerValue):
        self.leaf = value._leaf = Leaf(value._eager)

    def __call__(self, gradient: Any) -> None:
        """Keeps a gradient that the walk has found."""
        leaf = self.leaf
        if state.changes is not None:
            state.changes.append((leaf, leaf.grad, leaf.cleared))
        leaf.grad = gradient if isinstance(gradient, EagerValue) else leaf.trace.of_gradient(gradient)
        leaf.cleared = False
