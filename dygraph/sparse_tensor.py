"""Sparse tensors, coo and csr: places, as index Tensors, and a dense Tensor of values, whose gradient is theirs.

Operators take dense Tensors; those of `ops/sparse/` are given the parts. An operator that is handed a sparse tensor
where it needs every element says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from .. import backend
from ..core.dtype import DType
from ..core.hooks import HookHandle
from ..core.html import escaped, framed
from ..core.place import Place
from ..core.var_type import VarType
from ..ops.core.backward import Node
from ..ops.sparse.methods import OF_BOTH, OF_COO, OF_CSR
from .printing import format_array
from .tensor import Tensor

_Methods: Any = type("_Methods", (), {"__slots__": (), **OF_BOTH})
_CooMethods: Any = type("_CooMethods", (), {"__slots__": (), **OF_COO})
_CsrMethods: Any = type("_CsrMethods", (), {"__slots__": (), **OF_CSR})


class SparseTensor(_Methods, Tensor):
    """What coo and csr tensors have in common; made by `paddle.sparse.sparse_coo_tensor` and its like."""

    __slots__ = ("_index", "_values", "_shape")

    _index: tuple[Tensor, ...]
    _values: Tensor
    _shape: tuple[int, ...]
    _names: tuple[str, ...] = ()
    _format = "sparse"

    @classmethod
    def of_parts(cls, index: tuple[Tensor, ...], values: Tensor, shape: tuple[int, ...]) -> Any:
        """The tensor of index Tensors, a Tensor of values, with its gradient, and a shape."""
        made = cls.__new__(cls)
        made._index, made._values, made._shape = index, values, shape
        return made

    def with_values(self, values: Tensor) -> Any:
        """A tensor with these places and other values, of which each place's shape may be another."""
        front = len(self._shape) - self._values.ndim + 1
        return self.of_parts(self._index, values, (*self._shape[:front], *values.shape[1:]))

    def values(self) -> Tensor:
        """The values of the entries, dense: [nnz, …]."""
        return self._values

    def nnz(self) -> int:  # type: ignore[override]
        """How many entries there are."""
        return self._values.shape[0]

    @property
    def _array(self) -> NoReturn:
        raise TypeError(
            f"This operation takes dense tensors. Received a sparse {self._format} tensor of shape {self.shape}. "
            f"Use the function of paddle.sparse, compute with x.values(), or give it x.to_dense().")

    # What it is

    @property
    def shape(self) -> list[int]:
        """The sizes, as a list of ints."""
        return list(self._shape)

    @property
    def dtype(self) -> DType:
        """The type of the values' elements."""
        return self._values.dtype

    @property
    def type(self) -> VarType:
        """What it holds: `VarType.SPARSE_COO` or `VarType.SPARSE_CSR`."""
        return VarType.SPARSE_COO if self.is_sparse_coo() else VarType.SPARSE_CSR

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._shape)

    def dim(self) -> int:
        """The number of dimensions."""
        return len(self._shape)

    ndimension = rank_ = dim

    @property
    def size(self) -> int:
        """The number of elements of the dense tensor that it stands for."""
        return int(np.prod(self._shape, dtype=np.int64))

    def numel(self) -> Tensor:  # type: ignore[override]
        """The number of elements of the dense tensor that it stands for, as a Tensor."""
        return Tensor(np.asarray(self.size, np.int64))

    @property
    def place(self) -> Place:
        """Where the values are."""
        return self._values.place

    def element_size(self) -> int:
        """Bytes an element."""
        return self._values.element_size()

    def is_sparse(self) -> bool:
        """True."""
        return True

    def is_dense(self) -> bool:
        """False: it holds entries only."""
        return False

    def __len__(self) -> int:
        return self._shape[0]

    def __repr__(self) -> str:
        parts = [(name, part, 8 + len(name)) for name, part in zip((*self._names, "values"),
                                                                   (*self._index, self._values), strict=True)]
        shown = ",\n       ".join(f"{name}={format_array(backend.to_numpy(part._array), indent)}"
                                  for name, part, indent in parts)
        return (f"Tensor(shape={self.shape}, dtype={self.dtype.name}, place={self.place}, "
                f"stop_gradient={self.stop_gradient},\n       {shown})")

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return framed(f"<pre>{escaped(repr(self), 5000)}</pre>")

    def __hash__(self) -> int:
        return id(self)

    # Gradient: that of the values

    def _part(self) -> Tensor:  # type: ignore[override]
        return self._values

    def _of_part(self, gradient: Any) -> Any:
        return self.with_values(gradient)

    @property
    def _edge(self) -> Any:
        return self._values._edge

    @property
    def stop_gradient(self) -> bool:
        """True when no gradient flows to or through it."""
        return self._values.stop_gradient

    @stop_gradient.setter
    def stop_gradient(self, value: bool) -> None:
        self._values.stop_gradient = value

    @property
    def grad(self) -> Any:
        """The accumulated gradient, with these places, or None."""
        gradient = self._values.grad
        return None if gradient is None else self.with_values(gradient)

    @grad.setter
    def grad(self, value: Any) -> None:
        self._values.grad = value._part() if isinstance(value, Tensor) else value

    @property
    def grad_fn(self) -> Node | None:
        """The application that its values are a result of."""
        return self._values.grad_fn

    def clear_gradient(self, set_to_zero: bool = True) -> None:
        """Sets the gradient to zeros, or forgets it."""
        self._values.clear_gradient(set_to_zero)

    clear_grad = clear_gradient

    def retain_grads(self) -> None:
        """Keeps the gradient of a computed tensor in `.grad` too."""
        self._values.retain_grads()

    def register_hook(self, hook: Callable[[Any], Any]) -> HookHandle:
        """Calls `hook(gradient)`, of a gradient with these places; one that it returns takes its place."""
        def of_values(gradient: Tensor) -> Tensor | None:
            replaced = hook(self.with_values(gradient))
            return replaced._part() if isinstance(replaced, Tensor) else replaced

        return self._values.register_hook(of_values)

    def _register_backward_hook(self, hook: Callable[[], Any]) -> HookHandle:
        """Calls `hook()` when the values' gradient is whole."""
        return self._values._register_backward_hook(hook)

    def detach(self) -> Any:
        """A tensor with the same parts through which no gradient flows."""
        return self.with_values(self._values.detach())

    def detach_(self) -> Any:
        """Cuts this tensor off from what it was computed from."""
        self._values.detach_()
        return self

    # Copies and moves

    def clone(self) -> Any:  # type: ignore[override]
        """A tensor with a copy of the values, through which gradients flow."""
        return self.with_values(self._values.clone())

    def _moved(self, place: Place) -> Any:
        return self.of_parts(tuple(part._moved(place) for part in self._index), self._values._moved(place),
                             self._shape)

    def _replace(self, array: Any) -> NoReturn:
        raise TypeError(f"A sparse {self._format} tensor is not changed in place. Make another one of its parts, as by "
                        "paddle.sparse.sparse_coo_tensor(x.indices(), values, x.shape).")

    def copy_(self, other: Any, blocking: bool = True) -> Any:
        """Takes over the parts of another sparse tensor of this format and shape."""
        if type(other) is not type(self) or other.shape != self.shape:
            raise ValueError(f"copy_(other): must be a sparse {self._format} tensor of shape {self.shape}. Received "
                             f"{type(other).__name__} of shape {list(getattr(other, 'shape', ()))}.")
        self._index, self._values = other._index, other._values.detach().clone()
        return self

    def _copied(self, memo: dict[Any, Any]) -> Any:
        parts = tuple(part.detach().clone() for part in self._index)
        copied = self.of_parts(parts, self._values.detach().clone(), self._shape)
        memo[id(self)] = copied
        if not self.stop_gradient:
            copied.stop_gradient = False
        return copied

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return _unpickled, (type(self), [part.numpy() for part in self._index], self._values.numpy(), self._shape,
                            self.stop_gradient)


class SparseCooTensor(_CooMethods, SparseTensor):
    """A tensor in coordinate format: values[i] stands at indices[:, i].

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [2, 0]], [1.0, 2.0], [2, 3], stop_gradient=False)
    >>> (x.to_dense() * 3).sum().backward()
    >>> x.grad.values().tolist()
    [3.0, 3.0]
    """

    __slots__ = ()
    _names = ("indices",)
    _format = "coo"

    def indices(self) -> Tensor:
        """The places of the entries: integers [sparse_dim, nnz]."""
        return self._index[0]

    def is_sparse_coo(self) -> bool:
        """True."""
        return True

    def is_sparse_csr(self) -> bool:
        """False."""
        return False


class SparseCsrTensor(_CsrMethods, SparseTensor):
    """A matrix, or several, in compressed rows: the entries crows[r]:crows[r + 1] are those of row r.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[0.0, 3.0], [4.0, 0.0]]).to_sparse_csr()
    >>> x.crows().tolist(), x.cols().tolist(), x.nnz()
    ([0, 1, 2], [1, 0], 2)
    """

    __slots__ = ()
    _names = ("crows", "cols")
    _format = "csr"

    def crows(self) -> Tensor:
        """Where the entries of each row begin, and where the last row's end."""
        return self._index[0]

    def cols(self) -> Tensor:
        """The column of each entry."""
        return self._index[1]

    def is_sparse_coo(self) -> bool:
        """False."""
        return False

    def is_sparse_csr(self) -> bool:
        """True."""
        return True


FORMATS: dict[str, type[SparseTensor]] = {"coo": SparseCooTensor, "csr": SparseCsrTensor}


def _unpickled(cls: type[SparseTensor], index: list[Any], values: np.ndarray, shape: tuple[int, ...],
               stop_gradient: bool) -> Any:
    made = cls.of_parts(tuple(Tensor(part) for part in index), Tensor(values), shape)
    made.stop_gradient = stop_gradient
    return made
