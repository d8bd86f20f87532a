"""Values joined and taken apart: concat, stack, split, chunk, unbind, unstack, meshgrid, broadcast_tensors."""


import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend.engines import LOOPS
from ...backend.kernels import copying as fast
from ...core import dtype as dt
from ...core.errors import no_list
from ..core.infer import broadcast_shapes, normalize_axis
from ..core.kernels import by
from ..core.operator import Ints, find, operator
from ..core.spec import Spec
from ..core.trace import apply, current_trace
from ..math.casting import cast
from ..program.tensor_arrays import array_in, joined
from .full import constant, is_value, shape_inputs, value_of, whole
from .gradient_shapes import sum_to
from .reshape import axis_of, reshape
from .slices import slice_op


def _values(what: str, x: Any, drops_empty: bool = False) -> list:
    """The tensors of a list, brought to one dtype, if `drops_empty` to that of those with elements."""
    if type(x) is list and len(x) == 2:  # most of all lists
        one, other = x
        if is_value(one) and is_value(other) and one.dtype is other.dtype:
            return x
    if is_value(x):
        if not drops_empty or current_trace().computes:  # in a Program Paddle's concat takes one
            raise no_list(what, x)
        return [x]
    values = [v if is_value(v) else constant(v) for v in x]
    if not values:
        raise ValueError(f"{what}: at least one tensor is needed. Received an empty list.")
    dtypes = [v.dtype for v in values]
    if dtypes.count(dtypes[0]) == len(dtypes):
        return values
    if drops_empty:
        values = _with_elements(values) or values
        dtypes = [v.dtype for v in values]
    dtype = functools.reduce(dt.promote, dtypes)
    return [v if v.dtype is dtype else cast(v, dtype) for v in values]


def _with_elements(values: list) -> list:
    return [v for v in values if 0 not in v.shape]


def _rest(shape: Sequence[int], axis: int) -> tuple[int, ...]:
    return (*shape[:axis], *shape[axis + 1:])


def _merged(what: str, shapes: list[Sequence[int]], parts: list[Sequence[int]] | None = None) -> list[int]:
    """The common sizes of shapes, or of parts of them, that must agree, -1 agreeing with any."""
    parts = shapes if parts is None else parts
    result = list(parts[0])
    for shape in parts[1:]:
        fits = len(shape) == len(result) and all(
            a == b or -1 in (a, b) for a, b in zip(shape, result, strict=True))
        if not fits:
            raise ValueError(f"{what}. Received shapes {', '.join(str(list(s)) for s in shapes)}.")
        result = [b if a == -1 else a for a, b in zip(shape, result, strict=True)]
    return result


# concat, split

def _concat(xp, x, axis_tensor=None, *, axis: int = 0):
    return xp.concatenate(x, axis if axis_tensor is None else int(axis_tensor.item()))


def _infer_concat(x, axis_tensor=None, *, axis=0):
    if axis_tensor is not None:
        return Spec((-1,) * x[0].rank, x[0].dtype)
    if any(s.rank == 0 for s in x):
        raise ValueError("concat(x, axis): 0-d tensors have no dimension to be joined along; use stack(x).")
    what = "concat(x, axis): the sizes must agree in every dimension but axis"
    axis = normalize_axis("concat(x, axis)", axis, x[0].rank)
    ranks = {s.rank for s in x}
    if len(ranks) > 1:
        raise ValueError(f"{what}. Received shapes {', '.join(str(list(s.shape)) for s in x)}.")
    rest = _merged(what, [s.shape for s in x], [_rest(s.shape, axis) for s in x])
    along = [s.shape[axis] for s in x]
    rest.insert(axis, -1 if -1 in along else sum(along))
    return Spec(tuple(rest), x[0].dtype)


def _sections(shapes: list, axis: int) -> tuple[list[int], list]:
    """The sizes along an axis of shape handles, -1 where not known, and the values that will have them."""
    sizes = [s[axis] if type(s) is tuple else s.shape[axis] for s in shapes]
    return sizes, [s for s, size in zip(shapes, sizes, strict=True) if size == -1]


def _sizes_along(shapes: list, axis_tensor: Any) -> list:
    """The sizes along an axis that only a run knows."""
    sizes = [constant(np.array(s, "int64")) if type(s) is tuple else apply(find("shape"), s) for s in shapes]
    return [apply(find("gather"), s, axis_tensor, None, axis=0) for s in sizes]


def _concat_gradient(g: Any, shapes: list, axis_tensor: Any, axis: int) -> Any:
    if is_value(axis_tensor) and not current_trace().computes:
        parts = _sizes_along(shapes, axis_tensor)
        return apply(split_op, g, axis_tensor, parts, sections=[-1] * len(parts), num=0, axis=0)
    if axis_tensor is not None:
        axis = int(axis_tensor if is_value(axis_tensor) else axis_tensor.item())  # arrays may be of shape [1]
    sizes, unknown = _sections(shapes, axis)
    if len(unknown) > 1:
        return apply(split_like_op, g, unknown, sections=sizes, axis=axis)
    return apply(split_op, g, None, None, sections=sizes, num=0, axis=axis)


def _concat_by_loops(x, axis_tensor=None, *, axis=0):
    return fast.joined(x, axis, False) if axis_tensor is None else NotImplemented


concat_op = operator("concat", "X*, AxisTensor? -> Out", kernel=_concat, infer=_infer_concat,
                     engines=[by(LOOPS, _concat_by_loops)],
                     grad={"X": lambda g, X_shape, AxisTensor, axis: _concat_gradient(g, X_shape, AxisTensor, axis)},
                     moves=True, compiled="concat", lod="joined")


def concat(x: Any, axis: Any = 0, name: str | None = None) -> Any:
    """Several tensors one behind the other along `axis`; their other sizes must agree, but those of empty ones.

    So loops may begin with `to_tensor([])`: beside others an empty tensor counts for nothing, nor does its dtype.

    >>> import proa as paddle
    >>> paddle.concat([paddle.to_tensor([1, 2]), paddle.to_tensor([3])]).tolist()
    [1, 2, 3]
    """
    try:
        return _concatenated(x, axis)
    except (ValueError, IndexError):
        values = list(x) if isinstance(x, (list, tuple)) and all(map(is_value, x)) else []
        rest = _with_elements(values)
        if len(rest) in (0, len(values)):
            raise
    return _concatenated(rest, axis)


def _concatenated(x: Any, axis: Any) -> Any:
    if type(axis) is int and type(x) is list and len(x) > 1:
        return apply(concat_op, _values("concat(x, axis)", x, True), None, axis=axis)
    array = array_in(x)
    if array is not None:
        return joined(array, whole(axis), False)
    tensor = axis if is_value(axis) else None
    return apply(concat_op, _values("concat(x, axis)", x, True), tensor, axis=0 if tensor is not None else whole(axis))


def _pieces(total: int, sections: Sequence[int], num: int) -> list[int]:
    """The sizes of the pieces; one section of -1 gets what the others leave."""
    what = "split(x, num_or_sections, axis)"
    if num > 0:
        if total >= 0 and total % num:
            raise ValueError(f"{what}: the size {total} of the axis is not divisible by {num}. Give a list of sizes.")
        return [total // num if total >= 0 else -1] * num
    sizes = list(sections)
    if -1 in sizes and total >= 0:
        sizes[sizes.index(-1)] = total - sum(n for n in sizes if n != -1)
    if min(sizes, default=0) < -1 or (total >= 0 and sum(sizes) != total):
        raise ValueError(f"{what}: the sizes must add up to the size {total} of the axis. Received {list(sections)}.")
    return sizes


def _cut(x: Any, sizes: Sequence[int], axis: int) -> list:
    parts, start, before = [], 0, (slice(None),) * (axis % x.ndim)
    for size in sizes:
        parts.append(x[(*before, slice(start, start + size))])
        start += size
    return parts


def _split(xp, x, axis_tensor=None, section_list=None, *, sections: Ints = (), num: int = 0, axis: int = 0):
    axis = axis if axis_tensor is None else int(axis_tensor.item())
    sizes = [int(s.item()) for s in section_list] if section_list else sections
    return _cut(x, _pieces(x.shape[axis], sizes, num), axis)


def _infer_split(x, axis_tensor=None, section_list=None, *, sections=(), num=0, axis=0):
    if axis_tensor is not None:
        return ([Spec((-1,) * x.rank, x.dtype)] * (num or len(sections)),)
    axis = normalize_axis("split(x, num_or_sections, axis)", axis, x.rank)
    sizes = [-1] * len(section_list) if section_list else _pieces(x.shape[axis], sections, num)
    return ([Spec((*x.shape[:axis], size, *x.shape[axis + 1:]), x.dtype) for size in sizes],)


split_op = operator(
    "split", "X, AxisTensor?, SectionsTensorList*? -> Out*~X", kernel=_split, infer=_infer_split,
    grad={"X": lambda g, AxisTensor, axis: apply(concat_op, g, AxisTensor, axis=axis)}, moves=True, compiled="split")


def _split_like(xp, x, like, *, sections: Ints, axis: int):
    sizes = iter(like)
    return _cut(x, [next(sizes).shape[axis] if n == -1 else n for n in sections], axis)


split_like_op = operator(
    "split_like", "X, Like* -> Out*~X", kernel=_split_like,
    infer=lambda x, like, *, sections, axis: (
        [Spec(tuple(n if d == axis % x.rank else s for d, s in enumerate(x.shape)), x.dtype) for n in sections],),
    grad={"X": lambda g, axis: apply(concat_op, g, None, axis=axis)}, moves=True, only_here=True)


def split(x: Any, num_or_sections: Any, axis: Any = 0, name: str | None = None) -> list:
    """x cut along `axis` into so many equal pieces, or into pieces of the given sizes (one may be -1: the rest).

    >>> import proa as paddle
    >>> [p.shape for p in paddle.split(paddle.zeros([2, 9]), [2, -1, 3], axis=1)]
    [[2, 2], [2, 4], [2, 3]]
    """
    x = value_of(x)
    tensor, rank = axis if is_value(axis) else None, len(x.shape)
    axis = 0 if tensor is not None else whole(axis)
    axis += rank if -rank <= axis < 0 else 0  # in files Paddle's kernels take no negative one
    if isinstance(num_or_sections, (list, tuple)):
        sizes, _, parts = shape_inputs(num_or_sections)
        return apply(split_op, x, tensor, parts, sections=list(sizes), num=0, axis=axis)
    return apply(split_op, x, tensor, None, sections=[], num=whole(num_or_sections), axis=axis)


def chunk(x: Any, chunks: int, axis: Any = 0, name: str | None = None) -> list:
    """x cut along `axis` into so many equal pieces.

    >>> import proa as paddle
    >>> [part.tolist() for part in paddle.chunk(paddle.arange(6), 3)]
    [[0, 1], [2, 3], [4, 5]]
    """
    return split(x, chunks, axis)


# stack, unstack

def _infer_stack(x, *, axis=0):
    sizes = _merged("stack(x, axis): the shapes must agree", [s.shape for s in x])
    sizes.insert(normalize_axis("stack(x, axis)", axis, len(sizes) + 1), len(x))
    return Spec(tuple(sizes), x[0].dtype)


def _stack(xp, x, *, axis: int = 0):
    if axis == 0 and xp is np:
        first = x[0]
        made = np.empty((len(x), *first.shape), first.dtype)
        for n, part in enumerate(x):
            if part.shape != first.shape or part.dtype is not first.dtype:
                return xp.concatenate([v[None] for v in x], 0)  # whose error says what is wrong
            made[n] = part
        return made
    axis = normalize_axis("stack(x, axis)", axis, x[0].ndim + 1)
    place = (*[slice(None)] * axis, None)
    return xp.concatenate([v[place] for v in x], axis)


def _count(what: str, x: Spec, axis: int, num: int = 0) -> int:
    size = x.shape[normalize_axis(what, axis, x.rank)]
    if num and size not in (-1, num):
        raise ValueError(f"{what}: the axis has size {size}, not {num}.")
    if size == -1 and not num:
        raise ValueError(f"{what}: the size of the axis must be known. Received shape {list(x.shape)}.")
    return num or size


def _unstack(xp, x, *, axis: int = 0, num: int = 0):
    if num and x.shape[axis] != num:
        raise ValueError(f"{x.shape[axis]} parts")
    return list(x if axis == 0 else xp.moveaxis(x, axis, 0))


def _unbind(xp, x, *, axis: int = 0):
    return list(x if axis == 0 else xp.moveaxis(x, axis, 0))


def _parts(x: Spec, axis: int, count: int) -> tuple:
    return ([Spec(_rest(x.shape, axis % x.rank), x.dtype)] * count,)


stack_op = operator("stack", "X* -> Y", kernel=_stack, infer=_infer_stack,
                    engines=[by(LOOPS, lambda x, *, axis=0: fast.joined(x, axis, True))],
                    grad={"X": lambda g, X_shape, axis: apply(unstack_op, g, axis=axis, num=len(X_shape))},
                    moves=True, compiled="stack")
unstack_op = operator(
    "unstack", "X -> Y*~X", kernel=_unstack,
    infer=lambda x, *, axis=0, num=0: _parts(x, axis, _count("unstack(x, axis, num)", x, axis, num)),
    adapted=lambda x, *, axis=0, num=0: ((x,), {"axis": axis, "num": num or max(x.shape[axis], 0)}),
    grad={"X": lambda g, axis: apply(stack_op, g, axis=axis)}, moves=True, lod="drop")
unbind_op = operator(
    "unbind", "X -> Out*~X", kernel=_unbind,
    infer=lambda x, *, axis=0: _parts(x, axis, _count("unbind(input, axis)", x, axis)),
    grad={"X": lambda g, axis: apply(stack_op, g, axis=axis)}, moves=True)


def stack(x: Any, axis: int = 0, name: str | None = None) -> Any:
    """Several tensors of one shape along a new dimension.

    >>> import proa as paddle
    >>> paddle.stack([paddle.zeros([3]), paddle.ones([3])], axis=1).shape
    [3, 2]
    """
    array = array_in(x)
    if array is not None:
        return joined(array, axis, True)
    return apply(stack_op, _values("stack(x, axis)", x), axis=whole(axis))


def unstack(x: Any, axis: int = 0, num: int | None = None) -> list:
    """x taken apart along a dimension, which is dropped: a list of tensors.

    >>> import proa as paddle
    >>> x, y = paddle.unstack(paddle.to_tensor([[1, 2], [3, 4]]), axis=1)
    >>> x.tolist(), y.tolist()
    ([1, 3], [2, 4])
    """
    return apply(unstack_op, x, axis=axis_of(axis), num=num or 0)


def unbind(input: Any, axis: int = 0) -> list:
    """The slices of x along `axis`, without that dimension, as a list: views, where `unstack` gives copies.

    >>> import proa as paddle
    >>> x, y = paddle.unbind(paddle.to_tensor([[1, 2], [3, 4]]))
    >>> x.tolist(), y.tolist()
    ([1, 2], [3, 4])
    """
    parts: list = apply(unbind_op, input, axis=axis)
    if is_value(input):
        current_trace().note_views(parts, slice_op, input, _places(axis, input.ndim, len(parts)))
    return parts


@functools.cache
def _places(axis: int, rank: int, count: int) -> list[dict[str, Any]]:
    """Where the parts of an axis are, as `slice` says it."""
    along = axis % rank
    return [{"axes": [along], "starts": [k], "ends": [k + 1], "decrease_axis": [along]} for k in range(count)]


def hstack(x: Sequence[Any], name: str | None = None) -> Any:
    """Tensors side by side: joined along the second dimension, or the first of vectors."""
    values = [reshape(v, [1]) if v.ndim == 0 else v for v in map(value_of, x)]
    return concat(values, 0 if values[0].ndim == 1 else 1)


def vstack(x: Sequence[Any], name: str | None = None) -> Any:
    """Tensors one below the other: joined along the first dimension, vectors as rows."""
    return concat([reshape(v, [1, -1]) if v.ndim < 2 else v for v in map(value_of, x)], 0)


# meshgrid, broadcast_tensors


broadcast_tensors_op = operator(
    "broadcast_tensors", "X* -> Out*~X",
    kernel=lambda xp, x: [v.view() for v in xp.broadcast_arrays(*x)],
    infer=lambda x: ([Spec(broadcast_shapes("broadcast_tensors", *(s.shape for s in x)), v.dtype) for v in x],),
    grad={"X": lambda g, X_shape: [sum_to(d, shape) for d, shape in zip(g, X_shape, strict=True)]}, moves=True)


def _flat_arguments(args: tuple) -> list:
    return list(args[0]) if len(args) == 1 and isinstance(args[0], (list, tuple)) else list(args)


def broadcast_tensors(input: Sequence[Any], name: str | None = None) -> list:
    """Tensors repeated to the shape to which all of them broadcast.

    >>> import proa as paddle
    >>> x, y = paddle.broadcast_tensors([paddle.zeros([2, 1]), paddle.zeros([3])])
    >>> x.shape, y.shape
    ([2, 3], [2, 3])
    """
    if is_value(input):
        raise no_list("broadcast_tensors(input)", input)
    return apply(broadcast_tensors_op, list(input))
