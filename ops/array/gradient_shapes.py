"""Operators that gradient rules use to bring a gradient back to the shape of an input.

They belong to no file format: they occur in training Programs made here only. A *shape handle* is a tuple of sizes, or
a value whose shape is meant where a size is not yet known.
"""


import math
from typing import Any

import numpy as np

from ...backend.engines import LOOPS
from ...backend.kernels import reduce as fast
from ..core.deferred import MOST_ROWS, Deferred
from ..core.kernels import by
from ..core.operator import operator
from ..core.spec import Spec
from ..core.taped import over_dimensions
from ..core.trace import apply, state


def _sum_to(xp: Any, g: Any, shape: tuple[int, ...]) -> Any:
    if g.shape == shape:
        return g.view()
    if xp is np and g.size >= _SMALL and g.dtype.char in "fd" and not any(g.strides):  # the gradient of a mean or sum
        return np.full(shape, g.flat[0] * np.float64(g.size // math.prod(shape)), g.dtype)
    extra = g.ndim - len(shape)
    if shape and extra > 0 and g.shape[extra:] == shape and xp is np:  # a bias: the sum, without a call between
        return np.add.reduce(g, 0 if extra == 1 else tuple(range(extra)), g.dtype)
    axes = (*range(extra), *(n + extra for n, size in enumerate(shape) if size == 1 and g.shape[n + extra] != 1))
    return g.sum(axis=axes, dtype=g.dtype).reshape(shape)


def _handle_shape(x: Any, like: Any = None, *, shape: Any = None) -> Spec:
    return Spec(tuple(like.shape if like is not None else shape), x.dtype)


def _target(like: Any, shape: list[int]) -> tuple[int, ...]:
    return tuple(shape) if like is None else like.shape


def _sum_kernel(xp, x, like=None, *, shape: list[int] = ()):
    return _sum_to(xp, x, _target(like, shape))


def _sum_by_loops(x, like=None, *, shape: list[int] = ()):
    return fast.sum_to(x, _target(like, shape))


def _expand_kernel(xp, x, like=None, *, shape: list[int] = ()):
    return xp.broadcast_to(x, _target(like, shape))


def _reshape_kernel(xp, x, like=None, *, shape: list[int] = ()):
    return x.reshape(_target(like, shape))


def _taped_sum(tape, x, like=None, *, shape: list[int] = ()):
    target = _target(like, shape)
    extra = x.ndim - len(target)
    dims = [d for d, n in enumerate(x.shape) if d < extra or target[d - extra] == 1 != n]
    return tape.summed(x, target, *over_dimensions(x.shape, dims), 1.0) if dims else tape.reshaped(x, target)


sum_to_op = operator("sum_to_shape", "X, Like? -> Out~X", kernel=_sum_kernel, engines=[by(LOOPS, _sum_by_loops)],
                     taped=_taped_sum, infer=_handle_shape,
                     grad={"X": lambda g, X_shape: expand_to(g, X_shape)}, only_here=True, compiled="sum_to_shape")
expand_to_op = operator("expand_to_shape", "X, Like? -> Out~X", kernel=_expand_kernel, infer=_handle_shape,
                        grad={"X": lambda g, X_shape: sum_to(g, X_shape)}, moves=True, only_here=True)
reshape_to_op = operator("reshape_to_shape", "X, Like? -> Out~X", kernel=_reshape_kernel, infer=_handle_shape,
                         grad={"X": lambda g, X_shape: reshape_to(g, X_shape)}, moves=True, only_here=True)


_SMALL = 1 << 12
"""Arrays of fewer elements are summed and repeated here, by what the kernels call; the way to these costs as much."""
_WORTH_WAITING = 1 << 11
"""Arrays of fewer elements are summed in less time than it takes to keep them and sum them together."""
_OF_HOST = frozenset((np.ndarray, np.float32, np.float64))
"""What NumPy gives: an array without dimensions times a number is one of its numbers."""


def _apply(op: Any, g: Any, shape: Any) -> Any:
    if type(shape) is not tuple:
        return apply(op, g, shape)
    if tuple(g.shape) == shape:
        return g
    return apply(op, g, None, shape=shape)


def is_direct(op: Any) -> bool:
    """Whether nobody watches, or has registered a kernel that is to be asked."""
    return state.observer is None and not op.kernels.registered


def _sum_of_rows(g: Any) -> Any:
    return sum_to(g, g.shape[1:])


def sum_to(g: Any, shape: Any, to_leaf: bool = False) -> Any:
    """`g` summed over the dimensions along which `shape` was broadcast; a leaf may get a sum that is still to come."""
    if type(shape) is tuple and type(g) is np.ndarray:
        if g.shape == shape:
            return g
        if to_leaf and g.size >= _WORTH_WAITING and g.ndim == 2 and g.shape[0] <= MOST_ROWS and g.shape[1:] == shape \
                and g.dtype.char in "fd" and is_direct(sum_to_op):
            return Deferred(_sum_of_rows, g)
        if g.size < _SMALL and g.dtype.char in "fd" and is_direct(sum_to_op):
            return _sum_to(np, g, shape)
    return _apply(sum_to_op, g, shape)


def expand_to(g: Any, shape: Any) -> Any:
    """`g` repeated to `shape`, to which it broadcasts."""
    if type(g) in _OF_HOST and type(shape) is tuple and math.prod(shape) < _SMALL and is_direct(expand_to_op):
        if g.shape == shape:
            return g
        repeated = np.empty(shape, g.dtype)
        repeated[...] = g
        return repeated
    return _apply(expand_to_op, g, shape)


def reshape_to(g: Any, shape: Any) -> Any:
    """`g` with its elements arranged in `shape`."""
    return _apply(reshape_to_op, g, shape)
