"""Tensor: the eager value with Paddle's methods, those of the one table among them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import backend
from ..core.dtype import DType, convert_dtype, dtype_or_that_of
from ..core.hooks import HookHandle, add_hook
from ..core.lazy import require
from ..core.place import CPUPlace, CUDAPlace, Place, is_device_name, parse_place
from ..core.var_type import VarType
from ..ops.core.backward import Leaf, Node, edge_node
from ..ops.core.trace import state
from ..ops.methods import METHODS
from . import retaining  # noqa: F401 - heeds its flag
from .buffers import Buffers
from .held_array import HeldArray
from .views import part_from_views

if TYPE_CHECKING:
    from .tensor_methods import TensorMethods as _ArrayMethods  # a stub alone: who checks types sees the methods there
else:
    _ArrayMethods = type("_ArrayMethods", (), {"__slots__": (), **METHODS})


class TensorType(type):
    """The class of Tensor's class, which shows itself under the name that other packages know a Tensor by."""

    def __repr__(cls) -> str:
        shown = cls.__dict__.get("_shown_as")
        return f"<class '{shown}'>" if shown else super().__repr__()

    def stand_in(cls, module: str) -> None:
        """From now on it is a class of this module, of the name that it is shown by there.

        Packages that serve several frameworks go by a module's first word.
        """
        if "_written_in" not in cls.__dict__:
            cls._written_in = cls.__module__  # what a pickle names, which may be read without that module
        cls.__module__ = module
        cls.__name__ = cls.__qualname__ = cls.__dict__["_shown_as"].rpartition(".")[2]


class Tensor(Buffers, _ArrayMethods, metaclass=TensorType):
    """An n-dimensional array in a place, with a gradient. Made by `to_tensor` and by every operation.

    `Tensor(data)` has values of its own, with `zero_copy` too; `value` is another word for `data`.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    >>> (x * x).sum().backward()
    >>> x.grad.tolist()
    [2.0, 4.0]
    """

    __slots__ = ()

    _shown_as = "paddle.Tensor"
    is_distributed = False

    @property
    def type(self) -> VarType:
        """What it holds: `VarType.LOD_TENSOR`, or `VarType.SELECTED_ROWS` of a gradient by rows."""
        return VarType.SELECTED_ROWS if self.is_selected_rows() else VarType.LOD_TENSOR

    @property
    def block(self) -> Any:
        """The default main Program's global block, to code that asks each value for its Program."""
        return require("helpers of layers").default_main_program().global_block()

    # What it is

    def dim(self) -> int:
        """The number of dimensions.

        >>> import proa as paddle
        >>> paddle.ones([2, 3]).dim()
        2
        """
        return self._array.ndim

    ndimension = rank_ = dim

    def element_size(self) -> int:
        """Bytes an element.

        >>> import proa as paddle
        >>> paddle.ones([2], "float64").element_size()
        8
        """
        return int(self._array.dtype.itemsize)

    @property
    def strides(self) -> list[int]:
        """The steps between neighbours along each dimension, in elements."""
        return [step // self._array.dtype.itemsize for step in self._array.strides]

    def get_strides(self) -> list[int]:
        """As `strides`.

        >>> import proa as paddle
        >>> paddle.ones([2, 3]).get_strides()
        [3, 1]
        """
        return self.strides

    def _is_initialized(self) -> bool:
        """False for a parameter made within a `LazyGuard`, until it is filled, and for what `_clear` has emptied.
        Packages of Paddle's ask.
        """
        kept = self.__dict__
        return "_make_values" not in kept and kept.get("_cleared") is not self._array

    def data_ptr(self) -> int:
        """Where in memory the elements are.

        >>> import proa as paddle
        >>> paddle.ones([2]).data_ptr() % 4
        0
        """
        array = self._array
        return int(array.ctypes.data if isinstance(array, np.ndarray) else array.data.ptr)

    def value(self) -> Tensor:
        """The Tensor itself, which `get_tensor()` and `set_value()` of older programs are called on.

        >>> import proa as paddle
        >>> paddle.ones([2]).value().tolist()
        [1.0, 1.0]
        """
        return self

    def is_same_shape(self, y: Tensor) -> bool:
        """Whether y has the same sizes.

        >>> import proa as paddle
        >>> paddle.ones([2]).is_same_shape(paddle.zeros([2]))
        True
        """
        return self.shape == y.shape

    def is_sparse(self) -> bool:
        """False: it holds every element.

        >>> import proa as paddle
        >>> paddle.ones([2]).is_sparse()
        False
        """
        return False

    is_sparse_coo = is_sparse_csr = is_sparse

    def is_dist(self) -> bool:
        """False: a Tensor is on one device.

        >>> import proa as paddle
        >>> paddle.ones([2]).is_dist()
        False
        """
        return False

    def reconstruct_from_(self, other: Tensor) -> None:
        """This Tensor becomes the other: values, shape, dtype and where its gradient flows.

        >>> import proa as paddle
        >>> x = paddle.ones([3])
        >>> x.reconstruct_from_(paddle.zeros([2]))
        >>> x.shape
        [2]
        """
        self._replace(other._array.view())
        self._edge = other._edge
        part_from_views(self)

    @property
    def data(self) -> Tensor:
        """The Tensor itself; another one assigned to it gives this one its values, shape and dtype."""
        return self

    @data.setter
    def data(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise TypeError(f"x.data = value: must be a Tensor. Received {type(value).__name__}.")
        self._replace(value._array.view())
        part_from_views(self)

    def is_contiguous(self) -> bool:
        """True when the elements lie one behind the other in memory.

        >>> import proa as paddle
        >>> paddle.ones([2]).is_contiguous()
        True
        """
        return bool(self._array.flags.c_contiguous)

    @property
    def layout(self) -> str:
        """How the elements of a dense Tensor lie: "NCHW", whatever its dimensions mean."""
        return "NCHW"

    @property
    def offset(self) -> int:
        """Where in its memory it begins: at 0."""
        return 0

    @property
    def inplace_version(self) -> int:
        """How often an operation in place (`x.add_(y)`, `x[0] = 1`) has changed it; `set_value` does not count."""
        return self._version

    @property
    def _place_str(self) -> str:
        return str(self.place)

    def _bump_inplace_version(self) -> None:
        self._version += 1

    def contiguous(self) -> Tensor:
        """A Tensor whose elements lie one behind the other: itself where they do.

        >>> import proa as paddle
        >>> paddle.ones([2, 3]).contiguous().shape
        [2, 3]
        """
        return self if self.is_contiguous() else self.clone()

    # Gradient

    @property
    def grad_(self) -> Tensor | None:
        """As `grad`."""
        return self.grad

    @property
    def grad_fn(self) -> Node | None:
        """The application that it is a result of, which the backward walk goes through; None for a leaf."""
        return None if self._edge is None else edge_node(self._edge)

    def backward(self, grad_tensor: Tensor | None = None, retain_graph: bool = False) -> None:
        """Adds the gradient of this Tensor to `.grad` of every leaf it was computed from.

        `grad_tensor`: the gradient to start from, of this shape; ones by default.
        Raises GraphFreedError when an earlier pass without `retain_graph=True` has freed the graph, and
        ModifiedInPlaceError when a value that the gradient needs was changed in place.

        >>> import proa as paddle
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> (x ** 2).sum().backward()
        >>> x.grad.tolist()
        [2.0, 4.0]
        """
        self._eager.backward([self], [grad_tensor], retain_graph)

    def gradient(self) -> np.ndarray | None:
        """The gradient as a NumPy array, or None.

        >>> import proa as paddle
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> (x ** 2).sum().backward()
        >>> x.gradient().tolist()
        [2.0, 4.0]
        """
        return None if self.grad is None else self.grad.numpy()

    def clear_gradient(self, set_to_zero: bool = True) -> None:
        """Sets the gradient to zeros, or forgets it, as it does in any case where it holds some rows only.

        >>> import proa as paddle
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> x.sum().backward()
        >>> x.clear_grad()
        >>> x.grad is None
        False
        """
        if not state.trace.computes and state.trace.clears_gradient(self, set_to_zero):
            return
        edge = self._edge
        holder = edge if type(edge) is Leaf else self._leaf
        if holder is not None:
            held = holder.cleared or (holder.grad is not None and holder.grad.is_dense())
            holder.grad, holder.cleared = None, set_to_zero and held

    clear_grad = clear_gradient

    def retain_grads(self) -> None:
        """Keeps the gradient of a computed Tensor in `.grad` too, that of the latest pass; nothing for a leaf.

        Nor for a Tensor with stop_gradient=True. As in Paddle, passes do not add up, and `paddle.grad` counts as one.

        >>> import proa as paddle
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> y = x * 3
        >>> y.retain_grads()
        >>> y.sum().backward()
        >>> y.grad.tolist()
        [1.0, 1.0]
        """
        if not self.is_leaf and not self.stop_gradient:
            self._retain_gradient()

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> HookHandle:
        """Calls `hook(gradient)` when this Tensor's gradient is known; a Tensor it returns takes its place.

        >>> import proa as paddle
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> handle = x.register_hook(lambda gradient: gradient * 10)
        >>> x.sum().backward()
        >>> handle.remove()
        True
        >>> x.grad.tolist()
        [10.0, 10.0]
        """
        if self._edge is None:
            raise RuntimeError("register_hook(hook): this Tensor has stop_gradient=True, so it gets no gradient.")
        return add_hook(self._hooks(), self._eager.hook(hook))

    def _grad_ivar(self) -> Any:
        """The gradient, or None: what scripts that print it beside `.grad` call it by."""
        return self.grad

    def _md5sum(self) -> str:
        """The MD5 sum of the values' bytes in hexadecimal digits, by which scripts compare weights."""
        import hashlib  # loads OpenSSL

        return hashlib.md5(self.numpy().tobytes(), usedforsecurity=False).hexdigest()

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

    def detach_(self) -> Tensor:
        """Cuts this Tensor off from what it was computed from.

        >>> import proa as paddle
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> x.detach_().stop_gradient
        True
        """
        self._edge = self._stopped_edge = None
        return self

    # Changing and moving it

    def get_tensor(self) -> HeldArray:
        """The array's holder in Paddle's older interface: what it is set to the Tensor has from then on.

        >>> import proa as paddle
        >>> x = paddle.ones([2])
        >>> x.get_tensor().set([3.0, 4.0], paddle.CPUPlace())
        >>> x.tolist()
        [3.0, 4.0]
        """
        return HeldArray(self)

    def copy_(self, other: Tensor, blocking: bool = True) -> Tensor:
        """Takes over the value of another Tensor of this dtype, and its shape where that is another one.

        >>> import proa as paddle
        >>> x = paddle.zeros([2])
        >>> x.copy_(paddle.ones([3]), True).tolist()
        [1.0, 1.0, 1.0]
        """
        is_other_shape = isinstance(other, Tensor) and other.shape != self.shape and other.dtype == self.dtype
        if is_other_shape and self._source is None:
            self._replace(backend.as_place(other._array, self.place).copy())
            part_from_views(self)
        else:
            self.set_value(other)
        return self

    def move_(self, device: Any = None, dtype: DType | None = None) -> Tensor:
        """Moves and converts the value in place; the gradient goes along."""
        for tensor in (self, self._gradient()):  # what it holds now, also while a Program is written
            if tensor is None:
                continue
            array = tensor._array if device is None else backend.as_place(tensor._array, parse_place(device))
            array = array if dtype is None or array.dtype == dtype.dtype else array.astype(dtype.dtype)
            if array is not tensor._array:
                tensor._replace(array)
        return self

    def _to(self, device: Any = None, dtype: Any = None, blocking: bool | None = None) -> Tensor:
        """As `move_`, by the name that packages of Paddle's call it."""
        return self.move_(device, None if dtype is None else convert_dtype(dtype))

    def cpu(self) -> Tensor:
        """On the host: itself where it is there.

        >>> import proa as paddle
        >>> paddle.ones([2]).cpu().place
        Place(cpu)
        """
        return self._moved(CPUPlace())

    def cuda(self, device_id: int | None = None, blocking: bool = True) -> Tensor:
        """On a CUDA device.

        >>> import proa as paddle
        >>> x = paddle.ones([2])
        >>> x = x.cuda() if paddle.is_compiled_with_cuda() and paddle.device.cuda.device_count() else x
        """
        return self._moved(CUDAPlace(device_id or 0))

    def pin_memory(self, blocking: bool = True) -> Tensor:
        """On the host.

        >>> import proa as paddle
        >>> paddle.ones([2]).pin_memory().tolist()
        [1.0, 1.0]
        """
        return self.cpu()

    def to(self, *args: Any, **kwargs: Any) -> Tensor:
        """Converted and moved: `to(dtype)`, `to(device)`, `to(device, dtype)` or `to(other)`.

        >>> import proa as paddle
        >>> paddle.ones([2]).to("float64").dtype
        paddle.float64
        """
        result = self
        for value in (*args, kwargs.get("device"), kwargs.get("dtype"), kwargs.get("other")):
            if value is None or isinstance(value, bool):
                continue
            if isinstance(value, Tensor):
                result = result._moved(value.place)
                value = value.dtype
            if isinstance(value, Place) or isinstance(value, str) and is_device_name(value):
                result = result._moved(parse_place(value))
            elif (dtype := dtype_or_that_of(value)) is not result.dtype:  # else it is the same memory, as in Paddle
                result = result.astype(dtype)
        return result


_make = Tensor.__new__


def new_tensor(array: Any) -> Tensor:
    """A Tensor of an array, without gradient."""
    tensor = _make(Tensor)
    tensor._array = array
    tensor._edge = tensor._source = None
    return tensor

