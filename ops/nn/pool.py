"""Pooling in two and three dimensions: pool2d and pool3d, maxima with their positions, and putting them back.

A gradient is an operator of its own; it is linear in the result's gradient, so that its gradient is pooling again.
"""


import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...backend import onednn
from ...backend.engines import LOOPS, ONEDNN
from ...backend.kernels import places, small_pool
from ...backend.kernels.channels_last_pool import channels_last_maxima, channels_last_means
from ...backend.kernels.max_pool import max_pool_grad as max_pool_grad_by_loops
from ...backend.kernels.reduce import reduce_mean
from ...backend.loops.kernel import is_at_once
from ...core.dtype import int32
from ..core import native
from ..core.infer import product
from ..core.kernels import by
from ..core.operator import Ints, Operator, operator
from ..core.spec import Spec
from ..core.trace import apply
from .layout import channels_first, channels_of, channels_restored, full_shape, sizes_along
from .pool_kernels import (
    Table,
    adaptive_mean,
    adaptive_tables,
    even_tables,
    joined,
    max_pool,
    max_pool_grad,
    max_pool_take,
    max_with_positions,
    mean_factor,
    put_positions,
    sum_pool,
    sum_pool_grad,
    take_positions,
)
from .windows import Geometry, geometry

_SELDOM, _MOST_SIZES = 2, 1024  # times that windows are pooled without code of their own; sizes of which that is known
_MOST_EARLY = 1 << 22  # elements of all windows of which it is
_LEAST_CHANNELS = 4  # side by side, of which C takes several at once
_MEDIUM, _LARGEST_WINDOW = range(8, 64), 9  # channels, and elements of a window, of whose maxima libraries are slower
_F32 = np.dtype(np.float32)
_KEPT_PLACES = 64  # sizes of images of which a line of a plan knows where the windows lie


def _even(sizes: Sequence[int], ksize: Sequence[int], strides: Any, paddings: Any, ceil_mode: bool,
          global_pooling: bool, adaptive: bool, algorithm: str) -> Geometry | None:
    """Where windows at even steps lie; None where adaptive windows differ in size."""
    rank = len(sizes)
    none, ones = [0] * rank, [1] * rank
    if global_pooling:
        return geometry("pool", sizes, sizes, ones, none, ones)
    if adaptive:
        _check_adaptive(ksize)
        if any(size % out for size, out in zip(sizes, ksize, strict=True)):
            return None
        step = [size // out for size, out in zip(sizes, ksize, strict=True)]
        return geometry("pool", sizes, step, step, none, ones)
    return geometry("pool", sizes, ksize, strides if len(strides) else ones, paddings if len(paddings) else none, ones,
                    algorithm, ceil_mode, cut=True)


def _check_adaptive(sizes: Sequence[int]) -> None:
    if min(sizes) < 1:
        raise ValueError(f"adaptive pool(x, output_size): each size must be at least 1. Received {list(sizes)}.")


def _completed(geo: Geometry) -> Geometry:
    """With as much padding behind as the last windows need: ceil_mode and small inputs let them reach further."""
    pads = tuple(
        (before, max(after, (out - 1) * stride + kernel - size - before))
        for kernel, stride, size, out, (before, after) in zip(
            geo.kernel, geo.strides, geo.sizes, geo.out, geo.pads, strict=True))
    return geo if pads == geo.pads else geo._replace(pads=pads)


def _pool(xp, x, *, pooling_type: str, ksize: Ints, strides: Ints = (), paddings: Ints = (),
          ceil_mode: bool = False, exclusive: bool = True, data_format: str = "NCHW", global_pooling: bool = False,
          adaptive: bool = False, padding_algorithm: str = "EXPLICIT"):
    x = channels_first(x, data_format)
    geo = _even(x.shape[2:], ksize, strides, paddings, ceil_mode, global_pooling, adaptive, padding_algorithm)
    if geo is None:
        result = adaptive_mean(xp, x, x.shape[2:], ksize) if pooling_type == "avg" else max_with_positions(
            xp, x, adaptive_tables(x.shape[2:], ksize))[0]
    elif pooling_type == "avg":
        whole = _completed(geo)
        result = sum_pool(xp, x, whole) * mean_factor(xp, whole, geo.pads, exclusive, x.dtype)
    else:
        result = max_pool(xp, x, _completed(geo))
    return channels_restored(result, data_format)


def _pool_grad(xp, x, out, g, *, pooling_type: str, ksize: Ints, strides: Ints = (), paddings: Ints = (),
               ceil_mode: bool = False, exclusive: bool = True, data_format: str = "NCHW",
               global_pooling: bool = False, adaptive: bool = False, padding_algorithm: str = "EXPLICIT"):
    x, out, g = (channels_first(v, data_format) for v in (x, out, g))
    geo = _even(x.shape[2:], ksize, strides, paddings, ceil_mode, global_pooling, adaptive, padding_algorithm)
    if geo is None:
        if pooling_type == "avg":
            result = adaptive_mean(xp, g, x.shape[2:], ksize, back=True)
        else:
            positions = max_with_positions(xp, x, adaptive_tables(x.shape[2:], ksize))[1]
            result = put_positions(xp, g, positions, x.shape[2:])
    elif pooling_type == "avg":
        whole = _completed(geo)
        result = sum_pool_grad(xp, g * mean_factor(xp, whole, geo.pads, exclusive, g.dtype), whole)
    else:
        geo = _completed(geo)
        result = _max_pool_grad_compiled(x, out, g, geo) if xp is np else NotImplemented
        if result is NotImplemented:
            result = max_pool_grad(xp, x, out, g, geo)
    return channels_restored(result, data_format)


def _pool_take(xp, x, out, v, *, ksize: Ints, strides: Ints = (), paddings: Ints = (), ceil_mode: bool = False,
               data_format: str = "NCHW", global_pooling: bool = False, adaptive: bool = False,
               padding_algorithm: str = "EXPLICIT"):
    x, out, v = (channels_first(a, data_format) for a in (x, out, v))
    geo = _even(x.shape[2:], ksize, strides, paddings, ceil_mode, global_pooling, adaptive, padding_algorithm)
    if geo is None:
        positions = max_with_positions(xp, x, adaptive_tables(x.shape[2:], ksize))[1]
        result = take_positions(xp, v, positions)
    else:
        result = max_pool_take(xp, x, out, v, _completed(geo))
    return channels_restored(result, data_format)


# the same by loops and by oneDNN, on NumPy arrays

@functools.lru_cache(1024)
def _by_onednn(sizes: tuple, pooling_type: str, ksize: tuple, strides: tuple, paddings: tuple, ceil_mode: bool,
               exclusive: bool, global_pooling: bool, adaptive: bool, algorithm: str) -> tuple[Geometry, int] | None:
    """The windows and the kind of pooling; None where oneDNN would count otherwise, or knows nothing like it."""
    geo = _even(sizes, ksize, strides, paddings, ceil_mode, global_pooling, adaptive, algorithm)
    if geo is None:
        return None
    whole = _completed(geo)
    for n, (before, _) in enumerate(geo.pads):
        if before >= geo.kernel[n] or (geo.out[n] - 1) * geo.strides[n] - before >= geo.sizes[n]:
            return None  # a window of padding alone
    if pooling_type == "max":
        return whole, onednn.MAX
    if exclusive or not whole.is_padded:
        return whole, onednn.MEAN
    counts = all((out - 1) * stride + kernel <= size + 2 * before for out, stride, kernel, size, (before, _) in zip(
        geo.out, geo.strides, geo.kernel, geo.sizes, geo.pads, strict=True))
    return (whole, onednn.MEAN_WITH_PADDING) if counts else None  # otherwise some of the padding does not


def _for_engines(x: Any, pooling_type: str, ksize: Sequence[int], strides: Sequence[int] = (),
                 paddings: Sequence[int] = (), ceil_mode: bool = False, exclusive: bool = True,
                 data_format: str = "NCHW", global_pooling: bool = False, adaptive: bool = False,
                 padding_algorithm: str = "EXPLICIT") -> tuple[Geometry, int] | None:
    """Where the windows over a channels-first image lie, and oneDNN's kind of them; None where engines have none."""
    return _by_onednn(x.shape[2:], pooling_type, tuple(ksize), tuple(strides), tuple(paddings), ceil_mode, exclusive,
                      global_pooling, adaptive, padding_algorithm)


def _pool_by_loops(x, *, pooling_type, data_format="NCHW", **attrs):
    x = channels_first(x, data_format)
    found = _for_engines(x, pooling_type, **attrs)
    if found is None:
        return NotImplemented
    geo, kind = found
    where, result = (geo.kernel, geo.strides, geo.pads, geo.out), NotImplemented
    if kind == onednn.MEAN and tuple(geo.kernel) == x.shape[2:] and not geo.is_padded:
        result = channels_last_means(x)
        if result is NotImplemented:
            result = reduce_mean(x, dim=range(2, x.ndim), keep_dim=True)
    if result is NotImplemented and pooling_type == "max":
        result = channels_last_maxima(x, *where)
        if result is NotImplemented:
            result = small_pool.max_pool(x, *where)
    elif result is NotImplemented:
        result = small_pool.mean_pool(x, *where, kind == onednn.MEAN_WITH_PADDING)
    return result if result is NotImplemented else channels_restored(result, data_format)


def _line_of_pool(attrs: Mapping[str, Any]) -> Callable[..., Any] | None:
    """What a line of a plan calls for maxima, or for means of whole images: where the windows lie it asks once."""
    if attrs.get("data_format", "NCHW") not in ("NCHW", "AnyLayout"):
        return None
    otherwise: Callable[..., Any] = functools.partial(_pool_by_loops, **attrs)
    if attrs["pooling_type"] == "avg":
        whole = attrs.get("global_pooling") or attrs.get("adaptive") and tuple(attrs["ksize"]) == (1, 1)
        if not whole:
            return None

        def means(x: Any) -> Any:
            result = channels_last_means(x)
            return otherwise(x) if result is NotImplemented else result

        return means
    places: dict[tuple[int, ...], Any] = {}

    def maxima(x: Any) -> Any:
        where = places.get(x.shape)
        if where is None:
            found = _for_engines(x, **attrs) if x.ndim == 4 else None
            if found is None:
                return otherwise(x)
            if len(places) >= _KEPT_PLACES:
                places.clear()
            geo = found[0]
            where = places[x.shape] = geo.kernel, geo.strides, geo.pads, geo.out
        result = channels_last_maxima(x, *where)
        return otherwise(x) if result is NotImplemented else result

    return maxima


def _pool_by_onednn(x, *, pooling_type, data_format="NCHW", **attrs):
    x = channels_first(x, data_format)
    found = _for_engines(x, pooling_type, **attrs)
    if found is None:
        return NotImplemented
    geo, kind = found
    result = _pool_early(x, kind, geo)
    if result is not NotImplemented:
        return channels_restored(result, data_format)
    if not onednn.is_ready():
        return NotImplemented
    result = onednn.pooling(x, kind, geo.kernel, geo.strides, geo.pads, geo.out)
    return result if result is NotImplemented else channels_restored(result, data_format)


_seldom: dict[Any, int] = {}  # how often windows over images of a size were pooled without code of their own


def _pool_early(x: Any, kind: int, geo: Geometry) -> Any:
    """The pooling by a function in C that takes any size: of some channels that lie side by side, and of small images
    twice for each size, for which no code is made.
    """
    if native.module is None or x.ndim != 4 or x.dtype != _F32:
        return NotImplemented
    begin = tuple([before for before, _ in geo.pads])
    windows = kind != onednn.MAX, kind == onednn.MEAN_WITH_PADDING, geo.kernel, geo.strides, begin, geo.out
    is_small = kind == onednn.MAX and math.prod(geo.kernel) <= _LARGEST_WINDOW
    if is_small and x.shape[1] in _MEDIUM and x.transpose(0, 2, 3, 1).flags.c_contiguous:
        return native.module.pool_windows(x, *windows)
    if is_at_once():
        return NotImplemented
    if len(x) * x.shape[1] * math.prod(geo.out) * math.prod(geo.kernel) > _MOST_EARLY:
        return NotImplemented
    key = x.shape, x.strides, kind, geo
    times = _seldom.get(key, 0)
    if times >= _SELDOM or not x.size:
        return NotImplemented
    if len(_seldom) >= _MOST_SIZES:
        _seldom.clear()
    _seldom[key] = times + 1
    images = np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    return native.module.pool_windows(images, *windows)


def _max_pool_grad_by_loops(x, out, g, *, pooling_type, data_format="NCHW", **attrs):
    if pooling_type != "max":
        return NotImplemented
    x, out, g = (channels_first(v, data_format) for v in (x, out, g))
    found = _for_engines(x, pooling_type, **attrs)
    if found is None:
        return NotImplemented
    geo = found[0]
    result = _max_pool_grad_compiled(x, out, g, geo)
    if result is NotImplemented:
        result = max_pool_grad_by_loops(x, out, g, geo.kernel, geo.strides, geo.pads)
    return result if result is NotImplemented else channels_restored(result, data_format)


def _max_pool_grad_compiled(x: Any, out: Any, g: Any, geo: Geometry) -> Any:
    """The gradient of maxima by the compiled form, of images whose channels lie side by side."""
    if native.module is None or x.ndim != 4 or x.shape[1] < _LEAST_CHANNELS:
        return NotImplemented
    image = x.transpose(0, 2, 3, 1)
    if not image.flags.c_contiguous:
        return NotImplemented
    maxima, gradients = (np.ascontiguousarray(a.transpose(0, 2, 3, 1)) for a in (out, g))
    begin = tuple([before for before, _ in geo.pads])
    result = native.module.pool_gradient(image, maxima, gradients, geo.kernel, geo.strides, begin)
    return result if result is NotImplemented else result.transpose(0, 3, 1, 2)


def _pool_grad_by_onednn(x, out, g, *, pooling_type, data_format="NCHW", **attrs):
    x, g = (channels_first(v, data_format) for v in (x, g))
    found = _for_engines(x, pooling_type, **attrs)
    if found is None or not onednn.is_ready():
        return NotImplemented
    geo, kind = found
    result = onednn.pooling_grad(x, g, kind, geo.kernel, geo.strides, geo.pads)
    return result if result is NotImplemented else channels_restored(result, data_format)


def _infer_pool(x, *, ksize, strides=(), paddings=(), ceil_mode=False, data_format="NCHW", global_pooling=False,
                adaptive=False, padding_algorithm="EXPLICIT", **_):
    sizes = sizes_along(x.shape, data_format)
    if len(sizes) != len(ksize):
        raise ValueError(
            f"pool(x): x must have {len(ksize) + 2} dimensions, samples and channels among them. "
            f"Received x.shape={list(x.shape)}."
        )
    if global_pooling:
        out: Sequence[int] = [1] * len(sizes)
    elif adaptive:
        _check_adaptive(ksize)
        out = ksize
    else:
        out = geometry("pool", sizes, ksize, strides if len(strides) else [1] * len(sizes),
                       paddings if len(paddings) else [0] * len(sizes), [1] * len(sizes), padding_algorithm,
                       ceil_mode, cut=True).out
    return Spec(full_shape(x.shape[0], channels_of(x.shape, data_format), out, data_format), x.dtype)


def _adaptive_maxima(x: Any, *, pooling_type: str = "max", ksize: Sequence[int], adaptive: bool = False,
                     data_format: str = "NCHW", **attrs: Any) -> Any:
    """Maxima of adaptive windows: Paddle's kernel takes other windows, but for those of the positions as well."""
    if not adaptive or pooling_type != "max" or data_format[-1] == "C":
        return NotImplemented
    if all(size == 1 for size in ksize):
        op = pool2d_op if len(ksize) == 2 else pool3d_op
        return apply(op, x, pooling_type="max", ksize=ksize, global_pooling=True, data_format=data_format,
                     strides=[1] * len(ksize), paddings=[0] * len(ksize))
    op = max_pool2d_with_index_op if len(ksize) == 2 else max_pool3d_with_index_op
    return apply(op, x, ksize=ksize, strides=[1] * len(ksize), paddings=[0] * len(ksize), adaptive=True)[0]


def _by_input(g, X, Out, pooling_type, ksize, strides, paddings, ceil_mode, exclusive, data_format, global_pooling,
              adaptive, padding_algorithm):
    return apply(pool_grad_op, X, Out, g, pooling_type=pooling_type, ksize=ksize, strides=strides, paddings=paddings,
                 ceil_mode=ceil_mode, exclusive=exclusive, data_format=data_format, global_pooling=global_pooling,
                 adaptive=adaptive, padding_algorithm=padding_algorithm)


def _takes_means(attrs: Mapping[str, Any]) -> bool:
    """Whether the gradient needs nothing of the input but its shape."""
    return attrs["pooling_type"] == "avg"


def _grad_by_gradient(g, X, Out, pooling_type, ksize, strides, paddings, ceil_mode, exclusive, data_format,
                      global_pooling, adaptive, padding_algorithm):
    attrs = dict(ksize=ksize, strides=strides, paddings=paddings, ceil_mode=ceil_mode, data_format=data_format,
                 global_pooling=global_pooling, adaptive=adaptive, padding_algorithm=padding_algorithm)
    if pooling_type == "max":
        return apply(pool_take_op, X, Out, g, **attrs)
    op = pool2d_op if len(ksize) == 2 else pool3d_op
    return apply(op, g, pooling_type="avg", exclusive=exclusive, **attrs)


def _take_by_input(g, X, Out, ksize, strides, paddings, ceil_mode, data_format, global_pooling, adaptive,
                   padding_algorithm):
    return apply(pool_grad_op, X, Out, g, pooling_type="max", ksize=ksize, strides=strides, paddings=paddings,
                 ceil_mode=ceil_mode, data_format=data_format, global_pooling=global_pooling, adaptive=adaptive,
                 padding_algorithm=padding_algorithm)


_POOLING = by(LOOPS, _pool_by_loops), by(ONEDNN, _pool_by_onednn)
_OF_IMAGES = by(LOOPS, _pool_by_loops, line=_line_of_pool), by(ONEDNN, _pool_by_onednn)
pool2d_op = operator("pool2d", "X -> Out", kernel=_pool, engines=_OF_IMAGES, infer=_infer_pool,
                     composed=_adaptive_maxima, grad={"X": _by_input}, compiled="pool", former="X",
                     former_where=_takes_means)
pool3d_op = operator("pool3d", "X -> Out", kernel=_pool, engines=_POOLING, infer=_infer_pool,
                     composed=_adaptive_maxima, grad={"X": _by_input}, former="X", former_where=_takes_means)
pool_grad_op = operator("pool_grad", "X, Out, G -> Result", kernel=_pool_grad,
                        engines=[by(LOOPS, _max_pool_grad_by_loops), by(ONEDNN, _pool_grad_by_onednn)],
                        infer=lambda x, *_, **__: x, grad={"G": _grad_by_gradient}, only_here=True)
pool_take_op = operator("max_pool_take", "X, Out, V -> Result", kernel=_pool_take,
                        infer=lambda x, out, v, **_: Spec(out.shape, v.dtype), grad={"V": _take_by_input},
                        only_here=True)


# maxima with their positions

def _with_index(xp, x, *, ksize: Ints, strides: Ints = (), paddings: Ints = (), global_pooling: bool = False,
                adaptive: bool = False, ceil_mode: bool = False):
    return max_with_positions(xp, x, _tables(x.shape[2:], ksize, strides, paddings, global_pooling, adaptive,
                                             ceil_mode))


def _tables(sizes: Sequence[int], ksize: Sequence[int], strides: Sequence[int], paddings: Sequence[int],
            global_pooling: bool, adaptive: bool, ceil_mode: bool) -> list[Table]:
    geo = _even(sizes, ksize, strides, paddings, ceil_mode, global_pooling, adaptive, "EXPLICIT")
    return adaptive_tables(sizes, ksize) if geo is None else even_tables(geo)


def positions_in_windows(sizes: Sequence[int], *, ksize: Sequence[int], strides: Sequence[int] = (),
                         paddings: Sequence[int] = (), global_pooling: bool = False, adaptive: bool = False,
                         ceil_mode: bool = False) -> Table:
    """The positions [*out, longest] in an image laid flat that the windows of a pooling with positions look at."""
    return joined(_tables(sizes, ksize, strides, paddings, global_pooling, adaptive, ceil_mode), sizes)


def _infer_with_index(x, *, ksize, strides=(), paddings=(), global_pooling=False, adaptive=False, ceil_mode=False):
    out = _infer_pool(x, ksize=ksize, strides=strides, paddings=paddings, global_pooling=global_pooling,
                      adaptive=adaptive, ceil_mode=ceil_mode)
    return out, Spec(out.shape, int32)


def _put_positions(xp, g, positions, like=None, *, size: Ints = ()):
    return put_positions(xp, g, positions, tuple(size) if like is None else like.shape[2:])


def put_back(g: Any, positions: Any, shape: Any) -> Any:
    """Zeros of a shape (or of a value's) with the elements of g added at positions in each channel."""
    sizes = tuple(shape if type(shape) is tuple else shape.shape)[2:]
    like = shape if product(sizes) < 0 else None
    return apply(put_positions_op, g, positions, like, size=[] if like is not None else list(sizes))


def _indexed(type: str, precision: str = "gray") -> Operator:
    return operator(type, "X -> Out, Mask", kernel=_with_index, infer=_infer_with_index, precision=precision, grad={
        "X": lambda g, Mask, X_shape: put_back(g, Mask, X_shape)}, lod="drop", compiled="pool_with_places")


max_pool2d_with_index_op = _indexed("max_pool2d_with_index", "white")
max_pool3d_with_index_op = _indexed("max_pool3d_with_index")
put_positions_op = operator(
    "put_positions", "G, Mask, Like? -> Out", kernel=_put_positions,
    infer=lambda g, mask, like=None, *, size=(): Spec(
        (*g.shape[:2], *(tuple(size) if like is None else like.shape[2:])), g.dtype),
    engines=[by(LOOPS, places.added_in_channels, places.LEAST)],
    grad={"G": lambda g, Mask: apply(take_positions_op, g, Mask)}, only_here=True, fails="values")
take_positions_op = operator(
    "take_positions", "X, Mask -> Out", kernel=take_positions,
    infer=lambda x, mask: Spec((*x.shape[:2], *mask.shape[2:]), x.dtype),
    engines=[by(LOOPS, places.taken_in_channels, places.LEAST)],
    grad={"X": lambda g, Mask, X_shape: put_back(g, Mask, X_shape)}, only_here=True, fails="values")
