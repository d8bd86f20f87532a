"""What Python and NumPy ask of a value: its facts, numbers, lists, arrays, text, and the operators of the language.

A value of eager code is this and an edge (`value.py`). All of it is read from the array, and nothing here changes one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import backend
from ..backend.aliasing import dlpack_of
from ..backend.one_number import as_number
from ..core.dtype import DType, from_numpy_dtype
from ..core.errors import AssertedError, WrongKindError
from ..ops.core import kept_panels, native
from ..ops.core.trace import state
from ..ops.methods import SYNTAX
from .printing import formatted

_ndarray = np.ndarray
_REDUCTIONS = {np.sum, np.mean, np.max, np.min, np.amax, np.amin, np.std, np.var, np.prod, np.any, np.all}


def _shape(self: Readable) -> list[int]:
    """The sizes, as a list of ints."""
    return list(self._array.shape)


def _dtype(self: Readable) -> DType:
    """The element type."""
    return from_numpy_dtype(self._array.dtype)


def _ndim(self: Readable) -> int:
    """The number of dimensions."""
    return self._array.ndim


if TYPE_CHECKING:
    from typing_extensions import Self

    from .tensor_methods import Operators as _Operators  # a stub alone: who checks types sees the operators there
else:
    # The compiled form has some of the operators, and what is asked most: in the place of what stands for them here.
    _compiled = () if native.module is None else (native.module.Syntax,)
    if _compiled:
        native.module.serve_facts(_shape, _dtype, _ndim)
    _here = {**SYNTAX, "shape": property(_shape), "dtype": property(_dtype), "ndim": property(_ndim)}
    _Operators = type("_Operators", _compiled, {
        "__slots__": (), **{k: v for k, v in _here.items() if not _compiled or k not in vars(*_compiled)}})


class Readable(_Operators):
    """A value that Python's and NumPy's protocols read."""

    __slots__ = ()

    _array: Any
    __array_priority__ = 100  # ndarray + Tensor is a Tensor

    if TYPE_CHECKING:
        @property
        def shape(self) -> list[int]:
            """The sizes, as a list of ints."""

        @property
        def dtype(self) -> DType:
            """The element type."""

        @property
        def ndim(self) -> int:
            """The number of dimensions."""

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(self._array.size)

    # Its value

    def numpy(self, force: bool = True) -> np.ndarray:
        """A copy of the value as a NumPy array.

        >>> import proa as paddle
        >>> paddle.to_tensor([[1, 2], [3, 4]]).numpy().sum(axis=0).tolist()
        [4, 6]
        """
        array = self._on_host().copy()
        return as_number(array) if state.trace.least_rank else array

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
            args = tuple(x._on_host() if isinstance(x, Readable) else x for x in args)
            return function(*args, **{k: x._on_host() if isinstance(x, Readable) else x for k, x in kwargs.items()})
        return function._implementation(*args, **kwargs)

    def __dlpack__(self, **options: Any) -> Any:
        """The memory, shared with another library: `torch.from_dlpack(x)`, `numpy.from_dlpack(x)`."""
        if type(self._array) is np.ndarray:
            kept_panels.share(self._array)
        return dlpack_of(self._array.view(), options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Where the memory is, in DLPack's numbers."""
        return self._array.__dlpack_device__()

    def item(self, *args: int) -> Any:
        """The only element, or the one at an index, as a Python number; ValueError for an index that is none.

        >>> import proa as paddle
        >>> paddle.to_tensor([[2.5]]).item(), paddle.to_tensor([1, 7]).item(1)
        (2.5, 7)
        """
        array = self._array
        if not args and type(array) is _ndarray and array.size == 1 and state.trace.computes:
            return array.item()
        if not args and self.size != 1:
            raise self._not_one("item(): only a tensor of one element converts to a number", "Give an index, item(i).")
        try:
            return self._on_host().item(*args)
        except (IndexError, ValueError) as error:
            raise self._not_one(f"item{args!r}: there is no such element, as NumPy says: {error}",
                                "Give the index in the flattened tensor, or one for each dimension.") from error

    def _not_one(self, rule: str, way_out: str) -> AssertedError:
        return AssertedError(f"{rule}. Received shape={self.shape}. {way_out}")

    def tolist(self) -> Any:
        """The value as nested lists of Python numbers.

        >>> import proa as paddle
        >>> paddle.to_tensor([[1, 2]]).tolist()
        [[1, 2]]
        """
        return self._on_host().tolist()

    def _number(self, what: str) -> Any:
        array = self._array
        if type(array) is _ndarray and array.size == 1 and state.trace.computes:
            return array.item()
        if self.size != 1:
            raise self._not_one(f"{what}(x): only a tensor of one element converts to a number",
                                "Take an element, such as x[0], or reduce it, as by x.mean().")
        return self._on_host().item()

    def __float__(self) -> float:
        return float(self._number("float"))

    def __int__(self) -> int:
        return int(self._number("int"))

    __long__ = __int__

    def __complex__(self) -> complex:
        return complex(self._number("complex"))

    def __bool__(self) -> bool:
        array = self._array
        if type(array) is _ndarray and array.size == 1 and state.trace.computes:
            return bool(array.item())
        if self.size != 1:
            if state.trace.bare().tensors_are_variables:
                return True  # as it is of a variable without a value, which the Tensor stands for
            raise self._not_one(
                "The truth of a tensor (in if, while, and, or, not) is only known of one element",
                "Say which is meant: (condition).all() or (condition).any(); to choose element by element, "
                "paddle.where(condition, a, b); for 'and', 'or', 'not' of elements, &, | and ~.")
        return bool(self._on_host().item())

    __nonzero__ = __bool__

    def __index__(self) -> int:
        if self.dtype.is_differentiable:
            raise TypeError(f"Only an integer tensor of one element is an index. Received dtype={self.dtype.name}.")
        if self.size != 1:
            raise self._not_one("Only an integer tensor of one element is an index", "x.tolist() gives a list of ints.")
        return int(self._on_host().item())

    def __trunc__(self) -> int:
        return int(self)

    def __divmod__(self, other: Any) -> tuple[Self, Self]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Self, Self]:
        return other // self, other % self

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self)
        return format(self.item(), spec) if self.size == 1 else formatted(self.tolist(), spec)

    def __len__(self) -> int:
        if self.ndim == 0:
            raise WrongKindError("len() of a 0-d tensor")
        return self._array.shape[0]

    def __iter__(self) -> Iterator[Self]:
        if self.ndim == 0:
            raise WrongKindError("iteration over a 0-d tensor")
        return (self[i] for i in range(len(self)))

    def __hash__(self) -> int:
        return id(self)

    def __contains__(self, value: Any) -> bool:
        return bool((self == value)._array.any())
