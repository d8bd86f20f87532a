"""What the accelerated kernels share: which arrays they take, and calling a generated loop at little cost."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import loops
from ..in_order import in_order
from ..threads import get_num_threads

F32, F64 = np.dtype("float32"), np.dtype("float64")


def takes(x: np.ndarray, least: int, kernel: loops.Kernel) -> bool:
    """Whether loops can be had for an array of float32, it has at least so many elements, and the kernel is due."""
    return x.size >= least and x.dtype is F32 and loops.is_ready() and kernel.is_due(x.size)


def takes_floats(x: np.ndarray, least: int, kernel: loops.Kernel) -> bool:
    """As `takes`, for float32 and float64: for loops without elementary functions."""
    return x.size >= least and (x.dtype is F32 or x.dtype is F64) and loops.is_ready() and kernel.is_due(x.size)


def flat(x: np.ndarray) -> np.ndarray:
    """The array itself where its elements lie in order, or a copy of it."""
    return x if x.flags.c_contiguous else in_order(x)


def own_axis(axis: int, rank: int) -> int:
    """A dimension counted from the front; IndexError for one that an array of this rank has not."""
    if not -rank <= axis < rank:
        raise np.exceptions.AxisError(axis, rank)
    return axis % rank


def around(shape: tuple[int, ...], axis: int) -> tuple[int, int, int]:
    """How many elements lie before, along and behind a dimension, which may be counted from the end."""
    axis = own_axis(axis, len(shape))
    return math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1:])


def bound(kernel: loops.Kernel, types: str) -> Callable[..., None]:
    """The kernel for arguments of these types, which nothing checks any more.

    `types` are the words of `Kernel.typed`, and `T*` for an array of the floating dtype that the callable takes before
    the kernel's arguments.
    """
    words = {dtype: types.replace("T*", name) for dtype, name in ((F32, "f32*"), (F64, "f64*"))}
    codes: dict[Any, Callable[..., None]] = {}

    def call(dtype: Any, *arguments: Any) -> None:
        code = codes.get(dtype)
        if code is None:
            code = codes[dtype] = kernel.typed(*words[dtype].split())
        code(get_num_threads(), *arguments)

    return call


def bound_plain(kernel: loops.Kernel, types: str) -> Callable[..., None]:
    """The kernel for arguments of these types, of one dtype alone; nothing checks them any more."""
    codes: list[Callable[..., None]] = []

    def call(*arguments: Any) -> None:
        if not codes:
            codes.append(kernel.typed(*types.split()))
        codes[0](get_num_threads(), *arguments)

    return call
