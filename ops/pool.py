"""Pooling: pool2d, max_pool2d_with_index, those in 3-D, and the operators of their gradients.

Input [N, C, *sizes], or channels last by `data_format`. The largest element of a window gets its gradient; of equal
ones the first. An average leaves padding out of its count when `exclusive`. With `adaptive`, `ksize` is the size of
the output, and window i of n over a length L reaches from floor(i L / n) to ceil((i + 1) L / n).
"""


from collections.abc import Sequence
from typing import Any

from ..core import dtype as dt
from . import pool_kernels as kernels
from .operator import Ints, Operator, operator
from .spec import Spec
from .trace import apply


def _pool(xp, x, *, pooling_type: str = "max", ksize: Ints, strides: Ints = (1, 1), paddings: Ints = (0, 0),
          ceil_mode: bool = False, exclusive: bool = True, data_format: str = "NCHW", global_pooling: bool = False,
          adaptive: bool = False, padding_algorithm: str = "EXPLICIT"):
    x = kernels.channels_first(x, data_format)
    plan = kernels.make_plan(x.shape[2:], ksize, strides, paddings, padding_algorithm, ceil_mode, global_pooling,
                             adaptive)
    if plan is not None and min(plan.counts) < 1:
        raise ValueError("no window fits")
    if pooling_type == "max":
        result = kernels.largest(xp, x, plan) if plan else kernels.max_with_index(xp, x, ksize, None)[0]
    elif plan:
        result = kernels.average(xp, x, plan, exclusive)
    else:
        matrices = [kernels.averaging(xp, size, n, x.dtype) for size, n in zip(x.shape[2:], ksize, strict=True)]
        result = kernels.along_each(xp, x, matrices)
    return kernels.in_format(result, data_format)


def _max_backward(xp, x, out, g, *, ksize: Ints, strides: Ints = (1, 1), paddings: Ints = (0, 0),
                  ceil_mode: bool = False, data_format: str = "NCHW", global_pooling: bool = False,
                  adaptive: bool = False, padding_algorithm: str = "EXPLICIT"):
    x, out, g = (kernels.channels_first(v, data_format) for v in (x, out, g))
    plan = kernels.make_plan(x.shape[2:], ksize, strides, paddings, padding_algorithm, ceil_mode, global_pooling,
                             adaptive)
    if plan:
        result = kernels.largest_backward(xp, x, out, g, plan)
    else:
        index = kernels.max_with_index(xp, x, ksize, None)[1]
        result = kernels.max_with_index_backward(xp, g, index, x.shape)
    return kernels.in_format(result, data_format)


def _max_pick(xp, x, out, v, *, ksize: Ints, strides: Ints = (1, 1), paddings: Ints = (0, 0), ceil_mode: bool = False,
              data_format: str = "NCHW", global_pooling: bool = False, adaptive: bool = False,
              padding_algorithm: str = "EXPLICIT"):
    x, out, v = (kernels.channels_first(a, data_format) for a in (x, out, v))
    plan = kernels.make_plan(x.shape[2:], ksize, strides, paddings, padding_algorithm, ceil_mode, global_pooling,
                             adaptive)
    if plan:
        result = kernels.largest_pick(xp, x, out, v, plan)
    else:
        result = kernels.pick(xp, v, kernels.max_with_index(xp, x, ksize, None)[1])
    return kernels.in_format(result, data_format)


def _average_backward(xp, g, like=None, *, sizes: Ints = (), ksize: Ints, strides: Ints = (1, 1),
                      paddings: Ints = (0, 0), ceil_mode: bool = False, exclusive: bool = True,
                      data_format: str = "NCHW", global_pooling: bool = False, adaptive: bool = False,
                      padding_algorithm: str = "EXPLICIT"):
    g = kernels.channels_first(g, data_format)
    sizes = tuple(sizes) if like is None else kernels.channels_first(like, data_format).shape[2:]
    plan = kernels.make_plan(sizes, ksize, strides, paddings, padding_algorithm, ceil_mode, global_pooling, adaptive)
    if plan:
        result = kernels.average_backward(xp, g, sizes, plan, exclusive)
    else:
        matrices = [kernels.averaging(xp, size, n, g.dtype).T for size, n in zip(sizes, ksize, strict=True)]
        result = kernels.along_each(xp, g, matrices)
    return kernels.in_format(result, data_format)


# shapes

def _sizes(shape: Sequence[int], data_format: str) -> tuple[int, ...]:
    return tuple(shape[1:-1] if data_format[-1] == "C" else shape[2:])


def _with_sizes(x: Spec, sizes: Sequence[int], data_format: str) -> tuple[int, ...]:
    return (x.shape[0], *sizes, x.shape[-1]) if data_format[-1] == "C" else (*x.shape[:2], *sizes)


def _infer_pool(x, *, ksize, strides=(1, 1), paddings=(0, 0), ceil_mode=False, data_format="NCHW", global_pooling=False,
                adaptive=False, padding_algorithm="EXPLICIT", **_):
    sizes = _sizes(x.shape, data_format)
    if len(sizes) != len(ksize):
        raise ValueError(f"pool(x): x must have {len(ksize) + 2} dimensions. Received x.shape={list(x.shape)}.")
    if adaptive or global_pooling:
        return Spec(_with_sizes(x, ksize if adaptive else [1] * len(sizes), data_format), x.dtype)
    plan = kernels.make_plan(sizes, ksize, strides, paddings, padding_algorithm, ceil_mode)
    if min(plan.counts) == 0:
        raise ValueError(
            f"pool(x, kernel_size): the window does not fit into the padded input. Received spatial sizes "
            f"{list(sizes)}, kernel {list(ksize)}, padding {plan.pads}."
        )
    return Spec(_with_sizes(x, plan.counts, data_format), x.dtype)


def _infer_average_backward(g, like=None, *, sizes=(), data_format="NCHW", **_):
    return like if like is not None else Spec(_with_sizes(g, sizes, data_format), g.dtype)


# The declarations, and the gradients that express each other

_SHARED = ("ksize", "strides", "paddings", "ceil_mode", "data_format", "global_pooling", "adaptive",
           "padding_algorithm")


def _shared(attrs: dict[str, Any]) -> dict[str, Any]:
    return {name: attrs[name] for name in _SHARED}


def _average_gradient(op: Operator, g: Any, shape: Any, attrs: dict[str, Any]) -> Any:
    given = {**_shared(attrs), "exclusive": attrs["exclusive"]}
    known = _sizes(shape if type(shape) is tuple else shape.shape, attrs["data_format"])
    return apply(op, g, shape, **given) if -1 in known else apply(op, g, None, sizes=known, **given)


def _declare(type: str) -> Operator:
    def rule(g, X, Out, X_shape, pooling_type, attrs):
        if pooling_type == "max":
            return apply(max_backward, X, Out, g, **_shared(attrs))
        return _average_gradient(average_backward, g, X_shape, attrs)

    max_backward = operator(
        f"max_{type}_backward", "X, Out, OutGrad -> XGrad", kernel=_max_backward, infer=lambda x, out, g, **_: x,
        grad={"OutGrad": lambda g, X, Out, attrs: apply(max_pick, X, Out, g, **_shared(attrs))})
    max_pick = operator(
        f"max_{type}_pick", "X, Out, V -> Picked", kernel=_max_pick, infer=lambda x, out, v, **_: out,
        grad={"V": lambda g, X, Out, attrs: apply(max_backward, X, Out, g, **_shared(attrs))})
    average_backward = operator(
        f"average_{type}_backward", "OutGrad, Like? -> XGrad", kernel=_average_backward, infer=_infer_average_backward,
        grad={"OutGrad": lambda g, exclusive, attrs: apply(
            pool, g, pooling_type="avg", exclusive=exclusive, **_shared(attrs))})
    pool = operator(type, "X -> Out", kernel=_pool, infer=_infer_pool, grad={"X": rule})
    return pool


pool2d_op, pool3d_op = _declare("pool2d"), _declare("pool3d")


# largest, with its place in the plane

def _index_pool(xp, x, *, ksize: Ints, strides: Ints = (1, 1), paddings: Ints = (0, 0), global_pooling: bool = False,
                adaptive: bool = False):
    plan = kernels.make_plan(x.shape[2:], ksize, strides, paddings, global_pooling=global_pooling, adaptive=adaptive)
    return kernels.max_with_index(xp, x, ksize, plan)


def _infer_index_pool(x, **attrs):
    out = _infer_pool(x, **attrs)
    return out, Spec(out.shape, dt.int32)


def _put(xp, g, index, like=None, *, shape: Ints = ()):
    return kernels.max_with_index_backward(xp, g, index, tuple(shape) if like is None else like.shape)


def _infer_put(g, index, like=None, *, shape=()):
    return like if like is not None else Spec(tuple(shape), g.dtype)


def put_by_index(g: Any, index: Any, shape: Any) -> Any:
    """Each element of g at its place in the plane, in a value of `shape` (a tuple, or a value whose shape is meant)."""
    if type(shape) is tuple:
        return apply(put_by_index_op, g, index, None, shape=list(shape))
    return apply(put_by_index_op, g, index, shape)


put_by_index_op = operator("put_by_plane_index", "G, Index, Like? -> Out", kernel=_put, infer=_infer_put, grad={
    "G": lambda g, Index: apply(pick_by_index_op, g, Index)})
pick_by_index_op = operator(
    "pick_by_plane_index", "V, Index -> Out", kernel=lambda xp, v, index: kernels.pick(xp, v, index),
    infer=lambda v, index: Spec(index.shape, v.dtype),
    grad={"V": lambda g, Index, V_shape: put_by_index(g, Index, V_shape)})
max_pool2d_with_index_op, max_pool3d_with_index_op = (
    operator(type, "X -> Out, Mask", kernel=_index_pool, infer=_infer_index_pool,
             grad={"X": lambda g, Mask, X_shape: put_by_index(g, Mask, X_shape)})
    for type in ("max_pool2d_with_index", "max_pool3d_with_index"))
