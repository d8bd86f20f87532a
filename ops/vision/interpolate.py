"""Resizing of signals, images and volumes: the operators *_interp_v2, and the one of their gradients.

Every dimension is resized on its own, after a table of positions and weights (`resample_tables`); the gradient is the
same with the tables transposed, and so linear, and its own gradient is resizing again.
"""


import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend.devices import host_values
from ...backend.engines import LOOPS
from ...backend.kernels import copying as fast
from ...core import dtype as dt
from ..array.assign import shape
from ..core.kernels import by
from ..core.operator import Ints, Operator, operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import in_dtype
from ..nn.layout import channels_first, channels_of, channels_restored, full_shape, sizes_along
from .resample_tables import resampled, table, transposed

_KINDS = {"nearest": "nearest", "linear": "linear", "bilinear": "linear", "trilinear": "linear", "bicubic": "cubic"}


def _numbers(rank: int, out_d: int, out_h: int, out_w: int) -> list[int]:
    return [out_d, out_h, out_w][3 - rank:]


def _scales(rank: int, scale: Sequence[float]) -> list[float]:
    """The factor of each dimension; 0 where none is given."""
    return [float(scale[0])] * rank if len(scale) == 1 else [float(s) for s in scale] or [0.0] * rank


def _scaled(sizes: Sequence[int], scales: Sequence[float]) -> list[int]:
    """The sizes times the factors, rounded down as in float32."""
    return [int(np.float32(n) * np.float32(s)) if n >= 0 else -1 for n, s in zip(sizes, scales, strict=True)]


def _wanted(sizes: Sequence[int], out_size: Any, size_list: Any, scale_tensor: Any, given: Sequence[int],
            scale: Sequence[float]) -> tuple[list[int], list[float]]:
    """The sizes of the result and the factors, from whichever of the inputs and attributes says them."""
    rank = len(sizes)
    if size_list:
        return [int(n.item()) for n in size_list], [0.0] * rank
    if out_size is not None:
        return [int(n) for n in host_values(out_size.reshape(-1))], [0.0] * rank
    if scale_tensor is not None:
        scale = host_values(scale_tensor.reshape(-1))
    scales = _scales(rank, scale)
    return _scaled(sizes, scales) if scales[0] > 0 else list(given), scales


def _interpolate(xp, x, out_size=None, size_list=None, scale_tensor=None, *, data_layout: str = "NCHW", out_d: int = 0,
                 out_h: int = 0, out_w: int = 0, scale: list[float] = (), interp_method: str = "bilinear",
                 align_corners: bool = True, align_mode: int = 1):
    x = channels_first(x, data_layout)
    sizes = x.shape[2:]
    out, scales = _wanted(sizes, out_size, size_list, scale_tensor, _numbers(len(sizes), out_d, out_h, out_w), scale)
    if min(out) < 1:
        raise ValueError(f"interpolate: the sizes of the result must be at least 1. Received {out}.")
    result = _resized(xp, x, sizes, out, scales, table, interp_method, align_corners, align_mode)
    return channels_restored(result, data_layout)


@functools.lru_cache(256)
def _nearest(size: int, out: int, scale: float, align_corners: bool) -> np.ndarray:
    """The positions of the table, which stay as they are where that is not used."""
    if size == out and scale in (0.0, 1.0):
        return np.arange(size, dtype=np.int64)
    [(positions, _)] = table("nearest", size, out, scale, align_corners, 1)
    return positions.clip(0, size - 1)  # nothing checks them in the loop


def _nearest_by_loops(x, out_size=None, size_list=None, scale_tensor=None, *, data_layout="NCHW", out_d=0, out_h=0,
                      out_w=0, scale=(), interp_method="nearest", align_corners=True, align_mode=1):
    if x.ndim != 4:
        return NotImplemented
    x = channels_first(x, data_layout)
    sizes = x.shape[2:]
    out, scales = _wanted(sizes, out_size, size_list, scale_tensor, (out_h, out_w), scale)
    if min(out) < 1 or tuple(sizes) == tuple(out):
        return NotImplemented
    positions = [_nearest(*each, align_corners) for each in zip(sizes, out, scales, strict=True)]
    result = fast.picked(x, *positions)
    return result if result is NotImplemented else channels_restored(result, data_layout)


def _resized(xp: Any, x: Any, sizes: Sequence[int], out: Sequence[int], scales: Sequence[float], tables: Any,
             method: str, align_corners: bool, align_mode: int) -> Any:
    """Each dimension of x after its table, or its transposed one; sizes that all stay leave x as it is."""
    if tuple(sizes) == tuple(out):
        return x.copy()
    kind, dtype = _KINDS[method], x.dtype
    exact = kind == "nearest" and tables is table
    if not exact and (dtype.kind != "f" or dtype.itemsize == 2):
        x = x.astype("float32")
    for n, (size, count, scale) in enumerate(zip(sizes, out, scales, strict=True)):
        if size != count or scale not in (0.0, 1.0):
            taps = tables(kind, size, count, scale, align_corners, align_mode)
            has_gaps = kind == "nearest" and any(weights is not None and not weights.all() for _, weights in taps)
            x = resampled(xp, x, 2 + n, taps, has_gaps)
    return x.astype(dtype, copy=False)


def _infer(x, out_size=None, size_list=None, scale_tensor=None, *, data_layout="NCHW", out_d=0, out_h=0, out_w=0,
           scale=(), interp_method="bilinear", **_):
    sizes = sizes_along(x.shape, data_layout)
    rank = len(sizes)
    given = [n if n > 0 else -1 for n in _numbers(rank, out_d, out_h, out_w)]
    out = given
    if size_list or out_size is not None or scale_tensor is not None:  # whose values may be others than the attributes
        out = [-1] * rank
    elif len(scale):
        out = _scaled(sizes, _scales(rank, scale))
    return Spec(full_shape(x.shape[0], channels_of(x.shape, data_layout), out, data_layout), x.dtype)


def _back(xp, g, like=None, scale_tensor=None, *, size: Ints = (), data_layout: str = "NCHW",
          scale: list[float] = (), interp_method: str = "bilinear", align_corners: bool = True, align_mode: int = 1):
    g = channels_first(g, data_layout)
    sizes = tuple(size) if like is None else sizes_along(like.shape, data_layout)
    scales = _scales(len(sizes), scale if scale_tensor is None else host_values(scale_tensor.reshape(-1)))
    out = g.shape[2:]
    result = _resized_back(xp, g, sizes, out, scales, interp_method, align_corners, align_mode)
    return channels_restored(result, data_layout)


def _resized_back(xp: Any, g: Any, sizes: Sequence[int], out: Sequence[int], scales: Sequence[float], *how: Any) -> Any:
    return _resized(xp, g, sizes, out, scales, transposed, *how)


def _infer_back(g, like=None, scale_tensor=None, *, size=(), data_layout="NCHW", **_):
    sizes = tuple(size) if like is None else sizes_along(like.shape, data_layout)
    return Spec(full_shape(g.shape[0], channels_of(g.shape, data_layout), sizes, data_layout), g.dtype)


def _by_input(g, X_shape, OutSize, SizeTensor, Scale, data_layout, scale, interp_method, align_corners, align_mode):
    sizes = sizes_along(X_shape if type(X_shape) is tuple else tuple(X_shape.shape), data_layout)
    like = X_shape if -1 in sizes else None
    if SizeTensor or OutSize is not None:  # the factors follow from these
        Scale, scale = None, []
    return apply(interp_grad_op, g, like, Scale, size=[] if like is not None else list(sizes), data_layout=data_layout,
                 scale=scale, interp_method=interp_method, align_corners=align_corners, align_mode=align_mode)


def _by_gradient(g, G_shape, Scale, data_layout, scale, interp_method, align_corners, align_mode):
    attrs = {"data_layout": data_layout, "interp_method": interp_method, "align_corners": align_corners,
             "align_mode": align_mode}
    op = _OPERATORS[interp_method]
    if Scale is not None or len(scale):
        return apply(op, g, None, None, Scale, out_d=-1, out_h=-1, out_w=-1, scale=scale, **attrs)
    known = type(G_shape) is tuple
    sizes = sizes_along(G_shape if known else tuple(G_shape.shape), data_layout)
    if -1 in sizes:
        first = 1 if data_layout[-1] == "C" else 2
        size = shape(G_shape)[first:first + len(sizes)]
        return apply(op, g, size, None, None, out_d=-1, out_h=-1, out_w=-1, scale=[], **attrs)
    return apply(op, g, None, None, None, scale=[], **size_attributes(sizes), **attrs)


def size_attributes(sizes: Sequence[int]) -> dict[str, int]:
    """The attributes out_d, out_h and out_w, -1 for a dimension that is not there."""
    return dict(zip(("out_d", "out_h", "out_w"), [-1] * (3 - len(sizes)) + list(sizes), strict=True))


def _with_int32_sizes(x: Any, size: Any = None, sizes: Any = None, *others: Any,
                      **attrs: Any) -> tuple[tuple, dict[str, Any]]:
    whole = None if size is None else in_dtype(size, dt.int32)
    return (x, whole, None if sizes is None else [in_dtype(one, dt.int32) for one in sizes], *others), attrs


def _resizing(type: str) -> Operator:
    return operator(type, "X, OutSize?, SizeTensor*?, Scale? -> Out", kernel=_interpolate, infer=_infer,
                    engines=[by(LOOPS, _nearest_by_loops)] if type.startswith("nearest") else [],
                    adapted=_with_int32_sizes, grad={"X": _by_input}, precision="slow", float32="Scale", lod="drop")


_OPERATORS = {method: _resizing(f"{method}_interp_v2")
              for method in ("nearest", "linear", "bilinear", "trilinear", "bicubic")}
interp_grad_op = operator("interp_grad", "G, Like?, Scale? -> XGrad", kernel=_back, infer=_infer_back,
                          grad={"G": _by_gradient}, only_here=True)


def resize(x: Any, method: str, out_size: Any, size_list: Any, scale_tensor: Any, scale: Sequence[float],
           sizes: Sequence[int], align_corners: bool, align_mode: int, data_layout: str) -> Any:
    """x resized; `sizes` are those that are known, in the order of the dimensions, or -1."""
    return apply(_OPERATORS[method], x, out_size, size_list, scale_tensor, interp_method=method,
                 align_corners=align_corners, align_mode=align_mode, data_layout=data_layout, scale=list(scale),
                 **size_attributes(sizes))
