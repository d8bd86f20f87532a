"""Tensor and Parameter: an array, the edge along which its gradient flows, and the methods of the one table.

A Tensor's array is never changed by an operation: the forms that work in place (`x.add_(y)`, `x[0] = 1`) give the
Tensor another array. What saved the old one is told (`superseded`), so that a gradient that needs it raises.
"""

from __future__ import annotations

import copy
import weakref
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np

from .. import backend
from ..core.dtype import DType, convert_dtype, from_numpy_dtype
from ..core.hooks import HookHandle, add_hook
from ..core.param_attr import ParamAttr
from ..core.place import CPUPlace, CUDAPlace, Place, expected_place, is_device_name, parse_place
from ..core.unique_name import generate
from ..core.var_type import VarType
from ..ops.core.backward import Leaf, Node, Output, edge_node
from ..ops.core.trace import grad_mode, state
from ..ops.methods import METHODS
from .printing import format_tensor, formatted

superseded: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
"""Arrays that were a Tensor's value when something saved them, and no longer are; by id."""

_ArrayMethods: Any = type("_ArrayMethods", (), {"__slots__": (), **METHODS})
_REDUCTIONS = {np.sum, np.mean, np.max, np.min, np.amax, np.amin, np.std, np.var, np.prod, np.any, np.all}


class TensorType(type):
    """The class of Tensor's class, which shows itself under the name that other packages know a Tensor by."""

    def __repr__(cls) -> str:
        shown = cls.__dict__.get("_shown_as")
        return f"<class '{shown}'>" if shown else super().__repr__()


class Tensor(_ArrayMethods, metaclass=TensorType):
    """An n-dimensional array in a place, with a gradient. Made by `to_tensor` and by every operation.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    >>> (x * x).sum().backward()
    >>> x.grad.tolist()
    [2.0, 4.0]
    """

    __slots__ = ("_array", "_edge", "__dict__", "__weakref__")

    _is_proa_value = True
    _shown_as = "paddle.Tensor"
    is_parameter = False
    __array_priority__ = 100  # ndarray + Tensor is a Tensor
    _name: str | None = None
    _leaf: Leaf | None = None  # kept while stop_gradient is True, so that the gradient is not lost
    _aliases: list[weakref.ref[Tensor]] | None = None  # the Tensors that share its memory, itself among them
    persistable = False
    is_distributed = False

    _array: Any
    _edge: Any
    _eager: ClassVar[Any]  # the eager trace whose values are of this class: it tells, when it is made (`eager.py`)

    def __init__(self, data: Any = None, dtype: Any = None, place: Any = None, stop_gradient: bool = True):
        array = np.asarray([] if data is None else backend.to_numpy(data._array) if isinstance(data, Tensor) else data)
        if dtype is not None:
            array = array.astype(convert_dtype(dtype).dtype)
        from_numpy_dtype(array.dtype)
        self._array = backend.as_place(array.copy(), expected_place() if place is None else parse_place(place))
        self._edge = None
        if not stop_gradient:
            self.stop_gradient = False

    # What it is

    @property
    def shape(self) -> list[int]:
        """The sizes, as a list of ints."""
        return list(self._array.shape)

    @property
    def dtype(self) -> DType:
        """The element type."""
        return from_numpy_dtype(self._array.dtype)

    @property
    def type(self) -> VarType:
        """What it holds: `VarType.LOD_TENSOR`, or `VarType.SELECTED_ROWS` of a gradient by rows."""
        return VarType.SELECTED_ROWS if self.is_selected_rows() else VarType.LOD_TENSOR

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._array.ndim

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(self._array.size)

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

    def dim(self) -> int:
        """The number of dimensions."""
        return self._array.ndim

    ndimension = rank_ = dim

    def element_size(self) -> int:
        """Bytes an element."""
        return int(self._array.dtype.itemsize)

    @property
    def strides(self) -> list[int]:
        """The steps between neighbours along each dimension, in elements."""
        return [step // self._array.dtype.itemsize for step in self._array.strides]

    def get_strides(self) -> list[int]:
        """As `strides`."""
        return self.strides

    def data_ptr(self) -> int:
        """Where in memory the elements are."""
        array = self._array
        return int(array.ctypes.data if isinstance(array, np.ndarray) else array.data.ptr)

    def value(self) -> Tensor:
        """The Tensor itself, which `get_tensor()` and `set_value()` of older programs are called on."""
        return self

    def is_same_shape(self, y: Tensor) -> bool:
        """Whether y has the same sizes."""
        return self.shape == y.shape

    def is_sparse(self) -> bool:
        """False: it holds every element."""
        return False

    is_sparse_coo = is_sparse_csr = is_sparse

    def is_dist(self) -> bool:
        """False: a Tensor is on one device."""
        return False

    def reconstruct_from_(self, other: Tensor) -> None:
        """This Tensor becomes the other: values, shape, dtype and where its gradient flows."""
        self._replace(other._array.view())
        self._edge = other._edge

    @property
    def data(self) -> Tensor:
        """The Tensor itself; another one assigned to it gives this one its values, shape and dtype."""
        return self

    @data.setter
    def data(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise TypeError(f"x.data = value: must be a Tensor. Received {type(value).__name__}.")
        self._replace(value._array.view())

    def is_contiguous(self) -> bool:
        """True when the elements lie one behind the other in memory."""
        return bool(self._array.flags.c_contiguous)

    def contiguous(self) -> Tensor:
        """A Tensor whose elements lie one behind the other: itself where they do."""
        return self if self.is_contiguous() else self.clone()

    def is_dense(self) -> bool:
        """True: it holds every element."""
        return True

    def is_selected_rows(self) -> bool:
        """False: it holds every element, and not some rows only."""
        return False

    # Its value

    def numpy(self, force: bool = True) -> np.ndarray:
        """A copy of the value as a NumPy array."""
        return self._on_host().copy()

    def _on_host(self) -> np.ndarray:
        """The array on the host, for Python to look at."""
        if not state.trace.computes:
            state.trace.look_at(self)
        return backend.to_numpy(self._array)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = self.numpy()
        return array if dtype is None else array.astype(dtype)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """NumPy's functions on Tensors: its reductions give what they give of the arrays.

        They would call the method of their name, which knows other arguments; so do others, to which that is no harm.
        """
        if function in _REDUCTIONS:
            args = tuple(x._on_host() if isinstance(x, Tensor) else x for x in args)
            return function(*args, **{k: x._on_host() if isinstance(x, Tensor) else x for k, x in kwargs.items()})
        return function._implementation(*args, **kwargs)

    def __dlpack__(self, **options: Any) -> Any:
        """The memory, shared with another library: `torch.from_dlpack(x)`, `numpy.from_dlpack(x)`."""
        return self._array.view().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Where the memory is, in DLPack's numbers."""
        return self._array.__dlpack_device__()

    def item(self, *args: int) -> Any:
        """The only element, or the one at an index, as a Python number."""
        if not args and self.size != 1:
            raise self._not_one("item(): only a tensor of one element converts to a number", "Give an index, item(i).")
        return self._on_host().item(*args)

    def _not_one(self, rule: str, way_out: str) -> ValueError:
        return ValueError(f"{rule}. Received shape={self.shape}. {way_out}")

    def tolist(self) -> Any:
        """The value as nested lists of Python numbers."""
        return self._on_host().tolist()

    def _number(self, what: str) -> Any:
        if self.size != 1:
            raise self._not_one(f"{what}(x): only a tensor of one element converts to a number",
                                "Take an element, such as x[0], or reduce it, as by x.mean().")
        return self._on_host().item()

    def __float__(self) -> float:
        return float(self._number("float"))

    def __int__(self) -> int:
        return int(self._number("int"))

    def __complex__(self) -> complex:
        return complex(self._number("complex"))

    def __bool__(self) -> bool:
        if self.size != 1:
            raise self._not_one(
                "The truth of a tensor (in if, while, and, or, not) is only known of one element",
                "Say which is meant: (condition).all() or (condition).any(); to choose element by element, "
                "paddle.where(condition, a, b); for 'and', 'or', 'not' of elements, &, | and ~.")
        return bool(self._on_host().item())

    def __index__(self) -> int:
        if self.dtype.is_differentiable:
            raise TypeError(f"Only an integer tensor of one element is an index. Received dtype={self.dtype.name}.")
        if self.size != 1:
            raise self._not_one("Only an integer tensor of one element is an index", "x.tolist() gives a list of ints.")
        return int(self._on_host().item())

    def __round__(self, digits: int | None = None) -> Tensor:
        return self.multiply(10.0**digits).round().divide(10.0**digits) if digits else self.round()

    def __trunc__(self) -> int:
        return int(self)

    def __divmod__(self, other: Any) -> tuple[Tensor, Tensor]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Tensor, Tensor]:
        return other // self, other % self

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self)
        return format(self.item(), spec) if self.size == 1 else formatted(self.tolist(), spec)

    def __len__(self) -> int:
        if self.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return self._array.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return (self[i] for i in range(len(self)))

    def __hash__(self) -> int:
        return id(self)

    def __contains__(self, value: Any) -> bool:
        return bool((self == value)._array.any())

    def __repr__(self) -> str:
        return format_tensor(self)

    __str__ = __repr__

    # Gradient

    @property
    def stop_gradient(self) -> bool:
        """True when no gradient flows to or through this Tensor."""
        return self._edge is None

    @stop_gradient.setter
    def stop_gradient(self, value: bool) -> None:
        if value:
            if type(self._edge) is Leaf:
                self._leaf = self._edge
            self._edge = None
        elif self._edge is None:
            self._leaf = self._edge = self._leaf or Leaf(self._eager)

    @property
    def is_leaf(self) -> bool:
        """True for a Tensor that no recorded operation made."""
        return self._edge is None or type(self._edge) is Leaf

    @property
    def grad(self) -> Tensor | None:
        """The accumulated gradient, or None."""
        holder = self._holder()
        if holder is None:
            return None
        if holder.cleared:
            zeros = backend.namespace_of([self._array]).zeros_like(self._array)
            holder.grad, holder.cleared = self._eager.new(zeros), False
        found = holder.grad
        dtype = self._array.dtype
        if dtype.itemsize == 2 and found is not None and not holder.hooks and found.is_dense() and (
                found._array.itemsize != 2):
            holder.grad = found = self._eager.new(found._array.astype(dtype))  # rules may compute in float32
        return found

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None and (not isinstance(value, Tensor) or value.shape != self.shape):
            raise ValueError(
                f"The gradient must be a Tensor of shape {self.shape}. Received "
                f"{value.shape if isinstance(value, Tensor) else type(value).__name__}."
            )
        holder = self._holder()
        if holder is None:
            holder = self._leaf = Leaf(self._eager)
        holder.grad, holder.cleared = value, False

    @property
    def grad_(self) -> Tensor | None:
        """As `grad`."""
        return self.grad

    @property
    def grad_fn(self) -> Node | None:
        """The application that it is a result of, which the backward walk goes through; None for a leaf."""
        return None if self._edge is None else edge_node(self._edge)

    def _holder(self) -> Leaf | None:
        """Where the gradient of this Tensor is kept: its own leaf, or that of `retain_grads`."""
        return self._edge if type(self._edge) is Leaf else self._leaf

    def _part(self) -> Tensor:
        """What of it has a gradient, dense: itself."""
        return self

    def _of_part(self, gradient: Any) -> Any:
        """The gradient of it, from that of its part."""
        return gradient

    def backward(self, grad_tensor: Tensor | None = None, retain_graph: bool = False) -> None:
        """Adds the gradient of this Tensor to `.grad` of every leaf it was computed from.

        `grad_tensor`: the gradient to start from, of this shape; ones by default.
        Raises GraphFreedError when an earlier pass without `retain_graph=True` has freed the graph, and
        ModifiedInPlaceError when a value that the gradient needs was changed in place.
        """
        self._eager.backward([self], [grad_tensor], retain_graph)

    def gradient(self) -> np.ndarray | None:
        """The gradient as a NumPy array, or None."""
        return None if self.grad is None else self.grad.numpy()

    def clear_gradient(self, set_to_zero: bool = True) -> None:
        """Sets the gradient to zeros, or forgets it, as it does in any case where it holds some rows only."""
        holder = self._holder()
        if holder is not None:
            held = holder.cleared or (holder.grad is not None and holder.grad.is_dense())
            holder.grad, holder.cleared = None, set_to_zero and held

    clear_grad = clear_gradient

    def retain_grads(self) -> None:
        """Keeps the gradient of a computed Tensor in `.grad` too; nothing for a leaf or where gradients stop."""
        if self.is_leaf:
            return
        if self._leaf is None:
            leaf = self._leaf = Leaf(self._eager)

            def keep(gradient: Any) -> None:
                kept = gradient if isinstance(gradient, Tensor) else self._eager.of_gradient(gradient)
                leaf.grad = kept if leaf.grad is None else leaf.grad + kept

            add_hook(self._hooks(), keep)

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> HookHandle:
        """Calls `hook(gradient)` when this Tensor's gradient is known; a Tensor it returns takes its place."""
        if self._edge is None:
            raise RuntimeError("register_hook(hook): this Tensor has stop_gradient=True, so it gets no gradient.")
        return add_hook(self._hooks(), self._eager.hook(hook))

    def _register_backward_hook(self, hook: Callable[[], Any]) -> HookHandle:
        """Calls `hook()` in each `backward()` that adds to this leaf's gradient, as soon as it has added all it will.

        `.grad` is whole then, while the pass goes on with what was computed before: of the parameters of a network
        that of the last layer is first, and what is done about it can overlap with the rest. A Tensor that was used
        several times is told of once, behind its `register_hook`s; one that gets no gradient is not told of, nor does
        `paddle.grad` tell. What the hook raises comes out of `backward()`, which then has changed no gradient.
        Raises ValueError for a Tensor that is no leaf, or with stop_gradient=True. As in Paddle.

        >>> import proa as paddle
        >>> x = paddle.to_tensor([2.0], stop_gradient=False)
        >>> _ = x._register_backward_hook(lambda: print(x.grad.tolist()))
        >>> (x * x + x).backward()
        [5.0]
        """
        if type(self._edge) is not Leaf:
            why = "it has stop_gradient=True" if self._edge is None else "it is no leaf: an operation computed it"
            raise ValueError(f"_register_backward_hook(hook): {self.name} gets no gradient of its own, since {why}. "
                             f"Register it on a Tensor that is given, such as a parameter.")
        if self._edge.observers is None:
            self._edge.observers = {}
        return add_hook(self._edge.observers, hook)

    def _hooks(self) -> dict[int, Callable]:
        node = edge_node(self._edge)
        if node is None:
            self._edge.hooks = self._edge.hooks if self._edge.hooks is not None else {}
            return self._edge.hooks
        node.hooks = node.hooks if node.hooks is not None else {}
        key = (self._edge.index, self._edge.position) if type(self._edge) is Output else (0, None)
        return node.hooks.setdefault(key, {})

    def detach(self) -> Tensor:
        """A Tensor with the same value through which no gradient flows.

        That of a parameter or a buffer shares its memory: it shows what an optimizer's step, or a running mean, makes
        of the value. Operations in place on either do not concern the other.
        """
        if not state.trace.computes:
            variable = state.trace.variable_of(self)
            if variable is not None:
                return variable.detach()
        if self.is_leaf:
            return alias_of(self)
        return self._eager.new(self._array.view())

    def detach_(self) -> Tensor:
        """Cuts this Tensor off from what it was computed from."""
        self._edge = None
        return self

    # Changing it

    def _replace(self, array: Any) -> None:
        """Gives the Tensor another array of the same meaning, an array object that no other value has."""
        superseded[id(self._array)] = self._array
        self._array = array

    def _update(self, array: Any) -> None:
        """Gives the Tensor, and those that share its memory, what an update (a step, a running mean) has made of it."""
        if self._aliases is not None:
            update_aliases(self, array)
        superseded[id(self._array)] = self._array
        self._array = array

    def _alias(self) -> Any:
        """Another Tensor of this value and edge: what an in-place form saves of it stays good."""
        if not state.trace.computes:
            return state.trace.lift(self, "a tensor that is changed in place")
        return another_of(self)

    def _rebind(self, result: Tensor) -> Tensor:
        """Makes this Tensor the result of an operation on it: what the in-place forms do."""
        if not isinstance(result, Tensor):
            state.trace.rebind(self, result)
            return self
        if state.grad_enabled and type(self._edge) is Leaf:
            raise RuntimeError(
                f"A leaf Tensor with stop_gradient=False cannot be changed in place: its gradient would have no place "
                f"to go. Use the form that returns a new Tensor, or work under paddle.no_grad(). Tensor: {self.name}."
            )
        if result._array.shape != self._array.shape or result._array.dtype != self._array.dtype:
            if result._array.size != self._array.size:
                raise ValueError(
                    f"An in-place operation must keep the shape {self.shape} and dtype {self.dtype.name}. "
                    f"The result has shape {result.shape} and dtype {result.dtype.name}."
                )
        self._replace(result._array)
        if state.grad_enabled:
            self._edge = result._edge
        return self

    def _assigned(self, result: Tensor) -> Tensor:
        """Gives this Tensor the value and the edge of another."""
        return self._rebind(result)

    def set_value(self, value: Any) -> None:
        """Sets the value from an array or Tensor of the same shape and dtype; raises ValueError otherwise."""
        if not state.trace.computes and state.trace.writes(self, value):
            return
        array = value._array if isinstance(value, Tensor) else np.asarray(value)
        if tuple(array.shape) != self._array.shape:
            raise ValueError(
                f"set_value(value): {self.name} has shape {self.shape}. Received shape {list(array.shape)}."
            )
        if array.dtype != self._array.dtype:
            raise ValueError(
                f"set_value(value): {self.name} has dtype {self.dtype.name}. Received dtype {array.dtype}."
            )
        self._replace(backend.as_place(array, self.place).copy().view())

    def get_tensor(self) -> Tensor:
        """Itself: the array's holder in Paddle's older interface."""
        return self

    def copy_(self, other: Tensor, blocking: bool = True) -> Tensor:
        """Takes over the value of another Tensor of this shape."""
        self.set_value(other)
        return self

    # Moving it

    def _moved(self, place: Place) -> Tensor:
        array = backend.as_place(self._array, place)
        if array is self._array:
            return self
        moved = self._eager.new(array)
        moved._name = self._name
        if not self.stop_gradient:
            moved.stop_gradient = False
        return moved

    def move_(self, device: Any = None, dtype: DType | None = None) -> Tensor:
        """Moves and converts the value in place; the gradient goes along."""
        for tensor in (self, self.grad):
            if tensor is None:
                continue
            array = tensor._array if device is None else backend.as_place(tensor._array, parse_place(device))
            array = array if dtype is None or array.dtype == dtype.dtype else array.astype(dtype.dtype)
            if array is not tensor._array:
                tensor._replace(array)
        return self

    def cpu(self) -> Tensor:
        """On the host: itself where it is there."""
        return self._moved(CPUPlace())

    def cuda(self, device_id: int | None = None, blocking: bool = True) -> Tensor:
        """On a CUDA device."""
        return self._moved(CUDAPlace(device_id or 0))

    def pin_memory(self, blocking: bool = True) -> Tensor:
        """On the host."""
        return self.cpu()

    def to(self, *args: Any, **kwargs: Any) -> Tensor:
        """Converted and moved: `to(dtype)`, `to(device)`, `to(device, dtype)` or `to(other)`."""
        result = self
        for value in (*args, kwargs.get("device"), kwargs.get("dtype"), kwargs.get("other")):
            if value is None or isinstance(value, bool):
                continue
            if isinstance(value, Tensor):
                result = result._moved(value.place).astype(value.dtype)
            elif isinstance(value, Place) or isinstance(value, str) and is_device_name(value):
                result = result._moved(parse_place(value))
            else:
                result = result.astype(value)
        return result

    # Copying it

    def __deepcopy__(self, memo: dict) -> Tensor:
        if not self.is_leaf:
            raise RuntimeError("Only a leaf Tensor can be deep-copied; use x.detach() or x.clone() on this one.")
        return self._copied(memo)

    def _copied(self, memo: dict) -> Tensor:
        result = type(self).__new__(type(self))
        memo[id(self)] = result
        result._array, result._edge = self._array.copy(), None
        kept = {k: v for k, v in self.__dict__.items() if k not in ("_leaf", "_name", "_aliases")}
        result.__dict__.update({k: copy.deepcopy(v, memo) for k, v in kept.items()})
        if not self.stop_gradient:
            result.stop_gradient = False
        return result

    def __reduce_ex__(self, protocol: Any) -> tuple:
        attributes = {k: v for k, v in self.__dict__.items() if k not in ("_leaf", "_aliases")}
        return _unpickled, (type(self), self.numpy(), self.stop_gradient, attributes)


class Parameter(Tensor):
    """A Tensor that is trained: a leaf with a name, a learning-rate factor, a regularizer and a clipping switch."""

    is_parameter = True
    _shown_as = "paddle.base.framework.EagerParamBase"
    optimize_attr: dict[str, float]
    regularizer: Any
    need_clip: bool
    do_model_average: Any

    @classmethod
    def of_array(cls, array: Any, attr: ParamAttr) -> Parameter:
        """A Parameter of the values in `array`, described by `attr`.

        Its array is a view, of memory that nothing else sees once `array` is forgotten: updates write in place.
        """
        parameter = cls.__new__(cls)
        parameter._array, parameter._edge = array.view(), None
        parameter._name = attr.name
        parameter.persistable = True
        parameter.optimize_attr = {"learning_rate": attr.learning_rate}
        parameter.regularizer = attr.regularizer
        parameter.need_clip = attr.need_clip
        parameter.do_model_average = attr.do_model_average
        parameter.trainable = attr.trainable
        return parameter

    @property
    def block(self) -> None:
        """None: a Parameter with a value is in no block. Initializers are handed this beside it, and pass it over."""
        return None

    @classmethod
    def from_tensor(cls, tensor: Tensor, **kwargs: Any) -> Parameter:
        """A Parameter with the values of `tensor`; `name`, `trainable` and the like as in ParamAttr.

        >>> import proa as paddle
        >>> paddle.base.framework.EagerParamBase.from_tensor(paddle.ones([2]), trainable=False).stop_gradient
        True
        """
        attr = ParamAttr(kwargs.pop("name", None) or generate("_eager_param_base"),
                         learning_rate=kwargs.pop("optimize_attr", {"learning_rate": 1.0})["learning_rate"], **kwargs)
        return cls.of_array(tensor._array, attr)

    @property
    def trainable(self) -> bool:
        """True when optimizers change it: the opposite of stop_gradient."""
        return not self.stop_gradient

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self.stop_gradient = not value

    def set_initializer(self, make: Any) -> None:
        """Keeps what gives the values, a function without arguments, for `initialize`."""
        self.__dict__["_make_values"] = make

    def initialize(self) -> None:
        """Fills a parameter that was made within a `LazyGuard`; any other has its values already and keeps them."""
        make = self.__dict__.pop("_make_values", None)
        if make is not None:
            with grad_mode(False):
                self._replace(make()._array.view())

    def __deepcopy__(self, memo: dict) -> Parameter:
        result = self._copied(memo)
        result._name = self.name + generate("_deepcopy")  # of its own: an optimizer's state goes by the name
        assert isinstance(result, Parameter)
        return result

    def __repr__(self) -> str:
        return f"Parameter containing:\n{format_tensor(self)}"

    __str__ = __repr__


EagerParamBase = Parameter

_make = Tensor.__new__


def new_tensor(array: Any) -> Tensor:
    """A Tensor of an array, without gradient."""
    tensor = _make(Tensor)
    tensor._array = array
    tensor._edge = None
    return tensor


def another_of(tensor: Tensor) -> Tensor:
    """Another Tensor of this value and edge, with an array object of its own."""
    other = tensor._eager.new(tensor._array.view())
    other._edge = tensor._edge
    return other


def alias_of(tensor: Tensor) -> Tensor:
    """Another Tensor of the same memory, which updates of either change; no gradient flows from it."""
    alias = tensor._eager.new(tensor._array)
    shared = tensor._aliases
    if shared is None:
        shared = tensor._aliases = [weakref.ref(tensor)]
    else:
        shared[:] = [one for one in shared if one() is not None]
    shared.append(weakref.ref(alias))
    alias._aliases = shared
    return alias


def update_aliases(tensor: Tensor, array: Any) -> None:
    """Gives the Tensors that still share a Tensor's memory the array that it is about to get."""
    assert tensor._aliases is not None
    for one in tensor._aliases:
        alias = one()
        if alias is not None and alias is not tensor and alias._array is tensor._array:
            alias._array = array


def _unpickled(cls: type[Tensor], array: np.ndarray, stop_gradient: bool, attributes: dict) -> Tensor:
    tensor = cls.__new__(cls)
    tensor._array, tensor._edge = array, None
    tensor.__dict__.update(attributes)
    tensor.stop_gradient = stop_gradient
    return tensor


__all__ = ["EagerParamBase", "HookHandle", "Node", "Parameter", "Tensor", "new_tensor", "superseded"]
