"""Diagonals and related products: diagonal, diag, diagflat, diag_embed, trace, kron, cross."""


from typing import Any

from ...core import dtype as dt
from ..core.infer import broadcast_shapes, check_same_shape, normalize_axis
from ..core.operator import Longs, operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.elementwise import conj_of
from ..math.reduce import sum
from .creation import full_like
from .full import whole
from .gradient_shapes import reshape_to, sum_to
from .reshape import axis_of, flatten, shape_handle, unsqueeze_op
from .where import where

_Axes = tuple[int, int]


def _diagonal_size(rows: int, columns: int, offset: int) -> int:
    if -1 in (rows, columns):
        return -1
    size = min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns)
    return size if size > 0 else 0


def _axes(what: str, rank: int, axis1: int, axis2: int) -> _Axes:
    if rank < 2:
        raise ValueError(f"{what}: x must have at least 2 dimensions. It has {rank}.")
    first, second = normalize_axis(what, axis1, rank), normalize_axis(what, axis2, rank)
    if first == second:
        raise ValueError(f"{what}: axis1 and axis2 must differ. Received {axis1} and {axis2}.")
    return first, second


def _within(x: Any, offset: int) -> int:
    """An offset that gives the same diagonal: NumPy reads outside of the array at -2**31."""
    most = max(x.shape, default=0)
    return min(max(offset, -most), most)


def _diagonal(xp, x, *, offset: int = 0, axis1: int = 0, axis2: int = 1):
    return xp.diagonal(x, _within(x, offset), axis1, axis2).copy()


def _infer_diagonal(x, *, offset=0, axis1=0, axis2=1):
    first, second = _axes("diagonal(x)", x.rank, axis1, axis2)
    rest = tuple(size for n, size in enumerate(x.shape) if n not in (first, second))
    return Spec((*rest, _diagonal_size(x.shape[first], x.shape[second], offset)), x.dtype)


def _place_diagonal(xp, g, like=None, *, shape: Longs = (), offset: int = 0, axis1: int = 0, axis2: int = 1):
    result = xp.zeros(tuple(shape) if like is None else like.shape, g.dtype)
    view = xp.moveaxis(result, (axis1, axis2), (-2, -1))
    places = xp.arange(_diagonal_size(view.shape[-2], view.shape[-1], offset))
    view[..., places - min(offset, 0), places + max(offset, 0)] = g
    return result


def with_diagonal(x: Any, part: Any, **axes: Any) -> Any:
    """x, after its diagonal was changed."""
    shape = shape_handle(x)
    return where(_placed(full_like(part, True, "bool"), shape, **axes), _placed(part, shape, **axes), x)


diagonal_op = operator(
    "diagonal", "Input -> Out", kernel=_diagonal, infer=_infer_diagonal,
    grad={"Input": lambda g, Input_shape, offset, axis1, axis2: _placed(g, Input_shape, offset, axis1, axis2)},
    moves=True, lod="drop", written=with_diagonal)
place_diagonal_op = operator(
    "place_diagonal", "X, Like? -> Out", kernel=_place_diagonal,
    infer=lambda g, like=None, *, shape=(), offset=0, axis1=0, axis2=1: Spec(
        tuple(shape) if like is None else like.shape, g.dtype),
    grad={"X": lambda g, X_shape, offset, axis1, axis2: sum_to(apply(
        diagonal_op, g, offset=offset, axis1=axis1, axis2=axis2), X_shape)}, moves=True, only_here=True)


def _placed(g: Any, shape: Any, offset: int, axis1: int, axis2: int) -> Any:
    known = type(shape) is tuple
    return apply(place_diagonal_op, g, None if known else shape, shape=list(shape) if known else [], offset=offset,
                 axis1=axis1, axis2=axis2)


def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, name: str | None = None) -> Any:
    """The diagonal of two dimensions as a new last one; a positive offset lies above the main diagonal.

    >>> import proa as paddle
    >>> paddle.diagonal(paddle.to_tensor([[1, 2], [3, 4]])).tolist()
    [1, 4]
    """
    return apply(diagonal_op, x, offset=offset, axis1=axis1, axis2=axis2)


def _trace(xp, x, *, offset: int = 0, axis1: int = 0, axis2: int = 1):
    return xp.trace(x, _within(x, offset), axis1, axis2, dtype="int64" if x.dtype.kind == "b" else x.dtype)


def _infer_trace(x, *, offset=0, axis1=0, axis2=1):
    return Spec(_infer_diagonal(x, offset=offset, axis1=axis1, axis2=axis2).shape[:-1],
                dt.int64 if x.dtype is dt.bool_ else x.dtype)


trace_op = operator(
    "trace", "Input -> Out", kernel=_trace, infer=_infer_trace,
    grad={"Input": lambda g, Input_shape, offset, axis1, axis2: _placed(
        apply(unsqueeze_op, g, None, None, axes=[g.ndim]), Input_shape, offset, axis1, axis2)}, lod="drop")


def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, name: str | None = None) -> Any:
    """The sum of the diagonal of two dimensions.

    >>> import proa as paddle
    >>> paddle.trace(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])).item()
    5.0
    """
    return apply(trace_op, x, offset=whole(offset), axis1=whole(axis1), axis2=whole(axis2))


# diag, diag_embed

def _embedded_shape(shape: tuple[int, ...], offset: int, dim1: int, dim2: int) -> tuple[int, ...]:
    first, second = _axes("diag_embed(input)", len(shape) + 1, dim1, dim2)
    size = -1 if shape[-1] == -1 else shape[-1] + abs(offset)
    result = list(shape[:-1])
    for axis in sorted((first, second)):
        result.insert(axis, size)
    return tuple(result)


def _diag_embed(xp, x, *, offset: int = 0, dim1: int = -2, dim2: int = -1):
    shape = Longs(_embedded_shape(x.shape, offset, dim1, dim2))
    return _place_diagonal(xp, x, shape=shape, offset=offset, axis1=dim1, axis2=dim2)


diag_embed_op = operator(
    "diag_embed", "Input -> Out", kernel=_diag_embed,
    infer=lambda x, *, offset=0, dim1=-2, dim2=-1: Spec(_embedded_shape(x.shape, offset, dim1, dim2), x.dtype),
    grad={"Input": lambda g, offset, dim1, dim2: apply(diagonal_op, g, offset=offset, axis1=dim1, axis2=dim2)},
    moves=True, lod="drop")


def diag_embed(input: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Matrices, in the dimensions dim1 and dim2, that have the last dimension of `input` on a diagonal, 0 elsewhere.

    >>> import proa as paddle
    >>> paddle.diag_embed(paddle.to_tensor([[1.0, 2.0]])).tolist()
    [[[1.0, 0.0], [0.0, 2.0]]]
    """
    return apply(diag_embed_op, input, offset=offset, dim1=dim1, dim2=dim2)


def _diag(xp, x, *, offset: int = 0, padding_value: float = 0.0):
    if x.ndim > 1:
        return xp.diagonal(_matrix(x), _within(x, offset)).copy()
    size = x.size + abs(offset)
    result = xp.zeros((size, size), x.dtype)
    if padding_value:
        result.fill(padding_value)
    first = offset if offset > 0 else -offset * size
    result.reshape(-1)[first:first + x.size * (size + 1):size + 1] = x.reshape(-1)
    return result


def _matrix(x: Any) -> Any:
    if len(x.shape) != 2:
        raise ValueError(f"diag(x): x must be a vector or a matrix. Received shape {list(x.shape)}.")
    return x


def _infer_diag(x, *, offset=0, padding_value=0.0):
    if x.rank > 1:
        return Spec((_diagonal_size(*_matrix(x).shape, offset),), x.dtype)
    return Spec(_embedded_shape(x.shape or (1,), offset, 0, 1), x.dtype)


def _diag_gradient(g: Any, shape: Any, offset: int) -> Any:
    rank = len(shape) if type(shape) is tuple else shape.ndim
    if rank == 2:
        return _placed(g, shape, offset, 0, 1)
    return reshape_to(apply(diagonal_op, g, offset=offset), shape)


diag_op = operator("diag_v2", "X -> Out", kernel=_diag, infer=_infer_diag,
                   grad={"X": lambda g, X_shape, offset: _diag_gradient(g, X_shape, offset)}, moves=True, lod="drop")


def diag(x: Any, offset: int = 0, padding_value: float = 0, name: str | None = None) -> Any:
    """A matrix with the vector x on a diagonal and padding elsewhere; of a matrix, its diagonal.

    >>> import proa as paddle
    >>> paddle.diag(paddle.to_tensor([1, 2])).tolist()
    [[1, 0], [0, 2]]
    """
    return apply(diag_op, x, offset=whole(offset), padding_value=float(padding_value))


def diagflat(x: Any, offset: int = 0, name: str | None = None) -> Any:
    """A matrix with the elements of x, flattened, on a diagonal.

    >>> import proa as paddle
    >>> paddle.diagflat(paddle.to_tensor([1, 2])).tolist()
    [[1, 0], [0, 2]]
    """
    return diag(flatten(x), offset)


# kron, cross

def _kron_shapes(x: tuple, y: tuple) -> tuple[tuple, tuple, tuple]:
    """The shapes in which x * y is the product, and that of the result."""
    rank = max(len(x), len(y))
    x, y = (1,) * (rank - len(x)) + x, (1,) * (rank - len(y)) + y
    apart = tuple(n for size in x for n in (size, 1)), tuple(n for size in y for n in (1, size))
    return *apart, tuple(-1 if -1 in pair else pair[0] * pair[1] for pair in zip(x, y, strict=True))


def _kron_gradients(g: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """g[i*n + k] pairs x[i] with y[k]: in the shape (m, n, …) it is the gradient of a product that broadcasts."""
    shape_x, shape_y, _ = _kron_shapes(tuple(x.shape), tuple(y.shape))
    of_x, of_y = range(0, len(shape_x), 2), range(1, len(shape_x), 2)  # whose dimension each of the pairs is
    left, right = _spread(x, of_x), _spread(y, of_y)
    apart = broadcast_shapes("kron", shape_x, shape_y)
    pairs = reshape_to(g, shape_handle(left * right) if -1 in apart else apart)
    dx, dy = sum(pairs * conj_of(right), list(of_y)), sum(pairs * conj_of(left), list(of_x))
    return reshape_to(dx, shape_handle(x)), reshape_to(dy, shape_handle(y))


def _spread(x: Any, places: range) -> Any:
    """x with its dimensions at the last of `places` among those of size 1."""
    kept = set(places[len(places) - len(x.shape):])
    return apply(unsqueeze_op, x, None, None, axes=[n for n in range(2 * len(places)) if n not in kept])


kron_op = operator(
    "kron", "X, Y -> Out", kernel=lambda xp, x, y: xp.kron(x, y), promotes=True,
    infer=lambda x, y: Spec(_kron_shapes(x.shape, y.shape)[2], x.dtype),
    grad={"X, Y": lambda g, X, Y, wants: _kron_gradients(g, X, Y)}, lod="drop")


def kron(x: Any, y: Any, name: str | None = None) -> Any:
    """The Kronecker product: each element of x replaced by it times y. Sizes must be known for a gradient.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([1.0, 2.0])
    >>> paddle.kron(x, y).tolist()
    [1.0, 2.0, 2.0, 4.0]
    """
    return apply(kron_op, x, y)


_NO_DIM = 9  # what files have for: the first dimension of size 3


def _cross_axis(shape: tuple, dim: int) -> int:
    if dim != _NO_DIM:
        dim = normalize_axis("cross(x, y, axis)", dim, len(shape))
        if shape[dim] in (3, -1):
            return dim
    elif 3 in shape:
        return shape.index(3)
    raise ValueError(f"cross(x, y, axis): the axis must have size 3. Received shape {list(shape)}, "
                     f"axis={None if dim == _NO_DIM else dim}.")


def _cross(xp, x, y, *, dim: int = _NO_DIM):
    if x.shape != y.shape:
        raise ValueError(f"shapes {x.shape} and {y.shape} differ")
    return xp.cross(x, y, axis=_cross_axis(x.shape, dim))


def _infer_cross(x, y, *, dim=_NO_DIM):
    if dim != _NO_DIM or -1 not in x.shape:
        _cross_axis(x.shape, dim)
    check_same_shape("cross(x, y)", x, y)
    return x


cross_op = operator("cross", "X, Y -> Out", kernel=_cross, infer=_infer_cross, promotes=True, grad={
    "X": lambda g, Y, dim: apply(cross_op, conj_of(Y), g, dim=dim),
    "Y": lambda g, X, dim: apply(cross_op, g, conj_of(X), dim=dim)})


def cross(x: Any, y: Any, axis: int = _NO_DIM, name: str | None = None) -> Any:
    """The vector product along a dimension of size 3, by default the first such.

    >>> import proa as paddle
    >>> paddle.cross(paddle.to_tensor([1.0, 0.0, 0.0]), paddle.to_tensor([0.0, 1.0, 0.0])).tolist()
    [0.0, 0.0, 1.0]
    """
    return apply(cross_op, x, y, dim=_NO_DIM if axis is None else axis_of(axis))
