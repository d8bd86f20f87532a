"""Operators that the converter to ONNX has nothing for, taken apart into those that it writes: elements at positions.

As in `onnx_parts.py`. Positions are counted in a value that is laid flat, so that what is put there is one `scatter`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.dtype import DType, bool_, int32, int64
from ..ops.array.concat_split import concat, stack
from ..ops.array.creation import arange, full_like
from ..ops.array.full import constant, full, zeros
from ..ops.array.gather import gather, gather_nd, scatter, scatter_nd_add
from ..ops.array.reshape import reshape, transpose, unsqueeze
from ..ops.array.slices import slice_
from ..ops.array.where import nonzero, where
from ..ops.math.casting import cast
from ..ops.math.extreme_positions import argmax
from ..ops.math.reduce import max as largest
from ..ops.math.reduce import sum
from ..ops.math.unary import abs, exp, log
from ..ops.nn.pool import positions_in_windows
from .onnx_parts import apart, as_large, chosen, part, reshaped, sizes_of

_LAST = 2**31 - 1  # beyond every value, which is cut to its size


def _numbers(size: Any, dtype: DType = int64) -> Any:
    """0, 1, 2 … up to a size."""
    if isinstance(size, int):
        return constant(np.arange(size, dtype=dtype.dtype))
    return cast(arange(0, cast(size, int64), 1, int64), dtype)


def _product(sizes: Sequence[Any]) -> Any:
    result: Any = 1
    for size in sizes:
        result = size * result if isinstance(result, int) else result * size
    return result


def _long(size: Any) -> Any:
    return size if isinstance(size, int) else cast(size, int64)


def _put(x: Any, places: Any, values: Any, added: bool, count: int = 0) -> Any:
    """x with values at places, counted in its first `count` dimensions (all of them for 0) as if they were one."""
    sizes = sizes_of(x)
    count = count or len(sizes)
    whole = cast(x, int32) if x.dtype == bool_ else x
    flat = reshaped(whole, [-1, *sizes[count:]])
    values = reshaped(cast(values, whole.dtype), [-1, *sizes[count:]])
    places = reshape(places, [-1])
    if added:
        found = scatter_nd_add(flat, unsqueeze(places, [1]), values)
    else:
        found = scatter(flat, places, values)
    return cast(reshaped(found, sizes), x.dtype) if x.dtype == bool_ else reshaped(found, sizes)


def _counted(places: Any, size: Any) -> Any:
    """Positions from the beginning."""
    places = cast(places, int64)
    return where(places < 0, places + _long(size), places)


@part("masked_select", "X, Mask -> Y")
def _masked_select(x: Any, mask: Any) -> Any:
    if tuple(x.shape) != tuple(mask.shape) or -1 in x.shape:
        x, mask = as_large(x, mask), as_large(mask, x)
    return gather_nd(x, nonzero(mask))


@part("index_put", "x, indices*, value -> out")
def _index_put(x: Any, indices: list, value: Any, *, accumulate: bool = False) -> Any:
    if len(indices) == 1 and indices[0].dtype == bool_ and not accumulate and _is_one(value):
        mask = indices[0]
        mask = reshaped(mask, [*sizes_of(mask), *[1] * (len(x.shape) - len(mask.shape))])
        return chosen(mask, full_like(x, 1, int32) * cast(reshape(value, [1]), int32) > 0 if x.dtype == bool_ else
                      as_large(reshape(value, [1]), x), x)
    columns: list = []
    for index in indices:
        if index.dtype == bool_:
            found = nonzero(index)
            columns += [found[:, axis] for axis in range(len(index.shape))]
        else:
            columns.append(index)
    sizes = sizes_of(x)
    places: Any = None
    for column, size in zip(columns, sizes, strict=False):
        column = _counted(column, size)
        places = column if places is None else places * _long(size) + column
    count = len(columns)
    rows = gather(reshaped(cast(x, int32) if x.dtype == bool_ else x, [-1, *sizes[count:]]), reshape(places, [-1]))
    rows = reshaped(rows, [*sizes_of(places), *sizes[count:]])
    return _put(x, places, as_large(cast(value, rows.dtype), rows), accumulate, count)


def _is_one(value: Any) -> bool:
    return all(size == 1 for size in value.shape)


@part("put_along_axis", "Input, Index, Value -> Result")
def _put_along_axis(x: Any, index: Any, value: Any, *, Axis: int = 0, Reduce: str = "assign",
                    Include_self: bool = True) -> Any:
    if Reduce not in ("assign", "add") or not Include_self:
        raise NotImplementedError(f"reduce={Reduce!r} with include_self={Include_self} is not written, only 'assign' "
                                  "and 'add' with what was there.")
    sizes, rank = sizes_of(x), len(x.shape)
    places: Any = None
    for axis, size in enumerate(sizes):
        own = sizes_of(index)[axis]
        column = _counted(index, size) if axis == Axis % rank else reshape(
            _numbers(own), [-1 if n == axis else 1 for n in range(rank)])
        places = column if places is None else places * _long(size) + column
    return _put(x, places, as_large(value, index), Reduce == "add")


@part("index_add", "X, Index, AddValue -> Out")
def _index_add(x: Any, index: Any, added: Any, *, axis: int = 0) -> Any:
    axis %= len(x.shape)
    order = [axis, *[n for n in range(len(x.shape)) if n != axis]]
    back = [order.index(n) for n in range(len(order))]
    index = _counted(index, sizes_of(x)[axis])
    return transpose(scatter_nd_add(transpose(x, order), unsqueeze(index, [1]), transpose(added, order)), back)


@part("max_pool3d_with_index", "X -> Out, Mask")
@part("max_pool2d_with_index", "X -> Out, Mask")
def _max_with_positions(x: Any, *, ksize: Sequence[int], strides: Sequence[int] = (), paddings: Sequence[int] = (),
                        global_pooling: bool = False, adaptive: bool = False, ceil_mode: bool = False) -> tuple:
    """Which positions each window looks at follows from the sizes."""
    sizes = x.shape[2:]
    if min(sizes) < 0:
        raise NotImplementedError("maxima with their positions need an image of known size. Received a shape of "
                                  f"{list(x.shape)}.")
    table = positions_in_windows(sizes, ksize=ksize, strides=strides, paddings=paddings, global_pooling=global_pooling,
                                 adaptive=adaptive, ceil_mode=ceil_mode).astype(np.int64)
    outer, (count, longest) = [*sizes_of(x)[:2]], (table[..., 0].size, table.shape[-1])
    places = constant(table.reshape(-1))
    flat = reshaped(x, [*outer, int(np.prod(sizes))])
    windows = reshaped(gather(flat, places, axis=2), [*outer, count, longest])
    chosen_ones = gather(places, reshape(argmax(windows, 3) + constant(np.arange(count) * longest), [-1]))
    return (reshaped(largest(windows, [3]), [*outer, *table.shape[:-1]]),
            cast(reshaped(chosen_ones, [*outer, *table.shape[:-1]]), int32))


@part("unpool", "X, Indices -> Out")
def _unpool(x: Any, indices: Any, *, ksize: Sequence[int], strides: Sequence[int] = (), paddings: Sequence[int] = (),
            output_size: Sequence[int] = ()) -> Any:
    inner = list(output_size)[-2:] or [
        (size - 1) * stride - 2 * pad + kernel for size, kernel, stride, pad in zip(
            x.shape[2:], ksize, list(strides) or ksize, list(paddings) or [0, 0], strict=True)]
    if min(*x.shape[2:], *inner) < 0:
        raise NotImplementedError(f"the size of the image must be known. Received a shape of {list(x.shape)}.")
    batch, channels = sizes_of(x)[:2]
    images = reshaped(_numbers(_product([batch, channels])), [*sizes_of(x)[:2], 1, 1])
    places = images * (inner[0] * inner[1]) + cast(indices, int64)
    return _put(zeros([batch, channels, *inner], x.dtype), places, x, False)


@part("fold", "X -> Y")
def _fold(x: Any, *, output_sizes: Sequence[int], kernel_sizes: Sequence[int], strides: Sequence[int],
          paddings: Sequence[int], dilations: Sequence[int]) -> Any:
    """Where each element goes follows from the sizes; what lies in the padding goes into a row that is cut off."""
    top, left, bottom, right = [*paddings, *paddings] if len(paddings) == 2 else paddings
    height, width = output_sizes
    steps = [(size + before + behind - dilation * (kernel - 1) - 1) // stride + 1 for
             size, before, behind, kernel, stride, dilation in zip(
                 output_sizes, (top, left), (bottom, right), kernel_sizes, strides, dilations, strict=True)]
    at = np.indices((*kernel_sizes, *steps))
    rows, columns = (at[n] * dilations[n] + at[n + 2] * strides[n] - (top, left)[n] for n in (0, 1))
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    places = np.where(inside, rows * width + columns, height * width).reshape(-1, 1).astype(np.int64)
    batch = sizes_of(x)[0]
    channels = x.shape[1] // int(np.prod(kernel_sizes))
    given = transpose(reshaped(x, [batch, channels, len(places)]), [2, 0, 1])
    found = scatter_nd_add(zeros([height * width + 1, batch, channels], x.dtype), constant(places), given)
    return reshaped(transpose(found[:-1], [1, 2, 0]), [batch, channels, height, width])


@part("diagonal", "Input -> Out")
def _diagonal(x: Any, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    rank = len(x.shape)
    axis1, axis2 = axis1 % rank, axis2 % rank
    x = transpose(x, [*[axis for axis in range(rank) if axis not in (axis1, axis2)], axis1, axis2])
    *lead, rows, columns = sizes_of(x)
    if not (isinstance(rows, int) and isinstance(columns, int)):
        raise NotImplementedError(f"the sizes of the matrices must be known. Received a shape of {list(x.shape)}.")
    places = np.arange(rows * columns, dtype=np.int64).reshape(rows, columns).diagonal(offset).copy()
    return gather(reshaped(x, [*lead, rows * columns]), constant(places), len(lead))


@part("trace", "Input -> Out")
def _trace(x: Any, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    return sum(_diagonal(x, offset=offset, axis1=axis1, axis2=axis2), -1)


@part("diag_v2", "X -> Out")
def _diag(x: Any, *, offset: int = 0, padding_value: float = 0.0) -> Any:
    if len(x.shape) > 1:
        return _diagonal(x, offset=offset)
    return _on_diagonal(x, offset, padding_value)


@part("diag", "Diagonal -> Out")
def _older_diag(x: Any) -> Any:
    return _on_diagonal(x, 0, 0.0)


@part("diag_embed", "Input -> Out")
def _diag_embed(x: Any, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    found = _on_diagonal(x, offset, 0.0)
    rank = len(found.shape)
    axes = [axis for axis in range(rank) if axis not in (dim1 % rank, dim2 % rank)] + [dim1 % rank, dim2 % rank]
    return transpose(found, [axes.index(axis) for axis in range(rank)])


def _on_diagonal(x: Any, offset: int, filling: float) -> Any:
    """Matrices with the last dimension of x on a diagonal."""
    *lead, size = sizes_of(x)
    if offset:
        x = concat([zeros([*lead, max(offset, -offset)], x.dtype), x], -1)
    numbers = _numbers(size + max(offset, -offset))
    behind = reshape(numbers, [1, -1]) - reshape(numbers, [-1, 1])
    along = unsqueeze(x, [-2 if offset >= 0 else -1])
    inside = as_large(behind == offset, along) if lead else behind == offset
    return where(inside, as_large(along, cast(behind, x.dtype)), full_like(cast(inside, x.dtype), filling))


@part("kron", "X, Y -> Out")
def _kron(x: Any, y: Any) -> Any:
    rank = max(len(x.shape), len(y.shape))
    x, y = (reshaped(one, [*[1] * (rank - len(one.shape)), *sizes_of(one)]) for one in (x, y))
    found = unsqueeze(x, list(range(1, 2 * rank, 2))) * unsqueeze(y, list(range(0, 2 * rank, 2)))
    return reshaped(found, [m * n for m, n in zip(sizes_of(x), sizes_of(y), strict=True)])


@part("cumprod", "X -> Out")
def _cumprod(x: Any, *, dim: int) -> Any:
    """Products of the 2, 4, 8 … elements up to each."""
    dim %= len(x.shape)
    size, width = x.shape[dim], 1
    if size < 0:
        raise NotImplementedError(f"the size along dim={dim} must be known. Received a shape of {list(x.shape)}.")
    while width < size:
        first, last = x.split([width, size - width], dim)
        begun = x.split([size - width, width], dim)[0]
        x = concat([first, last * begun], dim)
        width *= 2
    return x


@part("searchsorted", "SortedSequence, Values -> Out")
def _searchsorted(ordered: Any, values: Any, *, out_int32: bool = False, right: bool = False) -> Any:
    if len(ordered.shape) > 1:
        ordered = unsqueeze(ordered, [-2])
    values = unsqueeze(values, [-1])
    below = ordered <= values if right else ordered < values
    return sum(cast(below, int32 if out_int32 else int64), -1)


@part("bincount", "X, Weights? -> Out")
def _bincount(x: Any, weights: Any, *, minlength: int = 0) -> Any:
    x = cast(x, int64)
    most = largest(concat([x + 1, full([1], minlength, int64)]))
    hit = reshape(x, [-1, 1]) == reshape(_numbers(reshape(most, [])), [1, -1])
    if weights is None:
        return cast(sum(cast(hit, int64), 0), x.dtype)
    return sum(cast(hit, weights.dtype) * reshape(weights, [-1, 1]), 0)


@part("sequence_mask", "X, MaxLenTensor? -> Y")
def _sequence_mask(x: Any, longest: Any, *, maxlen: int = -1, out_dtype: DType = int64) -> Any:
    if longest is not None:
        size: Any = reshape(longest, [])
    else:
        size = maxlen if maxlen > 0 else largest(x)
    return cast(_numbers(size) < unsqueeze(cast(x, int64), [-1]), out_dtype)


@part("channel_shuffle", "X -> Out")
def _channel_shuffle(x: Any, *, groups: int = 1, data_format: str = "NCHW") -> Any:
    axis = 1 if data_format == "NCHW" else 3
    divided = apart(x, axis, [groups, -1])
    order = list(range(5))
    order[axis], order[axis + 1] = axis + 1, axis
    return reshaped(transpose(divided, order), sizes_of(x))


@part("shuffle_channel", "X -> Out")
def _shuffle_channel(x: Any, *, group: int = 1) -> Any:
    return _channel_shuffle(x, groups=group)


@part("pixel_unshuffle", "X -> Out")
def _pixel_unshuffle(x: Any, *, downscale_factor: int = 1, data_format: str = "NCHW") -> Any:
    if data_format == "NHWC":
        return transpose(_blocks(transpose(x, [0, 3, 1, 2]), downscale_factor, [0, 1, 3, 5, 2, 4]), [0, 2, 3, 1])
    return _blocks(x, downscale_factor, [0, 1, 3, 5, 2, 4])


@part("space_to_depth", "X -> Out")
def _space_to_depth(x: Any, *, blocksize: int) -> Any:
    return _blocks(x, blocksize, [0, 3, 5, 1, 2, 4])


def _blocks(x: Any, size: int, order: list[int]) -> Any:
    """The elements of blocks of an image as channels."""
    batch, channels, *inner = sizes_of(x)
    outer = [one // size for one in inner]
    divided = reshaped(x, [batch, channels, outer[0], size, outer[1], size])
    return reshaped(transpose(divided, order), [batch, x.shape[1] * size * size, *outer])


@part("pad3d", "X -> Out")
def _circular(x: Any, *, paddings: Sequence[int], mode: str, data_format: str = "NCDHW") -> Any:
    """Of values that go on at the other end alone."""
    first = 2 if data_format == "NCDHW" else 1
    for number, axis in enumerate(range(first + 2, first - 1, -1)):
        before, behind = paddings[2 * number:2 * number + 2]
        ends = [slice_(x, [axis], [-before], [_LAST])] if before else []
        begins = [slice_(x, [axis], [0], [behind])] if behind else []
        x = concat([*ends, x, *begins], axis)
    return x


@part("affine_grid", "Theta, OutputShape? -> Output")
def _affine_grid(theta: Any, given: Any, *, align_corners: bool = True, output_shape: Sequence[int] = ()) -> Any:
    if given is not None or min(output_shape, default=-1) < 0:
        raise NotImplementedError("the size of the grid must be known: give out_shape= as numbers.")
    inner = list(output_shape)[2:]
    along = [(np.linspace(-1, 1, size) if align_corners else (np.arange(size) * 2 + 1) / size - 1) for size in inner]
    base = np.stack([*np.meshgrid(*along, indexing="ij")[::-1], np.ones(inner)], -1).reshape(-1, len(inner) + 1)
    points = constant(base.astype(theta.dtype.dtype))
    return reshaped(points.matmul(transpose(theta, [0, 2, 1])), [sizes_of(theta)[0], *inner, len(inner)])


@part("box_coder", "PriorBox, PriorBoxVar?, TargetBox -> OutputBox")
def _box_coder(prior: Any, spread: Any, target: Any, *, code_type: str = "encode_center_size",
               box_normalized: bool = True, axis: int = 0, variance: Sequence[float] = ()) -> Any:
    one = 0.0 if box_normalized else 1.0
    width, height = prior[:, 2] - prior[:, 0] + one, prior[:, 3] - prior[:, 1] + one
    left, top = prior[:, 0] + width * 0.5, prior[:, 1] + height * 0.5
    factors = list(variance) or ([1.0] * 4 if spread is None else [spread[:, n] for n in range(4)])
    if code_type == "encode_center_size":
        sizes = [target[:, 2] - target[:, 0] + one, target[:, 3] - target[:, 1] + one]
        middle = [(target[:, n] + target[:, n + 2]) * 0.5 for n in (0, 1)]
        found = [(unsqueeze(middle[0], [1]) - left) / width, (unsqueeze(middle[1], [1]) - top) / height,
                 *[log(abs(unsqueeze(size, [1]) / by)) for size, by in zip(sizes, (width, height), strict=True)]]
        return stack([value / factor for value, factor in zip(found, factors, strict=True)], -1)
    width, height, left, top = (unsqueeze(value, [axis]) for value in (width, height, left, top))
    factors = [factor if isinstance(factor, float) else unsqueeze(factor, [axis]) for factor in factors]
    x, y, w, h = (target[:, :, n] * factor for n, factor in enumerate(factors))
    half = [exp(w) * width * 0.5, exp(h) * height * 0.5]
    middle = [x * width + left, y * height + top]
    return stack([middle[0] - half[0], middle[1] - half[1], middle[0] + half[0] - one, middle[1] + half[1] - one], -1)
