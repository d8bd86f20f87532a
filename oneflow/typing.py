"""What the arguments and results of a global function are declared with: `import oneflow.typing as tp`.

`tp.Numpy.Placeholder(shape, dtype)` is an array of that shape, `tp.ListNumpy.Placeholder` a list with one a device,
each of that shape or smaller. A result is `tp.Numpy`, `tp.ListNumpy`, a `typing.Tuple`, `List` or `Dict` of these, a
`tp.Callback[…]` of such, or a `tp.Bundle[…]`: any nest of it.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Sequence
from typing import Any

from ..core.dtype import DType
from .dtypes import float32, to_dtype

_T = typing.TypeVar("_T")


class Placeholder:
    """An argument: a class that says its shape and dtype. `Numpy.Placeholder` and the others make such classes."""

    shape: tuple[int, ...] = ()
    dtype: DType = float32
    depth = 0  # of the lists around an array, each with one item a device
    batch_axis: Any = 0

    @classmethod
    def describe(cls) -> str:
        """Its shape and dtype, for errors."""
        return f"shape {list(cls.shape)}, dtype {cls.dtype.name}"


def _placeholder(what: str, shape: Sequence[int], dtype: Any, batch_axis: Any, depth: int) -> type[Placeholder]:
    if not isinstance(shape, (tuple, list)):
        raise TypeError(f"{what}(shape): must be a tuple of sizes. Received {shape!r}.")
    sizes = tuple(int(size) for size in shape)
    if any(size <= 0 for size in sizes):
        raise ValueError(f"{what}(shape): sizes must be known and greater than 0. Received {sizes!r}.")
    members = {"shape": sizes, "dtype": to_dtype(f"{what}(dtype)", dtype), "batch_axis": batch_axis, "depth": depth}
    return type(what, (Placeholder,), members)


class Numpy:
    """A result that is an array; `Numpy.Placeholder` an argument that is one.

    >>> import numpy as np
    >>> import proa.oneflow as flow, proa.oneflow.typing as tp
    >>> @flow.global_function()
    ... def twice(x: tp.Numpy.Placeholder((2,), dtype=flow.float)) -> tp.Numpy:
    ...     return x + x
    >>> twice(np.ones(2, np.float32)).tolist()
    [2.0, 2.0]
    """

    depth = 0

    @staticmethod
    def Placeholder(shape: Sequence[int], dtype: Any = float32, batch_axis: Any = 0) -> Any:
        """An argument that is an array of this very shape. `batch_axis` says nothing on one device."""
        return _placeholder("Numpy.Placeholder", shape, dtype, batch_axis, 0)


class ListNumpy:
    """A result that is a list with an array a device; `ListNumpy.Placeholder` an argument that is such a list.

    An array of the list may be smaller than the placeholder says, but not of another number of dimensions. The function
    is traced for each shape that it is called with, once.
    """

    depth = 1

    @staticmethod
    def Placeholder(shape: Sequence[int], dtype: Any = float32, batch_axis: Any = 0) -> Any:
        """An argument that is a list of arrays, none of them with more elements than this shape has."""
        return _placeholder("ListNumpy.Placeholder", shape, dtype, batch_axis, 1)


class ListListNumpy:
    """As `ListNumpy`, with a list of arrays a device."""

    depth = 2

    @staticmethod
    def Placeholder(shape: Sequence[int], dtype: Any = float32, batch_axis: Any = 0) -> Any:
        """An argument that is a list of lists of arrays, none of them with more elements than this shape has."""
        return _placeholder("ListListNumpy.Placeholder", shape, dtype, batch_axis, 2)


class Callback(typing.Generic[_T]):
    """A result that is handed to a function: `job(x)(callback)` calls it with what `Callback[…]` holds."""


class Bundle(typing.Generic[_T]):
    """A result that is `Numpy` (or `ListNumpy`), or a tuple, list or dict of such, in any depth."""


def is_result(annotation: Any) -> bool:
    """Whether it is the annotation of one array: `Numpy`, `ListNumpy` or `ListListNumpy`."""
    return inspect.isclass(annotation) and issubclass(annotation, (Numpy, ListNumpy, ListListNumpy))
