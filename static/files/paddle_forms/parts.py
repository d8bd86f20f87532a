"""Parts put where they came from, folded, shifted, resized."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....ops.array.concat_split import concat
from ....ops.array.creation import full_like
from ....ops.array.expand import expand_op
from ....ops.array.gather import index_add_op
from ....ops.array.reshape import reshape
from ....ops.array.slices import END, slice_
from ....ops.core.trace import apply
from ....ops.math.cumulative import cumprod_op
from ....ops.math.reduce import sum as total
from .registry import form, gradient, zeros


@form("place_slice", "X, Like?, StartsTensor?, StartsTensorList*?, EndsTensor?, EndsTensorList*?, StridesTensor?, "
                      "StridesTensorList*? -> Out")
def _placed(x: Any, like: Any, *tensors: Any, shape: Sequence[int] = (), axes: Sequence[int], starts: Sequence[int],
            ends: Sequence[int], strides: Sequence[int] = (), infer_flags: Sequence[int] = (),
            decrease_axis: Sequence[int] = ()) -> Any:
    if any(tensors):
        raise NotImplementedError("ranges are given as tensors")
    like = zeros(shape, x) if like is None else like
    attrs: dict[str, Any] = {"axes": list(axes), "starts": list(starts), "ends": list(ends),
                             "infer_flags": list(infer_flags) or [1] * len(axes), "decrease_axis": list(decrease_axis)}
    if any(stride != 1 for stride in strides):
        return gradient("strided_slice", "Input", like, {"Input": like, "Out@GRAD": x}, strides=list(strides), **attrs)
    return gradient("slice", "Input", like, {"Input": like, "Out@GRAD": x}, **attrs)


@form("exclusive_cumprod", "X -> Out")
def _products_before(x: Any, *, axis: int) -> Any:
    first = full_like(slice_(x, [axis], [0], [1]), 1.0)
    return concat([first, slice_(apply(cumprod_op, x, dim=axis), [axis], [0], [-1])], axis=axis)


@form("lookup_table_backward", "Ids, OutGrad -> WGrad")
def _looked_up(ids: Any, g: Any, *, shape: Sequence[int], padding_idx: int = -1, **_: Any) -> Any:
    table = zeros(shape, g)
    return gradient("lookup_table_v2", "W", table, {"W": table, "Ids": ids, "Out@GRAD": g}, padding_idx=padding_idx)


@form("place_diagonal", "X, Like? -> Out")
def _diagonal(x: Any, like: Any, *, shape: Sequence[int] = (), offset: int = 0, axis1: int = 0,
              axis2: int = 1) -> Any:
    like = zeros(shape, x) if like is None else like
    rows, columns = like.shape[axis1], like.shape[axis2]
    if -1 in (rows, columns):
        raise NotImplementedError("how long the diagonal is is not known")
    length = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    if x.shape[-1] != length:  # one number for all of it, of `trace`
        x = apply(expand_op, x, None, None, shape=[*[-1] * (len(x.shape) - 1), length])
    return gradient("diagonal", "Input", like, {"Input": like, "Out@GRAD": x}, offset=offset, axis1=axis1,
                     axis2=axis2)


@form("unpad", "G -> XGrad")
def _unpadded(g: Any, *, paddings: Sequence[int]) -> Any:
    return _within(g, {n: (paddings[2 * n], paddings[2 * n + 1]) for n in range(len(g.shape))})


@form("unpad3d", "G, Paddings? -> XGrad")
def _unpadded_volumes(g: Any, fed: Any, *, paddings: Sequence[int] = (), mode: str = "constant",
                      data_format: str = "NCDHW") -> Any:
    if fed is not None:
        raise NotImplementedError("paddings are given as a tensor")
    last = data_format.index("W")
    if mode != "constant":
        sizes = list(g.shape)
        for n in range(6):
            sizes[last - n // 2] -= paddings[n] if sizes[last - n // 2] >= 0 else 0
        like = zeros(sizes, g)
        return gradient("pad3d", "X", like, {"X": like, "Out@GRAD": g}, paddings=list(paddings), mode=mode,
                        data_format=data_format)
    return _within(g, {last - n: (paddings[2 * n], paddings[2 * n + 1]) for n in range(3)})


def _within(g: Any, widths: dict[int, tuple[int, int]]) -> Any:
    """g without so many of the first and last along dimensions."""
    return slice_(g, list(widths), [before for before, _ in widths.values()],
                  [-after if after else END for _, after in widths.values()])


@form("overlap_add_to", "X, Like? -> Out")
def _added_frames(g: Any, like: Any, *, shape: Sequence[int] = (), hop_length: int, axis: int = -1) -> Any:
    like = zeros(shape, g) if like is None else like
    return gradient("frame", "X", like, {"X": like, "Out@GRAD": g}, frame_length=g.shape[1 if axis == 0 else -2],
                    hop_length=hop_length, axis=axis)


@form("shift_along", "X -> Out")
def _shifted(x: Any, *, axis: int, distance: int) -> Any:
    ends = ([0], [-distance]) if distance > 0 else ([-distance], [END])
    gone = ([-distance], [END]) if distance > 0 else ([0], [-distance])
    kept, zeros = slice_(x, [axis], *ends), full_like(slice_(x, [axis], *gone), 0.0)
    return concat([zeros, kept] if distance > 0 else [kept, zeros], axis=axis)


@form("linear_recurrence", "A, X -> Out")
def _recurrence(a: Any, x: Any, *, axis: int, reverse: bool = False) -> Any:
    """By doubling: after n turns an element has what 2^n before it give, and the factor that leads further back."""
    size, way = x.shape[axis], -1 if reverse else 1
    if size < 0:
        raise NotImplementedError("how many turns is not known")
    factor, distance = _shifted(x, axis=axis, distance=-1) if reverse and size > 1 else x, 1
    while distance < size:
        a = a + factor * _shifted(a, axis=axis, distance=way * distance)
        factor = factor * _shifted(factor, axis=axis, distance=way * distance)
        distance *= 2
    return a


@form("index_add_along", "X, Index, Updates, Axis? -> Out")
def _added_along(x: Any, index: Any, updates: Any, fed: Any, *, axis: int = 0) -> Any:
    if fed is not None or len(index.shape) != 1:
        raise NotImplementedError("the axis is given as a tensor, or the places are not in a line")
    return apply(index_add_op, x, index, updates, axis=axis)


@form("fold_tiles", "X, RepeatTimes?, repeat_times_tensor*? -> Out")
def _folded(g: Any, fed: Any, parts: Any, *, repeat_times: Sequence[int] = (), rank: int) -> Any:
    if fed is not None or parts or list(g.shape).count(-1) > 1:
        raise NotImplementedError("how often is given as a tensor, or several sizes are not known")
    times = [*[1] * (len(g.shape) - len(repeat_times)), *repeat_times]
    pairs = [n for size, count in zip(g.shape, times, strict=True) for n in (count, size // count if size > 0 else -1)]
    folded = total(reshape(g, pairs), list(range(0, len(pairs), 2)))
    return reshape(folded, list(folded.shape)[len(g.shape) - rank:])


@form("interp_grad", "G, Like?, Scale? -> XGrad")
def _resized(g: Any, like: Any, fed: Any, *, size: Sequence[int] = (), data_layout: str = "NCHW",
             interp_method: str = "bilinear", **attrs: Any) -> Any:
    last = data_layout[-1] == "C"
    outer = list(g.shape)[1:-1] if last else list(g.shape)[2:]
    if fed is not None or -1 in outer:
        raise NotImplementedError("sizes are given as a tensor")
    if like is None:
        like = zeros([g.shape[0], *size, g.shape[-1]] if last else [g.shape[0], g.shape[1], *size], g)
    sizes = dict(zip(("out_w", "out_h", "out_d"), reversed(outer), strict=False))
    return gradient(f"{interp_method}_interp_v2", "X", like, {"X": like, "Out@GRAD": g}, data_layout=data_layout,
                     interp_method=interp_method, **sizes, **attrs)
