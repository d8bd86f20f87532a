"""Shapes and places of elements: reshape, transpose, split, stack, expand, slice, gather, scatter, crop, pad."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.dtype import convert_dtype
from ...ops.array.full import is_value
from ...static.ir.variable import Variable
from ..layer_helper import LayerHelper, need_format
from ..mode import face
from .tensor import assign, concat, zeros


@face
def reshape(x: Any, shape: Any, actual_shape: Any = None, act: str | None = None, inplace: bool = False,
            name: str | None = None) -> Any:
    """act(x in another shape): 0 copies a size, -1 is inferred. `actual_shape`: a tensor that is the shape in a run.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program()):
    ...     fluid.layers.reshape(fluid.data("x", [None, 4]), [0, 2, 2]).shape
    (-1, 2, 2)
    """
    helper = LayerHelper("reshape2", name=name)
    sizes, tensor, parts = helper.sizes(shape)
    if actual_shape is not None and parts is None:
        tensor = actual_shape
    made = helper.apply("reshape2", x, tensor, parts, shape=list(sizes))
    if tensor is actual_shape and -1 not in sizes[1:] and isinstance(actual_shape, Variable):
        made.shape = tuple(sizes)
    return helper.activated(made, act)


@face
def transpose(x: Any, perm: Sequence[int], name: str | None = None) -> Any:
    """x with its dimensions in the order `perm`.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     fluid.layers.transpose(fluid.data("x", [None, 3, 4]), [0, 2, 1]).shape
    (-1, 4, 3)
    """
    return LayerHelper("transpose", name=name).apply("transpose2", x, axis=list(perm))


@face
def squeeze(input: Any, axes: Sequence[int], name: str | None = None) -> Any:
    """Without the dimensions `axes` of size 1, or without all of that size.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     fluid.layers.squeeze(fluid.data("x", [None, 1, 4]), [1]).shape
    (-1, 4)
    """
    return LayerHelper("squeeze", name=name).apply("squeeze2", input, axes=list(axes or []))


@face
def unsqueeze(input: Any, axes: Any, name: str | None = None) -> Any:
    """With a dimension of size 1 at each of `axes`."""
    helper = LayerHelper("unsqueeze2", name=name)
    numbers, tensor, parts = helper.sizes(axes)
    return helper.apply("unsqueeze2", input, tensor, parts, axes=list(numbers))


@face
def flatten(x: Any, axis: int = 1, name: str | None = None) -> Any:
    """A matrix: the dimensions before `axis` are its rows, the others its columns."""
    return LayerHelper("flatten", name=name).apply("flatten2", x, axis=axis)


@face
def split(input: Any, num_or_sections: Any, dim: Any = -1, name: str | None = None) -> Any:
    """A list of pieces along a dimension: so many, or of these sizes."""
    helper = LayerHelper("split", name=name)
    tensor, axis = (dim, 0) if is_value(dim) else (None, dim + len(input.shape) if dim < 0 else dim)
    if isinstance(num_or_sections, int):
        return list(helper.apply("split", input, tensor, None, num=num_or_sections, sections=[], axis=axis))
    sizes, _, parts = helper.sizes(list(num_or_sections))
    return list(helper.apply("split", input, tensor, parts, num=0, sections=list(sizes), axis=axis))


@face
def stack(x: Any, axis: int = 0) -> Any:
    """Several values of one shape along a new dimension."""
    given = list(x) if isinstance(x, (list, tuple)) else [x]
    if getattr(given[0], "kind", "tensor") == "array":
        return LayerHelper("stack").apply("tensor_array_to_tensor", given[0], axis=axis or 0, use_stack=True)[0]
    return LayerHelper("stack").apply("stack", given, axis=axis or 0)


@face
def unstack(x: Any, axis: int = 0, num: int | None = None) -> Any:
    """A list of the slices along a dimension."""
    return list(LayerHelper("unstack").apply("unstack", x, axis=axis, num=x.shape[axis] if num is None else num))


@face
def expand(x: Any, expand_times: Any, name: str | None = None) -> Any:
    """x laid side by side `expand_times[i]` times along each dimension i."""
    helper = LayerHelper("expand", name=name)
    times, tensor, parts = helper.sizes(expand_times)
    return helper.apply("expand", x, tensor, parts, expand_times=list(times))


@face
def expand_as(x: Any, target_tensor: Any, name: str | None = None) -> Any:
    """x laid side by side till it has the shape of `target_tensor`."""
    return LayerHelper("expand_as", name=name).apply("expand_as", x, target_tensor)


def _flags(count: int, *given: Any) -> list[int]:
    """1 for each axis whose bounds are known while the Program is written, -1 for others."""
    flags = [1] * count
    for values in given:
        for n in range(count):
            if is_value(values) or is_value(values[n]):
                flags[n] = -1
    return flags


@face
def slice(input: Any, axes: Sequence[int], starts: Any, ends: Any) -> Any:
    """The elements from starts[i] up to ends[i] along each axes[i].

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     fluid.layers.slice(fluid.data("x", [5, 4]), axes=[0, 1], starts=[1, -2], ends=[3, 4]).shape
    (2, 2)
    """
    helper = LayerHelper("slice")
    first, first_tensor, first_parts = helper.sizes(starts)
    last, last_tensor, last_parts = helper.sizes(ends)
    return helper.apply("slice", input, first_tensor, last_tensor, first_parts, last_parts,
                                      axes=list(axes), starts=first, ends=last,
                                      infer_flags=_flags(len(axes), starts, ends))


@face
def strided_slice(input: Any, axes: Sequence[int], starts: Any, ends: Any, strides: Any) -> Any:
    """As `slice`, each strides[i]-th element."""
    helper = LayerHelper("strided_slice")
    first, first_tensor, first_parts = helper.sizes(starts)
    last, last_tensor, last_parts = helper.sizes(ends)
    step, step_tensor, step_parts = helper.sizes(strides)
    return helper.apply(
        "strided_slice", input, first_tensor, first_parts, last_tensor, last_parts, step_tensor, step_parts,
        axes=list(axes), starts=first, ends=last, strides=step,
        infer_flags=_flags(len(axes), starts, ends, strides))


@face
def shape(input: Any) -> Any:
    """The sizes, int32."""
    return LayerHelper("shape").apply("shape", input)


@face
def rank(input: Any) -> Any:
    """The number of dimensions, int32."""
    import numpy as np

    return assign(np.array(len(input.shape), "int32"))


@face
def size(input: Any) -> Any:
    """The number of elements, int64."""
    return LayerHelper("size").apply("size", input)


@face
def gather(input: Any, index: Any, overwrite: bool = True) -> Any:
    """The rows of these numbers."""
    return LayerHelper("gather").apply("gather", input, index, None, overwrite=overwrite)


@face
def gather_nd(input: Any, index: Any, name: str | None = None) -> Any:
    """The elements, or slices, that the last dimension of `index` names."""
    return LayerHelper("gather_nd", name=name).apply("gather_nd", input, index)


@face
def scatter(input: Any, index: Any, updates: Any, name: str | None = None, overwrite: bool = True) -> Any:
    """`input` with rows of `updates` in place of those of these numbers, or added to zeros there."""
    return LayerHelper("scatter", name=name).apply("scatter", input, index, updates, overwrite=overwrite)


@face
def scatter_nd_add(ref: Any, index: Any, updates: Any, name: str | None = None) -> Any:
    """`ref` with `updates` added at the places that the last dimension of `index` names."""
    return LayerHelper("scatter_nd_add", name=name).apply("scatter_nd_add", ref, index, updates)


@face
def scatter_nd(index: Any, updates: Any, shape: Sequence[int], name: str | None = None) -> Any:
    """As `scatter_nd_add`, to zeros of a shape."""
    return scatter_nd_add(zeros(shape, updates.dtype), index, updates, name)


@face
def multiplex(inputs: Sequence[Any], index: Any) -> Any:
    """Row i of the input that index[i] names."""
    return LayerHelper("multiplex").apply("multiplex", list(inputs), index)


@face
def index_select(input: Any, index: Any, dim: int = 0) -> Any:
    """The slices of these numbers along a dimension."""
    return LayerHelper("index_select").apply("index_select", input, index, dim=dim)


@face
def index_sample(x: Any, index: Any) -> Any:
    """Of each row of x the elements that the same row of `index` names."""
    return LayerHelper("index_sample").apply("index_sample", x, index)


@face
def where(condition: Any) -> Any:
    """The places, a row of numbers each, where a condition holds."""
    return LayerHelper("where_index").apply("where_index", condition)


@face
def nonzero(input: Any, as_tuple: bool = False) -> Any:
    """As `where`; with `as_tuple` a column of numbers for each dimension."""
    found, dims = where(input), len(input.shape)
    if not as_tuple:
        return found
    return (found,) if dims == 1 else tuple(slice(found, [1], [n], [n + 1]) for n in range(dims))


@face
def crop(x: Any, shape: Any = None, offsets: Any = None, name: str | None = None) -> Any:
    """The part of x of a shape, or of a value's shape, that begins at `offsets`."""
    like, sizes = (shape, []) if is_value(shape) else (None, list(shape or []))
    tensor, starts = (offsets, []) if is_value(offsets) else (None, list(offsets or [0] * len(x.shape)))
    return LayerHelper("crop", name=name).apply("crop", x, like, tensor, shape=sizes, offsets=starts)


@face
def crop_tensor(x: Any, shape: Any = None, offsets: Any = None, name: str | None = None) -> Any:
    """As `crop`; shape and offsets may hold tensors, and -1 takes all that is left."""
    helper = LayerHelper("crop_tensor", name=name)
    sizes, size_tensor, size_parts = helper.sizes(shape)
    starts, start_tensor, start_parts = helper.sizes([0] * len(x.shape) if offsets is None else offsets)
    return helper.apply(
        "crop_tensor", x, size_tensor, start_tensor, size_parts, start_parts, shape=list(sizes), offsets=list(starts))


@face
def pad(x: Any, paddings: Sequence[int], pad_value: float = 0.0, name: str | None = None) -> Any:
    """x with so many values before and behind each dimension, the first one first."""
    return LayerHelper("pad", name=name).apply("pad", x, paddings=list(paddings), pad_value=float(pad_value))


@face
def pad_constant_like(x: Any, y: Any, pad_value: float = 0.0, name: str | None = None) -> Any:
    """y with values behind each dimension till it has the shape of x."""
    return LayerHelper("pad_constant_like", name=name).apply("pad_constant_like", x, y, pad_value=float(pad_value))


@face
def pad2d(input: Any, paddings: Any = (0, 0, 0, 0), mode: str = "constant", pad_value: float = 0.0,
          data_format: str = "NCHW", name: str | None = None) -> Any:
    """Images with so many rows above and below and columns left and right: constant, "reflect"ed or of the "edge"."""
    need_format("pad2d(data_format)", data_format, 2)
    tensor, widths = (paddings, []) if is_value(paddings) else (None, list(paddings))
    return LayerHelper("pad2d", name=name).apply("pad2d", input, tensor, paddings=widths, mode=mode,
                                                 pad_value=float(pad_value), data_format=data_format)


@face
def shard_index(input: Any, index_num: int, nshards: int, shard_id: int, ignore_value: int = -1) -> Any:
    """Numbers within one of several shards, `ignore_value` for those of others."""
    if not 0 <= shard_id < nshards:
        raise ValueError(f"shard_index(shard_id): must lie in [0, {nshards}). Received {shard_id}.")
    return LayerHelper("shard_index").apply("shard_index", input, index_num=index_num, nshards=nshards,
                                            shard_id=shard_id, ignore_value=ignore_value)


@face
def gather_tree(ids: Any, parents: Any) -> Any:
    """The sequences of a beam search, back from its last step."""
    return LayerHelper("gather_tree").apply("gather_tree", ids, parents)


@face
def unique(x: Any, dtype: Any = "int32") -> Any:
    """The different values in the order in which they come first, and for each element its place among them."""
    values, index, _ = LayerHelper("unique").apply("unique_with_counts", x, dtype=convert_dtype(dtype))
    return values, index


@face
def unique_with_counts(x: Any, dtype: Any = "int32") -> Any:
    """As `unique`, and how often each occurs."""
    return LayerHelper("unique_with_counts").apply("unique_with_counts", x, dtype=convert_dtype(dtype))


@face
def roll(input: Any, shifts: Any, dims: Any = None) -> Any:
    """x with its elements moved along dimensions, those that leave coming back at the other end."""
    moved = [shifts] if isinstance(shifts, int) else list(shifts)
    return LayerHelper("roll").apply("roll", input, None, shifts=moved,
                                     axis=[] if dims is None else [dims] if isinstance(dims, int) else list(dims))


@face
def flip(input: Any, dims: Any, name: str | None = None) -> Any:
    """x in reverse along dimensions."""
    return LayerHelper("flip", name=name).apply("flip", input, axis=[dims] if isinstance(dims, int) else list(dims))


@face
def meshgrid(input: Any, name: str | None = None) -> Any:
    """Coordinates: each value along a dimension of its own."""
    return list(LayerHelper("meshgrid", name=name).apply("meshgrid", list(input)))


@face
def diag_embed(input: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Matrices with the last dimension on a diagonal."""
    return LayerHelper("diag_embed").apply("diag_embed", input, offset=offset, dim1=dim1, dim2=dim2)


__all__ = ["concat", "crop", "crop_tensor", "diag_embed", "expand", "expand_as", "flatten", "flip", "gather",
           "gather_nd", "gather_tree", "index_sample", "index_select", "meshgrid", "multiplex", "nonzero", "pad",
           "pad2d", "pad_constant_like", "rank", "reshape", "roll", "scatter", "scatter_nd", "scatter_nd_add",
           "shape", "shard_index", "size", "slice", "split", "squeeze", "stack", "strided_slice", "transpose",
           "unique", "unique_with_counts", "unsqueeze", "unstack", "where"]
