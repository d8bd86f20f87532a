"""Tensor: the eager value with OneFlow's methods, which are near to PyTorch's; and a Program's value with these.

It is run by the engine that runs Paddle's Tensor, under an eager trace of its own (`charge.py`): both may live side by
side in a process, and meet in one expression.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import backend
from ..core import dtype as dt
from ..core.hooks import HookHandle, add_hook
from ..core.place import CPUPlace, CUDAPlace
from ..dygraph.parameter import EagerParameter
from ..dygraph.value import EagerValue
from ..ops.array.full import is_value
from ..ops.core.backward import Leaf, Node, edge_node
from ..ops.core.trace import state
from ..ops.math import casting
from ..static.ir.variable import Variable
from .charge import FLOW, flowing
from .devices import device, device_at, is_device, place_of
from .dtypes import to_dtype
from .functions import creation
from .methods import METHODS
from .printing import format_tensor
from .size import ElementCount, Size

_Methods: Any = type("_Methods", (), {"__slots__": (), **METHODS})
_TYPES = {"float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16", "int64": "Long",
          "int32": "Int", "int8": "Char", "uint8": "Byte", "bool": "Bool", "int16": "Short"}


class _OfBoth(_Methods):
    """What tensors and the values of a Graph have in common beside the table of methods."""

    __slots__ = ()

    _is_flow = True
    dtype: Any
    ndim: Any
    stop_gradient: bool

    def dim(self) -> Any:
        """The number of dimensions."""
        return self.ndim

    ndimension = dim

    def numel(self) -> Any:
        """The number of elements."""
        return int(self.size)

    nelement = numel

    def __len__(self) -> Any:
        if self.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return self.shape[0]

    @property
    def requires_grad(self) -> Any:
        """Whether gradients flow to or through it."""
        return not self.stop_gradient

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self.requires_grad_(value)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Says whether it is to get a gradient; gives itself."""
        if requires_grad and not self.dtype.is_differentiable:
            raise RuntimeError(f"requires_grad_(): only a tensor of floats has a gradient. Received "
                               f"dtype={self.dtype.name}.")
        setattr(self, "stop_gradient", not requires_grad)
        return self

    def is_floating_point(self) -> Any:
        """Whether it holds floats."""
        return self.dtype.is_floating

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """Converted and moved: `to(dtype)`, `to(device)`, `to(device, dtype)`, `to(other)`.

        >>> import proa.oneflow as flow
        >>> flow.ones(1).to("cpu", flow.float64).dtype
        paddle.float64
        """
        result: Any = self
        kwargs.pop("copy", None)
        for value in (*args, *kwargs.values()):
            if value is None or isinstance(value, bool):
                continue
            if is_value(value):
                result = result._at(value)._converted(value.dtype)
            elif is_device(value):
                result = result._at(value)
            else:
                result = result._converted(value)
        return result

    def _at(self, where: Any) -> Any:
        return self

    def _converted(self, dtype: Any) -> Any:
        wanted = to_dtype("to(dtype)", dtype)
        return self if self.dtype is wanted else _cast(self, wanted)

    def type_as(self, target: Any) -> Any:
        """Converted to the dtype of another one."""
        return self._converted(target.dtype)

    def float(self) -> Any:
        """Converted to float32."""
        return self._converted(dt.float32)

    def double(self) -> Any:
        """Converted to float64."""
        return self._converted(dt.float64)

    def half(self) -> Any:
        """Converted to float16."""
        return self._converted(dt.float16)

    def bfloat16(self) -> Any:
        """Converted to bfloat16."""
        return self._converted(dt.bfloat16)

    def int(self) -> Any:
        """Converted to int32."""
        return self._converted(dt.int32)

    def long(self) -> Any:
        """Converted to int64."""
        return self._converted(dt.int64)

    def bool(self) -> Any:
        """Converted to bool."""
        return self._converted(dt.bool_)

    def byte(self) -> Any:
        """Converted to uint8."""
        return self._converted(dt.uint8)

    def char(self) -> Any:
        """Converted to int8."""
        return self._converted(dt.int8)

    def new_zeros(self, *size: Any, dtype: Any = None, device: Any = None, requires_grad: Any = False) -> Any:
        """Zeros of this dtype."""
        return creation.zeros(*size, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)

    def new_ones(self, *size: Any, dtype: Any = None, device: Any = None, requires_grad: Any = False) -> Any:
        """Ones of this dtype."""
        return creation.ones(*size, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)

    new_empty = new_zeros

    def new_full(self, size: Any, fill_value: Any, dtype: Any = None, device: Any = None,
                 requires_grad: Any = False) -> Any:
        """A tensor of this dtype, filled with a number."""
        return creation.full_(size, fill_value, dtype or self.dtype, device, requires_grad)

    def new_tensor(self, data: Any, dtype: Any = None, device: Any = None, requires_grad: Any = False) -> Any:
        """A tensor of data, of this dtype."""
        return creation.tensor(data, dtype or self.dtype, device, requires_grad)

    # One process: what is on all devices is here

    is_global = is_consistent = is_lazy = False
    is_local = is_eager = True

    def to_global(self, placement: Any = None, sbp: Any = None, grad_sbp: Any = None) -> Any:
        """Itself: with one process every placement is this one."""
        return self

    to_consistent = local_to_global = global_to_global = to_global

    def to_local(self) -> Any:
        """Itself: with one process all of it is here."""
        return self


_cast = flowing(casting.cast)


class TensorType(type):
    """The class of Tensor's class: `flow.Tensor(2, 3)` is of sizes, `flow.Tensor([2, 3])` of data."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """A new tensor of data or of sizes."""
        return cls._make(*args, **kwargs)  # type: ignore[attr-defined]


class Tensor(_OfBoth, EagerValue, metaclass=TensorType):
    """An n-dimensional array on a device, with a gradient. Made by `flow.tensor` and by every operation.

    `Tensor(data)` is of float32; `Tensor(2, 3)` has these sizes.

    >>> import proa.oneflow as flow
    >>> x = flow.tensor([1.0, 2.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad.tolist()
    [2.0, 4.0]
    """

    __slots__ = ()

    @classmethod
    def _make(cls, *args: Any, device: Any = None, dtype: Any = None, requires_grad: Any = False) -> Any:
        if args and isinstance(args[0], (int, np.integer)) or not args or isinstance(args[0], Size):
            return creation.empty(*(args or (0,)), dtype=dtype or dt.float32, device=device,
                                  requires_grad=requires_grad)
        if is_value(args[0]):
            return args[0].detach()._converted(dtype or args[0].dtype).requires_grad_(requires_grad)
        given = dtype or dt.float32
        return creation.tensor(args[0], given, device, requires_grad)

    __len__ = EagerValue.__len__
    __iter__ = EagerValue.__iter__
    __hash__ = EagerValue.__hash__

    def __repr__(self) -> str:
        return format_tensor(self)

    __str__ = __repr__

    # What it is

    @property
    def shape(self) -> Size:  # type: ignore[override]
        """The sizes."""
        return Size(self._array.shape)

    @property
    def size(self) -> ElementCount:
        """The sizes: `x.size()`, `x.size(0)`. As a number it is how many elements there are."""
        return ElementCount(self._array.shape)

    @property
    def device(self) -> device:
        """Where it is."""
        return device_at(self.place)

    @property
    def is_cuda(self) -> Any:
        """Whether it is on a CUDA device."""
        return isinstance(self.place, CUDAPlace)

    def get_device(self) -> Any:
        """The number of its CUDA device; -1 on the host."""
        return self.device.index if self.is_cuda else -1

    is_pinned: Any = flowing(lambda self: False)

    def stride(self, dim: Any = None) -> Any:
        """The steps between neighbours along each dimension, in elements."""
        steps = tuple(step // self._array.dtype.itemsize for step in self._array.strides)
        return steps if dim is None else steps[dim]

    def storage_offset(self) -> Any:
        """Where in its memory it begins: at 0."""
        return 0

    def element_size(self) -> Any:
        """Bytes an element."""
        return self._array.dtype.itemsize

    def is_contiguous(self) -> Any:
        """Whether the elements lie one behind the other in memory."""
        return bool(self._array.flags.c_contiguous)

    def contiguous(self) -> Any:
        """A tensor whose elements lie one behind the other: itself where they do."""
        return self if self.is_contiguous() else self.clone()

    def data_ptr(self) -> Any:
        """Where in memory the elements are."""
        array = self._array
        return int(array.ctypes.data if isinstance(array, np.ndarray) else array.data.ptr)

    @property
    def data(self) -> Any:
        """The value without a gradient; operations in place on it change this one's. It can be assigned a tensor."""
        return TensorData.of(self)

    @data.setter
    def data(self, value: Any) -> None:
        if not isinstance(value, EagerValue):
            raise TypeError(f"x.data = value: must be a tensor. Received {type(value).__name__}.")
        self._replace(value._array.copy().view())

    def type(self, dtype: Any = None) -> Any:
        """Converted to a dtype; without one the name of its type, such as 'oneflow.FloatTensor'."""
        if dtype is None:
            return f"oneflow.{'cuda.' if self.is_cuda else ''}{_TYPES[self.dtype.name]}Tensor"
        return self._converted(dtype)

    def to_numpy(self) -> np.ndarray:
        """The value as an array of NumPy's."""
        return self.numpy()

    # Moving it

    def _at(self, where: Any) -> Any:
        place = where.place if isinstance(where, EagerValue) else place_of(where)
        return self._moved(place)  # type: ignore[arg-type]

    def cpu(self) -> Any:
        """On the host."""
        return self._moved(CPUPlace())

    def cuda(self, device: Any = None) -> Any:
        """On a CUDA device."""
        return self._moved(CUDAPlace(device if isinstance(device, int) else 0) if device is None
                           or isinstance(device, int) else place_of(device))  # type: ignore[arg-type]

    def pin_memory(self) -> Any:
        """On the host."""
        return self.cpu()

    def move_(self, device: Any = None, dtype: Any = None) -> Any:
        """Moves and converts the value in place, and its gradient: what `Module.to` does to what it holds."""
        for tensor in (self, self.grad):
            if tensor is None:
                continue
            array = tensor._array if device is None else backend.as_place(tensor._array, device)
            array = array if dtype is None or array.dtype == dtype.dtype else array.astype(dtype.dtype)
            if array is not tensor._array:
                tensor._replace(array)
        return self

    # Gradient

    @property
    def grad_fn(self) -> Node | None:
        """The application that it is a result of; None for a leaf."""
        return None if self._edge is None or type(self._edge) is Leaf else edge_node(self._edge)

    def backward(self, gradient: Any = None, retain_graph: Any = False, create_graph: Any = False) -> None:
        """Adds the gradient of this tensor to `grad` of every leaf that it was computed from.

        `gradient`: what to start from, of this shape; needed where there is more than one element.
        """
        if gradient is None and self._array.size != 1:
            raise RuntimeError(f"backward(): grad can be implicitly created only for one element. Received shape="
                               f"{tuple(self._array.shape)}. Give backward(gradient), or reduce it, as by x.sum().")
        if create_graph:
            raise NotImplementedError("backward(create_graph=True): use flow.autograd.grad(…, create_graph=True), "
                                      "which gives gradients that can be differentiated.")
        if self._edge is None and state.trace.computes:
            raise RuntimeError("backward(): this tensor does not require grad, nor was it computed from one that does. "
                               "Set requires_grad=True on what should get a gradient.")
        self._eager.backward([self], [gradient], retain_graph)

    def retain_grad(self) -> None:
        """Keeps the gradient of a computed tensor in `grad` too."""
        if self._edge is None:
            raise RuntimeError("retain_grad(): this tensor has requires_grad=False, so it gets no gradient.")
        if not self.is_leaf:
            self._retain_gradient()

    def register_hook(self, hook: Callable[[Any], Any]) -> HookHandle:
        """Calls `hook(gradient)` when this tensor's gradient is known; a tensor that it gives takes its place."""
        if self._edge is None:
            raise RuntimeError("register_hook(hook): this tensor has requires_grad=False, so it gets no gradient.")
        return add_hook(self._hooks(), self._eager.hook(hook))

    def requires_grad_(self, requires_grad: Any = True) -> Any:
        """Says whether it is to get a gradient; gives itself."""
        if not requires_grad and not self.is_leaf:
            raise RuntimeError("requires_grad_(False): this tensor is computed. Use x.detach().")
        return super().requires_grad_(requires_grad)

    # Changing it

    def copy_(self, src: Any, non_blocking: Any = False) -> Any:
        """Takes over the values of another tensor or an array, which broadcast to its shape; gives itself."""
        _copied(self, src)
        return self

    def zero_(self) -> Any:
        """Fills it with zeros; gives itself."""
        return self.fill_(0)


@flowing
def _copied(target: Any, source: Any) -> None:
    source = source if is_value(source) else creation.full.constant(np.asarray(source))
    source = casting.in_dtype(source, target.dtype)
    if list(source.shape) != list(target.shape):
        from ..ops.array.reshape import broadcast_to

        source = broadcast_to(source, list(target.shape))
    if target._edge is not None and state.grad_enabled and state.trace.computes:
        target._rebind(source)
    else:
        target.set_value(source)


class Parameter(EagerParameter, Tensor):
    """A tensor that is trained: `nn.Parameter(flow.zeros(2))`; set on a Module it is one of its parameters.

    >>> import proa.oneflow as flow
    >>> flow.nn.Parameter(flow.zeros(2)).requires_grad
    True
    """

    __slots__ = ()

    @classmethod
    def _make(cls, data: Any = None, requires_grad: Any = True) -> Any:  # type: ignore[override]
        from ..core.param_attr import ParamAttr
        from ..core.unique_name import generate

        value = creation.empty(0) if data is None else data if is_value(data) else creation.tensor(data)
        attr = ParamAttr(generate("parameter"), trainable=bool(requires_grad))
        return cls.of_array(value._array.copy(), attr)

    def __repr__(self) -> str:
        return f"Parameter containing:\n{format_tensor(self)}"

    __str__ = __repr__


class TensorData(Tensor):
    """What `x.data` gives: operations in place on it are done to the tensor, unrecorded."""

    __slots__ = ()

    @classmethod
    def of(cls, tensor: Tensor) -> Any:
        """That of a tensor."""
        made = object.__new__(cls)
        made._array, made._edge, made._source = tensor._array.view(), None, None
        made.__dict__["_tensor"] = tensor
        return made

    def _replace(self, array: Any) -> None:
        super()._replace(array)
        self.__dict__["_tensor"]._replace(array.view())


class GraphValue(_OfBoth, Variable):  # type: ignore[misc]  # numel is a number there
    """A value of the Program that `nn.Graph` becomes: known by shape and dtype, with a Tensor's methods."""

    is_lazy = True
    is_eager = False
    device = device("cpu")
    is_cuda = False

    __len__ = Variable.__len__
    __iter__ = Variable.__iter__
    __hash__ = Variable.__hash__
    dim = ndimension = Variable.dim
    type: Any = Variable.type  # what it holds: the Program asks

    @property
    def size(self) -> Any:
        """The sizes: `x.size()`, `x.size(0)`."""
        return ElementCount(self.shape) if -1 not in self.shape else super().size

    def cuda(self, device: Any = None) -> Any:  # type: ignore[override]
        """Itself: a Program says nothing of places."""
        return self

    def cpu(self) -> Any:
        """Itself."""
        return self

    def contiguous(self) -> Any:
        """Itself."""
        return self

    def is_contiguous(self) -> Any:
        """True."""
        return True

    @property
    def data(self) -> Any:
        """The value without a gradient."""
        return self.detach()

    def backward(self, gradient: Any = None, retain_graph: Any = False, create_graph: Any = False) -> None:
        """Gives the leaves that it was computed from their gradients, at each run."""
        super().backward(gradient, retain_graph)


FLOW.serve(Tensor, Parameter)
FLOW.variable_class = GraphValue
