"""matmul with a factor, as Paddle 1.x writes it, and cos_sim."""


from typing import Any

from ..array.full import is_value
from ..array.gradient_shapes import reshape_to, sum_to
from ..array.reshape import flatten, shape_handle
from ..array.unknown_sizes import size_at
from ..core.facts import matrix_product
from ..core.gradient import with_another
from ..core.operator import operator
from ..core.spec import Spec
from ..linalg.matrix_product import infer_matmul, insert_axis, matmul, matmul_gradients, matmul_kernel
from ..math.casting import cast, dtype_of
from ..math.elementwise import scale
from ..math.unary import sign


def _product(xp, x, y, *, transpose_X: bool = False, transpose_Y: bool = False, alpha: float = 1.0):
    # A vector that is transposed is a matrix: x of one column, y of one row.
    if transpose_X and x.ndim == 1:
        x, transpose_X = x[:, None], False
    if transpose_Y and y.ndim == 1:
        y, transpose_Y = y[None], False
    result = matmul_kernel(xp, x, y, trans_x=transpose_X, trans_y=transpose_Y)
    return result if alpha == 1.0 else result * xp.asarray(alpha, result.dtype)


def _infer_product(x, y, *, transpose_X=False, transpose_Y=False, alpha=1.0):
    if transpose_X and x.rank == 1:
        x, transpose_X = Spec((*x.shape, 1), x.dtype), False
    if transpose_Y and y.rank == 1:
        y, transpose_Y = Spec((1, *y.shape), y.dtype), False
    return infer_matmul(x, y, trans_x=transpose_X, trans_y=transpose_Y)


def _gradients(g: Any, x: Any, y: Any, trans_x: bool, trans_y: bool, alpha: float, wants: Any) -> tuple[Any, Any]:
    left = insert_axis(x, 1) if trans_x and x.ndim == 1 else x
    right = insert_axis(y, 0) if trans_y and y.ndim == 1 else y
    dx, dy = matmul_gradients(g if alpha == 1.0 else scale(g, alpha), left, right, trans_x and left is x,
                              trans_y and right is y, wants)
    return (dx if left is x or dx is None else reshape_to(dx, shape_handle(x)),
            dy if right is y or dy is None else reshape_to(dy, shape_handle(y)))


matmul_op = operator(
    "matmul", "X, Y -> Out", kernel=_product, promotes=True, infer=_infer_product,
    grad={"X, Y": lambda g, X, Y, transpose_X, transpose_Y, alpha, wants: _gradients(
        g, X, Y, transpose_X, transpose_Y, alpha, wants)},
    cost=matrix_product, precision="white")


def _norm(xp, x):
    """The length of each row, 1e-4 at least, as in Paddle 1.8: a row of zeros has the cosine 0, and slopes."""
    return xp.maximum(xp.sqrt((x * x).sum(axis=1, keepdims=True, dtype=x.dtype)), xp.asarray(1e-4, x.dtype))


def _cos_sim(xp, x, y):
    x, y = x.reshape(x.shape[0], -1), y.reshape(y.shape[0], -1)
    across, along = _norm(xp, x), _norm(xp, y)
    return (x * y).sum(axis=1, keepdims=True, dtype=x.dtype) / (across * along), across, along


def _infer_cos_sim(x, y):
    if x.rank < 2 or y.rank != x.rank or y.shape[0] not in (1, -1, x.shape[0]) and x.shape[0] != -1:
        raise ValueError(f"cos_sim(X, Y): both are matrices of one width, Y of as many rows as X or one. Received "
                         f"X.shape={list(x.shape)}, Y.shape={list(y.shape)}.")
    rows, one = (x.shape[0], 1), (y.shape[0], 1)
    return Spec(rows, x.dtype), Spec(rows, x.dtype), Spec(one, x.dtype)


def _row(x: Any) -> Any:
    """What of x belongs to one row, side by side."""
    return flatten(x, 1) if len(x.shape) > 2 else x


def _cos_sim_gradients(g: Any, of_norms: tuple[Any, Any], x: Any, y: Any, out: Any, x_norm: Any, y_norm: Any,
                       x_shape: Any, y_shape: Any) -> tuple[Any, Any]:
    product, x, y = x_norm * y_norm, _row(x), _row(y)
    dx = sum_to(g * (y / product - out * x / (x_norm * x_norm)), shape_handle(x))
    dy = sum_to(g * (x / product - out * y / (y_norm * y_norm)), shape_handle(y))
    return (reshape_to(with_another(dx, of_norms[0], x / x_norm), x_shape),
            reshape_to(with_another(dy, of_norms[1], y / y_norm), y_shape))


cos_sim_op = operator(
    "cos_sim", "X, Y -> Out, XNorm, YNorm", kernel=_cos_sim, infer=_infer_cos_sim,
    grad={"X, Y": lambda d_Out, given_XNorm, given_YNorm, X, Y, Out, XNorm, YNorm, X_shape, Y_shape: _cos_sim_gradients(
        d_Out, (given_XNorm, given_YNorm), X, Y, Out, XNorm, YNorm, X_shape, Y_shape)})


def _squared_distance(xp, x, y):
    difference = (x - y).reshape(x.shape[0], -1)
    return difference, (difference * difference).sum(axis=1, keepdims=True, dtype=x.dtype)


def _infer_distance(x, y):
    width = 1
    for size in x.shape[1:]:
        width = -1 if -1 in (width, size) else width * size
    return Spec((x.shape[0], width), x.dtype), Spec((x.shape[0], 1), x.dtype)


def _distance_gradients(g: Any, of_difference: Any, difference: Any, x_shape: Any, y_shape: Any) -> tuple[Any, Any]:
    flat = with_another(scale(g * difference, 2.0), of_difference)
    dx = reshape_to(flat, x_shape)
    return dx, sum_to(scale(dx, -1.0), y_shape)


squared_l2_distance_op = operator(
    "squared_l2_distance", "X, Y -> sub_result, Out", kernel=_squared_distance, infer=_infer_distance,
    grad={"X, Y": lambda d_Out, given_sub_result, sub_result, X_shape, Y_shape: _distance_gradients(
        d_Out, given_sub_result, sub_result, X_shape, Y_shape)})
squared_l2_norm_op = operator(
    "squared_l2_norm", "X -> Out", kernel=lambda xp, x: (x * x).sum(dtype=x.dtype).reshape(1),
    infer=lambda x: Spec((1,), x.dtype), grad={"X": lambda g, X: scale(X, 2.0) * g}, lod="drop")
l1_norm_op = operator(
    "l1_norm", "X -> Out", kernel=lambda xp, x: xp.abs(x).sum(dtype=x.dtype),
    infer=lambda x: Spec((), x.dtype), grad={"X": lambda g, X: sign(X) * g}, lod="drop")
minus_op = operator("minus", "X, Y -> Out", kernel=lambda xp, x, y: x - y, infer=lambda x, y: x,
                    grad={"X": lambda g: g, "Y": lambda g: scale(g, -1.0)})


def _fsp(xp, x, y):
    n, c, h, w = x.shape
    left, right = x.reshape(n, c, h * w), y.reshape(n, y.shape[1], h * w)
    return xp.matmul(left, right.swapaxes(1, 2)) / xp.asarray(h * w, x.dtype)


def _fsp_gradients(g: Any, x: Any, y: Any) -> tuple[Any, Any]:
    count = size_at(x, 2) * size_at(x, 3)
    share = g / (cast(count, dtype_of(g)) if is_value(count) else count)
    dx = matmul(share, flatten(y, 2))
    dy = matmul(share, flatten(x, 2), transpose_x=True)
    return reshape_to(dx, shape_handle(x)), reshape_to(dy, shape_handle(y))


fsp_op = operator("fsp", "X, Y -> Out", kernel=_fsp,
                  infer=lambda x, y: Spec((x.shape[0], x.shape[1], y.shape[1]), x.dtype),
                  grad={"X, Y": lambda g, X, Y: _fsp_gradients(g, X, Y)})

__all__ = ["cos_sim_op", "fsp_op", "l1_norm_op", "matmul_op", "minus_op", "squared_l2_distance_op",
           "squared_l2_norm_op"]
