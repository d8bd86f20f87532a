"""softmax and log_softmax along a dimension, and maxout."""


from typing import Any

import numpy as np

from ...backend.engines import LOOPS
from ...backend.in_order import in_order
from ...backend.kernels import softmax as accelerated
from ..core.infer import normalize_axis, same
from ..core.kernels import by
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.reduce import sum
from ..math.unary import exp


def _largest(xp: Any, x: Any, axis: int) -> Any:
    """The largest along a dimension, which stays: of NumPy the reduction itself, to which `max` comes by Python."""
    return np.maximum.reduce(x, axis, keepdims=True) if xp is np else x.max(axis, keepdims=True)


def _sum(xp: Any, x: Any, axis: int) -> Any:
    """The sum along a dimension, which stays."""
    return np.add.reduce(x, axis, keepdims=True) if xp is np else x.sum(axis, keepdims=True)


def softmax_array(xp: Any, x: Any, axis: int) -> Any:
    """softmax of an array: 1 of a 0-d one."""
    if x.ndim == 0:
        return xp.ones_like(x)
    if not x.shape[axis]:
        return x.copy()
    result = x - _largest(xp, x, axis)
    xp.exp(result, out=result)
    result /= _sum(xp, result, axis)
    return result


def log_softmax_array(xp: Any, x: Any, axis: int) -> Any:
    """log_softmax of an array: 0 of a 0-d one."""
    if x.ndim == 0:
        return xp.zeros_like(x)
    if not x.shape[axis]:
        return x.copy()
    result = x - _largest(xp, x, axis)
    result -= xp.log(_sum(xp, xp.exp(result), axis))
    return result


def _softmax(xp, x, *, axis: int = -1, is_test: bool = False, data_format: str = "AnyLayout"):
    return softmax_array(xp, x, axis)


def _log_softmax(xp, x, *, axis: int = -1):
    return log_softmax_array(xp, x, axis)


def _infer(type: str) -> Any:
    def infer(x, *, axis=-1, **_):
        normalize_axis(type, axis, x.rank)
        if not x.dtype.is_differentiable:
            raise TypeError(f"{type}: x must be floating. Received {x.dtype.name}. Use x.astype('float32').")
        return x

    return infer


def _softmax_grad(xp, out, g, *, axis: int = -1):
    result = g * out
    total = _sum(xp, result, axis) if out.ndim else result
    return result - out * total


def _softmax_grad_of_out(out: Any, g: Any, v: Any, axis: int) -> Any:
    """The gradient, along v, of out * (g - sum(g * out)) with respect to out."""
    return v * (g - _total(g * out, axis)) - g * _total(v * out, axis)


def _total(x: Any, axis: int) -> Any:
    return sum(x, axis, keepdim=True) if x.ndim else x


def _log_softmax_grad(xp, out, g, *, axis: int = -1):
    return g - xp.exp(out) * (_sum(xp, g, axis) if out.ndim else g)


def _taped(logarithm: bool) -> Any:
    return lambda tape, x, *, axis=-1, **_: accelerated.taped(tape, x, axis, logarithm)


def _taped_grad(logarithm: bool) -> Any:
    return lambda tape, out, g, *, axis=-1: accelerated.taped_grad(tape, out, g, axis, logarithm)


softmax_op = operator("softmax", "X -> Out", kernel=_softmax, holomorphic=True,
                      engines=[by(LOOPS, accelerated.softmax)],
                      taped=_taped(False),
                      infer=_infer("softmax(x, axis)"), grad={
    "X": lambda g, Out, axis: apply(softmax_grad_op, Out, g, axis=axis)}, precision="black", compiled="softmax")
softmax_grad_op = operator("softmax_grad", "Out, G -> Result", kernel=_softmax_grad,
                           engines=[by(LOOPS, accelerated.softmax_grad)], taped=_taped_grad(False),
                           infer=same, grad={
    "Out": lambda g, Out, G, axis: _softmax_grad_of_out(Out, G, g, axis),
    "G": lambda g, Out, axis: apply(softmax_grad_op, Out, g, axis=axis)}, only_here=True)
log_softmax_op = operator("log_softmax", "X -> Out", kernel=_log_softmax, holomorphic=True,
                          engines=[by(LOOPS, accelerated.log_softmax)],
                          taped=_taped(True),
                          infer=_infer("log_softmax(x, axis)"), grad={
    "X": lambda g, Out, axis: apply(log_softmax_grad_op, Out, g, axis=axis)}, precision="black", compiled="log_softmax")
log_softmax_grad_op = operator(
    "log_softmax_grad", "Out, G -> Result", kernel=_log_softmax_grad,
    engines=[by(LOOPS, accelerated.log_softmax_grad)], infer=same, taped=_taped_grad(True),
    grad={"Out": lambda g, Out, G, axis: g * exp(Out) * _total(G, axis) * -1.0,
          "G": lambda g, Out, axis: g - _total(g * exp(Out), axis)}, only_here=True)


def softmax(x: Any, axis: int = -1) -> Any:
    """exp(x) / sum(exp(x)) along `axis`."""
    return apply(softmax_op, x, axis=axis)


# maxout

def _check_groups(x: Any, groups: int, axis: int) -> int:
    """The axis, counted from 0; ValueError where there is none of groups of its channels."""
    if not len(x.shape):
        raise ValueError("maxout(x, groups): x must have a dimension of channels. Received x.shape=[].")
    axis = normalize_axis("maxout(x, groups, axis)", axis, len(x.shape))
    if groups < 2 or (x.shape[axis] >= 0 and x.shape[axis] % groups):
        raise ValueError(
            f"maxout(x, groups): groups must be at least 2 and divide the {x.shape[axis]} channels. Received {groups}.")
    return axis


def _groups_apart(xp: Any, x: Any, groups: int, axis: int) -> Any:
    """x with the members of each group along a dimension of their own; in order, as maxima are found quickly."""
    axis, x = axis % x.ndim, in_order(x) if xp is np else x
    return x.reshape((*x.shape[:axis], x.shape[axis] // groups, groups, *x.shape[axis + 1:]))


def _maxout(xp, x, *, groups: int, axis: int = 1):
    _check_groups(x, groups, axis)
    return _groups_apart(xp, x, groups, axis).max(axis % x.ndim + 1)


def _chosen(xp, x, groups, axis):
    """Which of each group is the largest, the first of equals or the first that is no number, with the groups apart."""
    apart, after = _groups_apart(xp, x, groups, axis), axis % x.ndim + 1
    largest, mask = apart.max(after), xp.empty(apart.shape, bool)
    open = xp.ones(largest.shape, bool)
    for number in range(groups):
        place = (*[slice(None)] * after, number)
        value = apart[place]
        mask[place] = open & ((value == largest) | (value != value))
        open &= ~mask[place]
    return mask


def _maxout_grad(xp, x, out, g, *, groups: int, axis: int = 1):
    given = xp.expand_dims(g, axis % x.ndim + 1)
    return xp.where(_chosen(xp, x, groups, axis), given, g.dtype.type(0)).reshape(x.shape)


def _maxout_take(xp, x, out, v, *, groups: int, axis: int = 1):
    chosen = _chosen(xp, x, groups, axis)
    return xp.where(chosen, v.reshape(chosen.shape), v.dtype.type(0)).sum(axis % x.ndim + 1, dtype=v.dtype)


def _infer_maxout(x, *, groups, axis=1):
    axis = _check_groups(x, groups, axis)
    channels = x.shape[axis] // groups if x.shape[axis] >= 0 else -1
    return Spec((*x.shape[:axis], channels, *x.shape[axis + 1:]), x.dtype)


maxout_op = operator("maxout", "X -> Out", kernel=_maxout, infer=_infer_maxout, grad={
    "X": lambda g, X, Out, groups, axis: apply(maxout_grad_op, X, Out, g, groups=groups, axis=axis)}, lod="drop")
maxout_grad_op = operator("maxout_grad", "X, Out, G -> Result", kernel=_maxout_grad, infer=same, grad={
    "G": lambda g, X, Out, groups, axis: apply(maxout_take_op, X, Out, g, groups=groups, axis=axis)}, only_here=True)
maxout_take_op = operator("maxout_take", "X, Out, V -> Result", kernel=_maxout_take,
                          infer=lambda x, out, v, **_: out, grad={
    "V": lambda g, X, Out, groups, axis: apply(maxout_grad_op, X, Out, g, groups=groups, axis=axis)}, only_here=True)
