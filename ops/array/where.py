"""Elements chosen by conditions or by lists of indices: where, nonzero, masked_select, masked_fill, index_put."""


from collections.abc import Sequence
from typing import Any

from ...backend.engines import LOOPS
from ...backend.kernels import compact as fast
from ...backend.scatter import add_at, within_bounds
from ...core import dtype as dt
from ...core.dtype import promote
from ...core.errors import ArgumentError
from ..core.infer import broadcast_shapes
from ..core.kernels import by
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply, state
from ..math.casting import cast, check_held, dtype_of, in_dtype
from .concat_split import broadcast_tensors
from .creation import to_tensor
from .expand import expand_as
from .full import changeable, full_of_shape, is_value, value_of
from .gradient_shapes import sum_to
from .slices import Ranges


def _zero(g: Any) -> Any:
    return full_of_shape((), 0.0, dtype_of(g))


def _positions(xp, x):
    found = xp.asarray(x.nonzero()).T if x.ndim else xp.argwhere(x)
    return found.astype("int64", copy=False)


def spread(*values: Any) -> tuple[Any, ...]:
    """The values repeated to the shape to which they broadcast, in operators that Paddle has for every dtype.

    Mostly one of them has that shape already. Otherwise bools beside others go through their dtype, as
    `broadcast_tensors` there takes but one. No size is written down, so that files run with others than these.
    """
    shape = broadcast_shapes("broadcast(…)", *(v.shape for v in values))
    whole = next((v for v in values if tuple(v.shape) == shape), None)
    others = [v for v in values if tuple(v.shape) != shape]
    if whole is not None and not any(_are_open_together(v.shape, shape) for v in others):
        return tuple(v if tuple(v.shape) == shape else expand_as(v, whole) for v in values)
    dtype = next((v.dtype for v in values if v.dtype is not dt.bool_), dt.bool_)
    repeated = broadcast_tensors([in_dtype(v, dtype) for v in values])
    return tuple(in_dtype(r, v.dtype) for r, v in zip(repeated, values, strict=True))


def _are_open_together(shape: Any, other: Any) -> bool:
    """Whether both have a size at one place that only a run knows: either may be 1 there beside a larger one."""
    return any(a == b == -1 for a, b in zip(reversed(shape), reversed(other), strict=False))


def _infer_where(condition, x, y):
    shape = broadcast_shapes("where(condition, x, y)", condition.shape, x.shape, y.shape)
    return Spec(shape, promote(x.dtype, y.dtype))


_where: dict[str, Any] = {
    "kernel": lambda xp, condition, x, y: xp.where(condition, x, y), "infer": _infer_where,
    "formula": "X if Condition else Y", "compiled": "where",
    "grad": {"X": lambda g, Condition, X_shape: sum_to(_chosen(Condition, g, _zero(g)), X_shape),
             "Y": lambda g, Condition, Y_shape: sum_to(_chosen(Condition, _zero(g), g), Y_shape)}}

where_op = operator("where", "Condition, X, Y -> Out", **_where, moves=True)
broadcast_where_op = operator(  # Paddle's files have the one above, of equal shapes
    "where_broadcast", "Condition, X, Y -> Out", **_where,
    composed=lambda condition, x, y: apply(where_op, *spread(condition, x, y)), moves=True)
where_index_op = operator("where_index", "Condition -> Out", kernel=_positions,
                          engines=[by(LOOPS, fast.where_index, fast.LEAST)],
                          infer=lambda x: Spec((-1, x.rank), dt.int64), narrow=True, lod="drop")


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """x where the condition is true and y elsewhere, broadcasting; the positions of the true ones without x and y.

    A number takes the dtype of a tensor beside it; two floats are float64.

    >>> import proa as paddle
    >>> paddle.where(paddle.to_tensor([True, False]), paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4])).tolist()
    [1, 4]
    """
    if x is None and y is None:
        return nonzero(condition, as_tuple=True)
    if x is None or y is None:
        raise ValueError("where(condition, x, y): give both x and y, or neither.")
    condition = value_of(condition)
    if dtype_of(condition) is not dt.bool_:
        raise ArgumentError(f"where(condition, x, y): condition must be bool. Received dtype {dtype_of(condition)}. "
                            "Say which elements are meant: condition != 0.")
    return _chosen(condition, *_pair(x, y))


def _chosen(condition: Any, x: Any, y: Any) -> Any:
    """As `where`, of values of one dtype; a float64 that is not in an array, a float to Python, is one as well."""
    return apply(where_op if condition.shape == x.shape == y.shape else broadcast_where_op, condition, x, y)


def where_(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """As `where`, in place: the result becomes the value of x.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([1.0, -2.0, 3.0])
    >>> _ = paddle.where_(x > 0, x, paddle.zeros([3]))
    >>> x.tolist()
    [1.0, 0.0, 3.0]
    """
    return changeable(x)._rebind(where(condition, x._alias(), y))


def _pair(x: Any, y: Any) -> tuple[Any, Any]:
    """Both as tensors of one dtype; a Python number takes the other's dtype, floats making integers floating."""
    if isinstance(x, float) and isinstance(y, float):
        return to_tensor(x, dt.float64), to_tensor(y, dt.float64)
    if not is_value(x):
        x = _number_like(x, y) if is_value(y) else to_tensor(x)
    if not is_value(y):
        y = _number_like(y, x)
    if x.dtype is y.dtype:
        return x, y
    dtype = promote(x.dtype, y.dtype)
    return (x if x.dtype is dtype else cast(x, dtype)), (y if y.dtype is dtype else cast(y, dtype))


def _number_like(value: Any, other: Any) -> Any:
    if isinstance(value, bool):
        return state.trace.number(value, dt.bool_)
    if isinstance(value, int) and other.dtype is not dt.bool_:
        return state.trace.number(value, other.dtype)
    if isinstance(value, float) and other.dtype.is_differentiable:
        return state.trace.number(value, other.dtype)
    return to_tensor(value)


def nonzero(x: Any, as_tuple: bool = False) -> Any:
    """The positions of the elements that are not 0 (or true): int64 of shape [count, rank].

    With as_tuple=True a tuple with a tensor of shape [count, 1] for each dimension.

    >>> import proa as paddle
    >>> paddle.nonzero(paddle.to_tensor([0, 3, 0, 5])).tolist()
    [[1], [3]]
    """
    found = apply(where_index_op, x)
    if not as_tuple:
        return found
    return tuple(column(found, n, keep=True) for n in range(x.ndim))


def column(x: Any, n: int, keep: bool = False) -> Any:
    """Column n of a matrix: [rows], or [rows, 1] when kept."""
    ranges = Ranges()
    ranges.add(1, n, n + 1)
    if not keep:
        ranges.decrease.append(1)
    return ranges.take(x)


# index_put

def _index_put(xp, x, indices, value, *, accumulate: bool = False):
    result, index = xp.array(x), tuple(indices)
    if len(index) > 1:  # CuPy takes one mask, and nothing beside it
        index = tuple(part for i in index for part in (xp.nonzero(i) if i.dtype.kind == "b" else (i,)))
    index = within_bounds(xp, x.shape, index)
    if accumulate:
        add_at(xp, result, index, value)
    else:
        result[index] = value
    return result


def _indexed_shape(x: Spec, indices: Sequence[Spec]) -> tuple[int, ...]:
    """The shape of x[indices], the indices being at the front."""
    depth = sum(s.rank if s.dtype is dt.bool_ else 1 for s in indices)
    shapes = [(-1,) if s.dtype is dt.bool_ else s.shape for s in indices]
    if depth > x.rank:
        raise IndexError(
            f"x[indices]: {depth} indices for a tensor of {x.rank} dimensions. Received x.shape={list(x.shape)}.")
    return broadcast_shapes("x[indices]", *shapes) + x.shape[depth:]


def _infer_index_put(x, indices, value, *, accumulate=False):
    part = _indexed_shape(x, indices)
    merged = broadcast_shapes("x[indices] = value", part, value.shape)
    if len(merged) > len(part):
        raise ValueError(
            f"x[indices] = value: the value must broadcast to the part. "
            f"Received a value of shape {list(value.shape)} for a part of shape {list(part)}."
        )
    return x


index_put_op = operator(
    "index_put", "x, indices*, value -> out", kernel=_index_put, infer=_infer_index_put,
    grad={"x": lambda g, indices, accumulate: g if accumulate else apply(index_put_op, g, indices, _zero(g)),
          "value": lambda g, indices, value_shape: sum_to(apply(index_get_op, g, indices), value_shape)},
    compiled="index_put")
index_get_op = operator(
    "index_get", "X, Indices* -> Out", kernel=lambda xp, x, indices: x[tuple(indices)],
    infer=lambda x, indices: Spec(_indexed_shape(x, indices), x.dtype),
    grad={"X": lambda g, Indices, X_shape: apply(
        index_put_op, full_of_shape(X_shape, 0.0, dtype_of(g)), Indices, g, accumulate=True)},
    moves=True, only_here=True)


def index_put(x: Any, indices: Sequence[Any], value: Any, accumulate: bool = False, name: str | None = None) -> Any:
    """x with `value` put (or, with `accumulate`, added) at x[indices], a tuple of integer or bool tensors.

    >>> import proa as paddle
    >>> paddle.index_put(paddle.zeros([3]), (paddle.to_tensor([0, 2]),), paddle.to_tensor(1.0)).tolist()
    [1.0, 0.0, 1.0]
    """
    x = value_of(x)
    check_held("index_put(value)", value, x.dtype)
    return apply(index_put_op, x, list(indices), value if is_value(value) else state.trace.number(value, x.dtype),
                 accumulate=accumulate)


# masks

def _masked_select(xp, x, mask):
    return x[mask]


masked_select_op = operator(
    "masked_select", "X, Mask -> Y", kernel=_masked_select, engines=[by(LOOPS, fast.masked_select, fast.LEAST)],
    infer=lambda x, mask: Spec((-1,), x.dtype),
    grad={"X": lambda g, Mask, X_shape: apply(
        index_put_op, full_of_shape(X_shape, 0.0, dtype_of(g)), [Mask], g)}, moves=True, lod="drop")


def masked_select(x: Any, mask: Any, name: str | None = None) -> Any:
    """The elements of x where the mask is true, as a 1-D tensor; mask and x broadcast.

    >>> import proa as paddle
    >>> paddle.masked_select(paddle.to_tensor([1, 2, 3]), paddle.to_tensor([True, False, True])).tolist()
    [1, 3]
    """
    x, mask = value_of(x), value_of(mask)
    if mask.dtype is not dt.bool_:
        raise TypeError(f"masked_select(x, mask): the mask must be bool. Received {mask.dtype.name}; compare it "
                        "(mask != 0), or take positions by paddle.gather.")
    if tuple(x.shape) != tuple(mask.shape):
        x, mask = spread(x, mask)
    return apply(masked_select_op, x, mask)


def masked_fill(x: Any, mask: Any, value: Any, name: str | None = None) -> Any:
    """x with `value`, a number or 0-d tensor, where the mask is true.

    >>> import proa as paddle
    >>> paddle.masked_fill(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([True, False]), 9.0).tolist()
    [9.0, 2.0]
    """
    x = value_of(x)
    check_held("masked_fill(value)", value, x.dtype)
    value = cast(value, x.dtype) if is_value(value) else state.trace.number(value, x.dtype)
    return where(mask, value, x)


