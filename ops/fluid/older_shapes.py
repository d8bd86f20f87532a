"""Shapes changed, values repeated, and parts of them, as Paddle 1.x writes it: operators without a 2 at their end."""


from collections.abc import Sequence
from typing import Any

from ..array.expand import _fold_tiles, _tile, fold_tiles_op
from ..array.full import sizes_of
from ..array.gradient_shapes import reshape_to
from ..array.rearrange import flip
from ..array.reshape import (
    _infer_reshape,
    _infer_transpose,
    _infer_unsqueeze,
    _inverse,
    _reshape,
    _squeeze,
    _squeezed,
    _transpose,
    _unsqueeze,
)
from ..core.infer import product
from ..core.operator import Ints, operator
from ..core.spec import Spec
from ..core.trace import apply

# What the types that end in 2 do, without an output for the shape


def _back(g: Any, X_shape: Any) -> Any:
    return reshape_to(g, X_shape)


reshape_op = operator("reshape", "X, Shape?, ShapeTensor*? -> Out~X", kernel=_reshape, infer=_infer_reshape,
                      grad={"X": _back}, moves=True)
transpose_op = operator("transpose", "X -> Out~X", kernel=_transpose, infer=_infer_transpose,
                        grad={"X": lambda g, axis: apply(transpose_op, g, axis=_inverse(axis))}, moves=True,
                        lod="drop")
squeeze_op = operator("squeeze", "X -> Out~X", kernel=_squeeze,
                      infer=lambda x, *, axes=(): Spec(tuple(_squeezed(axes, x.shape)), x.dtype),
                      grad={"X": _back}, moves=True)
unsqueeze_op = operator("unsqueeze", "X, AxesTensor?, AxesTensorList*? -> Out~X", kernel=_unsqueeze,
                        infer=_infer_unsqueeze, grad={"X": _back}, moves=True)


# flatten: to a matrix

def _matrix(sizes: Sequence[int], axis: int) -> tuple[int, int]:
    if not 0 <= axis <= len(sizes):
        raise ValueError(f"flatten(x, axis): must lie in [0, {len(sizes)}] for shape {list(sizes)}. Received {axis}.")
    return product(sizes[:axis]), product(sizes[axis:])


def _flatten(xp, x, *, axis: int = 1):
    return x.reshape(_matrix(x.shape, axis))


def _infer_flatten(x: Any, *, axis: int = 1) -> Spec:
    return Spec(_matrix(x.shape, axis), x.dtype)


flatten_op = operator("flatten", "X -> Out~X", kernel=_flatten, infer=_infer_flatten, grad={"X": _back}, moves=True)
flatten2_op = operator("flatten2", "X -> Out~X, XShape!", kernel=_flatten, infer=_infer_flatten, grad={"X": _back},
                       moves=True)


# expand: laid side by side

def _expand(xp, x, times_tensor=None, times_list=None, *, expand_times: Ints = ()):
    return _tile(xp, x, times_tensor, times_list, repeat_times=expand_times)


def _infer_expand(x, times_tensor=None, times_list=None, *, expand_times=()):
    times = [-1] * x.rank if times_tensor is not None else list(expand_times)
    if times_list and len(times) != len(times_list):
        times = [-1] * len(times_list)
    if len(times) != x.rank:
        raise ValueError(f"expand(x, expand_times): a number for each dimension of x. Received "
                         f"x.shape={list(x.shape)}, expand_times={list(expand_times)}.")
    return Spec(tuple(-1 if size < 0 or n < 0 else size * n for size, n in zip(x.shape, times, strict=True)), x.dtype)


expand_op = operator(
    "expand", "X, ExpandTimes?, expand_times_tensor*? -> Out", kernel=_expand, infer=_infer_expand,
    grad={"X": lambda g, ExpandTimes, expand_times_tensor, expand_times: apply(
        fold_tiles_op, g, ExpandTimes, expand_times_tensor, repeat_times=expand_times, rank=g.ndim)}, moves=True)


def _times(sizes: Sequence[int], wanted: Sequence[int]) -> list[int]:
    if len(sizes) != len(wanted) or any(b % a for a, b in zip(sizes, wanted, strict=True) if a > 0 and b > 0):
        raise ValueError(f"expand_as(x, target_tensor): each size of the target must be a multiple of that of x. "
                         f"Received x.shape={list(sizes)}, target_tensor.shape={list(wanted)}.")
    return [b // a if a > 0 and b > 0 else 1 for a, b in zip(sizes, wanted, strict=True)]


def _expand_as(xp, x, target):
    return xp.tile(x, _times(x.shape, target.shape))


def _infer_expand_as(x, target):
    _times(x.shape, target.shape)
    return Spec(tuple(target.shape), x.dtype)


def _fold_as(xp, g, x):
    return _fold_tiles(xp, g, repeat_times=_times(x.shape, g.shape), rank=x.ndim)


expand_as_op = operator("expand_as", "X, target_tensor -> Out", kernel=_expand_as, infer=_infer_expand_as,
                        grad={"X": lambda g, X: apply(fold_as_op, g, X)}, moves=True, lod="drop")
fold_as_op = operator("fold_as", "G, X -> XGrad", kernel=_fold_as, infer=lambda g, x: Spec(x.shape, g.dtype),
                      grad={"G": lambda g, G: apply(expand_as_op, g, G)}, only_here=True)


# reverse, diag

def _reverse(xp, x, *, axis: Ints):
    return xp.flip(x, tuple(axis))


reverse_op = operator("reverse", "X -> Out~X", kernel=_reverse, infer=lambda x, *, axis: x,
                      grad={"X": lambda g, axis: flip(g, list(axis))}, moves=True, lod="drop")


def _infer_diag(x: Any) -> Spec:
    if x.rank != 1:
        raise ValueError(f"diag(diagonal): must have one dimension. Received shape {list(x.shape)}.")
    return Spec((x.shape[0], x.shape[0]), x.dtype)


diag_op = operator("diag", "Diagonal -> Out", kernel=lambda xp, x: xp.diag(x), infer=_infer_diag, moves=True,
                   lod="drop")


# crop

def _cropped(what: str, sizes: Sequence[int], wanted: Sequence[int], offsets: Sequence[int]) -> list[slice]:
    offsets = list(offsets) or [0] * len(sizes)
    if len(wanted) != len(sizes) or len(offsets) != len(sizes):
        raise ValueError(f"{what}: shape and offsets must have a number for each dimension of x. Received "
                         f"x.shape={list(sizes)}, shape={list(wanted)}, offsets={offsets}.")
    found = []
    for size, want, offset in zip(sizes, wanted, offsets, strict=True):
        count = size - offset if want == -1 else want
        if offset < 0 or offset + count > size:
            raise ValueError(f"{what}: offsets and shape must lie within x. Received x.shape={list(sizes)}, "
                             f"shape={list(wanted)}, offsets={offsets}.")
        found.append(slice(offset, offset + count))
    return found


def _crop(xp, x, y=None, offsets_tensor=None, *, shape: Ints = (), offsets: Ints = ()):
    wanted = shape if y is None else y.shape
    return x[tuple(_cropped("crop(x, shape, offsets)", x.shape, wanted, sizes_of(offsets, offsets_tensor, None)))]


def _crop_by_tensors(xp, x, shape_tensor=None, offsets_tensor=None, shape_list=None, offsets_list=None, *,
                     shape: Ints = (), offsets: Ints = ()):
    wanted = sizes_of(shape, shape_tensor, shape_list)
    starts = sizes_of(offsets, offsets_tensor, offsets_list)
    return x[tuple(_cropped("crop_tensor(x, shape, offsets)", x.shape, wanted, starts))]


def _sizes(x: Any, shape: Sequence[int], offsets: Sequence[int], known: bool) -> Spec:
    if len(shape) != x.rank:
        return Spec((-1,) * x.rank, x.dtype)
    starts = list(offsets) or [0] * x.rank
    return Spec(tuple(n if n >= 0 else x.shape[i] - starts[i] if known and x.shape[i] >= 0 else -1
                      for i, n in enumerate(shape)), x.dtype)


def _uncrop(xp, g, x, offsets_tensor=None, offsets_list=None, *, offsets: Ints = ()):
    starts = sizes_of(offsets, offsets_tensor, offsets_list) or (0,) * x.ndim
    result = xp.zeros(x.shape, g.dtype)
    result[tuple(slice(a, a + n) for a, n in zip(starts, g.shape, strict=True))] = g
    return result


def _crop_like(xp, x, y, offsets_tensor=None, offsets_list=None, *, offsets: Ints = ()):
    return _crop_by_tensors(xp, x, None, offsets_tensor, None, offsets_list, shape=y.shape, offsets=offsets)


uncrop_op = operator("uncrop", "G, X, Offsets?, OffsetsTensor*? -> XGrad", kernel=_uncrop,
                     infer=lambda g, x, *_, **__: Spec(x.shape, g.dtype),
                     grad={"G": lambda g, G, Offsets, OffsetsTensor, offsets: apply(
                         crop_like_op, g, G, Offsets, OffsetsTensor, offsets=offsets)}, moves=True, only_here=True)
crop_like_op = operator(
    "crop_like", "X, Y, Offsets?, OffsetsTensor*? -> Out~X",
    kernel=_crop_like,
    infer=lambda x, y, *_, **__: Spec(y.shape, x.dtype),
    grad={"X": lambda g, X, Offsets, OffsetsTensor, offsets: apply(
        uncrop_op, g, X, Offsets, OffsetsTensor, offsets=offsets)}, moves=True, only_here=True)
crop_op = operator(
    "crop", "X, Y?, Offsets? -> Out~X", kernel=_crop,
    infer=lambda x, y=None, offsets_tensor=None, *, shape=(), offsets=(): _sizes(
        x, shape if y is None else y.shape, offsets, offsets_tensor is None),
    grad={"X": lambda g, X, Offsets, offsets: apply(uncrop_op, g, X, Offsets, None, offsets=offsets)}, moves=True)
crop_tensor_op = operator(
    "crop_tensor", "X, Shape?, Offsets?, ShapeTensor*?, OffsetsTensor*? -> Out~X", kernel=_crop_by_tensors,
    infer=lambda x, s=None, o=None, sl=None, ol=None, *, shape=(), offsets=(): _sizes(
        x, shape if s is None else (), offsets, o is None and not ol and not sl),
    grad={"X": lambda g, X, Offsets, OffsetsTensor, offsets: apply(
        uncrop_op, g, X, Offsets, OffsetsTensor, offsets=offsets)}, moves=True)
