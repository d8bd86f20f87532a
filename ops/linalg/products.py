"""Products of matrices and vectors beside matmul: bmm, mv, dot, inner, outer, tensordot, addmm, and 1.x's mul."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend import products
from ...backend.engines import ONEDNN
from ...core import dtype as dt
from ..array.full import is_value, value_of
from ..array.gradient_shapes import reshape_to, sum_to
from ..array.reshape import flatten_op, ints_of, reshape, shape_handle, transpose
from ..array.unknown_sizes import count_of, size_at
from ..core.facts import matrix_product
from ..core.infer import broadcast_shapes, check_same_shape, may_equal, normalize_axis, product, shape_in
from ..core.kernels import by
from ..core.operator import operator
from ..core.result_names import results_named
from ..core.spec import Spec
from ..core.trace import apply
from ..math.elementwise import conj_of
from ..math.reduce import sum as reduce_sum
from .matrix_product import (
    SIDE,
    infer_matmul,
    insert_axis,
    is_large,
    matmul,
    matmul_by_onednn,
    matmul_gradients,
    matmul_op,
    product_of,
)

# products of fixed rank

def _ranks(what: str, *wanted: tuple[Any, Sequence[int]]) -> None:
    for value, ranks in wanted:
        if len(shape_in(value)) not in ranks:
            raise ValueError(f"{what}: received a tensor of shape {list(value.shape)}; it must have "
                             f"{' or '.join(map(str, ranks))} dimensions.")


def _check_bmm(x: Any, y: Any) -> None:
    _ranks("bmm(x, y)", (x, [3]), (y, [3]))
    if not may_equal(x.shape[:1], y.shape[:1]):
        raise ValueError(f"bmm(x, y): the batches must be of one size. Received x.shape={list(x.shape)}, "
                         f"y.shape={list(y.shape)}. (paddle.matmul repeats a batch of one.)")


def _infer_bmm(x, y):
    _check_bmm(x, y)
    return infer_matmul(x, y)


def _check_mv(x: Any, vec: Any) -> None:
    _ranks("mv(x, vec)", (x, [2]), (vec, [1]))


def _infer_mv(x, vec):
    _check_mv(x, vec)
    return infer_matmul(x, vec)


def _check_dot(x: Any, y: Any) -> None:
    _ranks("dot(x, y)", (x, [1, 2]), (y, [1, 2]))
    check_same_shape("dot(x, y)", x, y)


def _infer_dot(x, y):
    _check_dot(x, y)
    return Spec(x.shape[:-1], x.dtype)


def _last(g: Any) -> Any:
    return insert_axis(g, g.ndim)


def _bmm(xp, x, y):
    _check_bmm(x, y)
    return products.matmul(xp, x, y)


def _dot(xp, x, y):
    if x.shape != y.shape:
        raise ValueError(f"shapes {x.shape} and {y.shape} differ")
    return (x * y).sum(-1, dtype=x.dtype)


bmm_op = operator("bmm", "X, Y -> Out", kernel=_bmm,
                  engines=[by(ONEDNN, matmul_by_onednn, SIDE, is_large, declines=True)],
                  infer=_infer_bmm, promotes=True,
                  grad={"X, Y": lambda g, X, Y, wants: matmul_gradients(g, X, Y, False, False, wants)},
                  cost=matrix_product, compiled="bmm")
mv_op = operator("mv", "X, Vec -> Out", kernel=lambda xp, x, y: xp.matmul(x, y),
                 engines=[by(ONEDNN, matmul_by_onednn, SIDE, is_large, declines=True)],
                 infer=_infer_mv, promotes=True,
                 grad={"X, Vec": lambda g, X, Vec, wants: matmul_gradients(g, X, Vec, False, False, wants)},
                 cost=matrix_product)
dot_op = operator(
    "dot", "X, Y -> Out", kernel=_dot, infer=_infer_dot, promotes=True,
    grad={"X": lambda g, Y: _last(g) * conj_of(Y), "Y": lambda g, X: _last(g) * conj_of(X)}, lod="drop")


def bmm(x: Any, y: Any, name: str | None = None) -> Any:
    """The matrix products of two batches: [b, m, k] by [b, k, n] gives [b, m, n].

    >>> import proa as paddle
    >>> paddle.bmm(paddle.ones([5, 2, 3]), paddle.ones([5, 3, 4])).shape
    [5, 2, 4]
    """
    return apply(bmm_op, x, y)


def mv(x: Any, vec: Any, name: str | None = None) -> Any:
    """The product of a matrix [m, k] with a vector [k]: [m].

    >>> import proa as paddle
    >>> paddle.mv(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), paddle.to_tensor([1.0, 1.0])).tolist()
    [3.0, 7.0]
    """
    _check_mv(x, vec)
    return apply(mv_op, x, vec)


def dot(x: Any, y: Any, name: str | None = None) -> Any:
    """The inner product of two vectors, 0-d; of two matrices that of each pair of rows.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([3.0, 6.0]), paddle.to_tensor([4.0, 8.0])
    >>> paddle.dot(x, y).tolist()
    60.0
    """
    return apply(dot_op, x, y)


def inner(x: Any, y: Any, name: str | None = None) -> Any:
    """The sum over the last dimension of both: [..., k] and [..., k] give x.shape[:-1] + y.shape[:-1].

    Where one has a single element it is multiplied with the other: x * y.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([3.0, 6.0]), paddle.to_tensor([4.0, 8.0])
    >>> paddle.inner(x, y).tolist()
    60.0
    """
    x, y = value_of(x), value_of(y)
    if product(x.shape) == 1 or product(y.shape) == 1:
        return x * y
    m, n = x.shape[-1], y.shape[-1]
    if m != n and min(m, n) >= 0:
        raise ValueError(f"inner(x, y): the last dimensions must be of one size. Received x.shape={list(x.shape)}, "
                         f"y.shape={list(y.shape)}.")
    return tensordot(x, y, [[-1], [-1]])


@results_named("outer")
def outer(x: Any, y: Any, name: str | None = None) -> Any:
    """The products of each element of x with each of y, both flattened: a matrix.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([1.0, 2.0])
    >>> paddle.outer(x, y).tolist()
    [[1.0, 2.0], [2.0, 4.0]]
    """
    return apply(matmul_op, reshape(x, [-1, 1]), reshape(y, [1, -1]), trans_x=False, trans_y=False)


def tensordot(x: Any, y: Any, axes: Any = 2, name: str | None = None) -> Any:
    """The sum of products over pairs of dimensions: the last `axes` of x with the first of y, or `axes[0]` of x with
    `axes[1]` of y. The result has the other dimensions of x, then those of y.

    One list serves both; of two lists the shorter one goes on like the longer. A dimension of size 1 meets any other.

    >>> import proa as paddle
    >>> paddle.tensordot(paddle.ones([2, 3, 4]), paddle.ones([4, 3, 5]), axes=[[1, 2], [1, 0]]).shape
    [2, 5]
    """
    x, y = value_of(x), value_of(y)
    left, right = _contracted(x, y, axes)
    for p, q in zip(left, right, strict=True):
        m, n = x.shape[p], y.shape[q]
        if m == 1 != n:
            y = reduce_sum(y, q, keepdim=True)
        elif n == 1 != m:
            x = reduce_sum(x, p, keepdim=True)
        elif m != n and min(m, n) >= 0:
            raise ValueError(f"tensordot(x, y, axes): sizes along dimension {p} of x and {q} of y must be equal. "
                             f"Received x.shape={list(x.shape)}, y.shape={list(y.shape)}, axes={axes!r}.")
    free_x = [n for n in range(x.ndim) if n not in left]
    free_y = [n for n in range(y.ndim) if n not in right]
    sizes_x, sizes_y = [size_at(x, n) for n in free_x], [size_at(y, n) for n in free_y]
    inner_size = count_of([size_at(x, n) for n in left])
    a = reshape(transpose(x, free_x + left), [-1, inner_size])
    b = reshape(transpose(y, right + free_y), [inner_size, count_of(sizes_y)])
    return reshape(matmul(a, b), sizes_x + sizes_y)


def _contracted(x: Any, y: Any, axes: Any) -> tuple[list[int], list[int]]:
    what = "tensordot(x, y, axes)"
    if is_value(axes) or isinstance(axes, np.ndarray):
        axes = axes.tolist()
    if isinstance(axes, range):
        axes = list(axes)
    if not isinstance(axes, (list, tuple)):
        count, least = int(axes), min(x.ndim, y.ndim)
        if not 0 <= count <= least:
            raise ValueError(f"{what}: must be 0 to {least}, which x and y have dimensions for. Received {axes}.")
        return list(range(x.ndim - count, x.ndim)), list(range(count))
    axes = [n.tolist() if is_value(n) or isinstance(n, np.ndarray) else list(n) if isinstance(n, range) else n
            for n in axes]
    pair = axes if axes and isinstance(axes[0], (list, tuple)) else (axes, axes)
    first, second = ints_of(pair[0]), ints_of(pair[-1])
    first, second = [*first, *second[len(first):]], [*second, *first[len(second):]]
    return ([normalize_axis(what, n, x.ndim) for n in first], [normalize_axis(what, n, y.ndim) for n in second])


def _addmm(xp, input, x, y, *, Alpha: float = 1.0, Beta: float = 1.0):
    return (Beta * input + Alpha * products.matmul(xp, x, y)).astype(xp.result_type(x, y))


def _addmm_by_onednn(input, x, y, *, Alpha=1.0, Beta=1.0):
    result = matmul_by_onednn(x, y)
    return result if result is NotImplemented else (Beta * input + Alpha * result).astype(x.dtype)


def _infer_addmm(input, x, y, *, Alpha=1.0, Beta=1.0):
    result = infer_matmul(x, y)
    return Spec(broadcast_shapes("addmm(input, x, y)", input.shape, result.shape), result.dtype)


addmm_op = operator(
    "addmm", "Input, X, Y -> Out", kernel=_addmm, infer=_infer_addmm, holomorphic=True,
    engines=[by(ONEDNN, _addmm_by_onednn, SIDE, lambda input, x, y, **_: is_large(x, y))],
    grad={"Input": lambda g, Input_shape, Beta: sum_to(g * Beta, Input_shape),
          "X": lambda g, Y, Alpha: product_of(g, Y, False, True) * Alpha,
          "Y": lambda g, X, Alpha: product_of(X, g, True, False) * Alpha})


def addmm(input: Any, x: Any, y: Any, beta: float = 1.0, alpha: float = 1.0, name: str | None = None) -> Any:
    """beta * input + alpha * (x @ y), of matrices; `input` broadcasts.

    >>> import proa as paddle
    >>> paddle.addmm(paddle.ones([2, 2]), paddle.eye(2), paddle.eye(2), beta=1.0, alpha=3.0).tolist()
    [[4.0, 1.0], [1.0, 4.0]]
    """
    return apply(addmm_op, input, x, y, Alpha=float(alpha), Beta=float(beta))


# mul, of models of Paddle 1.x

def _mul(xp, x, y, *, x_num_col_dims: int = 1, y_num_col_dims: int = 1):
    left, right = x.shape[:x_num_col_dims], y.shape[y_num_col_dims:]
    rows = x.reshape(product(left), product(x.shape[x_num_col_dims:]))
    return products.matmul(xp, rows, y.reshape(product(y.shape[:y_num_col_dims]), product(right))).reshape(left + right)


def _mul_by_onednn(x, y, *, x_num_col_dims=1, y_num_col_dims=1):
    left, right = x.shape[:x_num_col_dims], y.shape[y_num_col_dims:]
    result = matmul_by_onednn(x.reshape(product(left), -1), y.reshape(-1, product(right)))
    return result if result is NotImplemented else result.reshape(left + right)


def _infer_mul(x, y, *, x_num_col_dims=1, y_num_col_dims=1):
    inner_x, inner_y = product(x.shape[x_num_col_dims:]), product(y.shape[:y_num_col_dims])
    if inner_x != inner_y and -1 not in (inner_x, inner_y):
        raise ValueError(
            f"mul(x, y): x flattened behind its first {x_num_col_dims} dimensions and y flattened to its first "
            f"{y_num_col_dims} must agree. Received x.shape={list(x.shape)}, y.shape={list(y.shape)}."
        )
    return Spec(x.shape[:x_num_col_dims] + y.shape[y_num_col_dims:], dt.promote(x.dtype, y.dtype))


def _mul_gradients(g: Any, x: Any, y: Any, x_dims: int, y_dims: int, wants: Sequence[bool]) -> tuple[Any, Any]:
    left, right = _matrix(x, x_dims), _matrix(y, y_dims)
    dx, dy = matmul_gradients(_matrix(g, x_dims), left, right, False, False, wants)
    return (None if dx is None else reshape_to(dx, shape_handle(x)),
            None if dy is None else reshape_to(dy, shape_handle(y)))


def _matrix(x: Any, dims: int) -> Any:
    x = apply(flatten_op, x, start_axis=dims, stop_axis=x.ndim - 1) if dims < x.ndim - 1 else x
    return apply(flatten_op, x, start_axis=0, stop_axis=dims - 1) if dims > 1 else x


mul_op = operator(
    "mul", "X, Y -> Out", kernel=_mul, engines=[by(ONEDNN, _mul_by_onednn, SIDE)], infer=_infer_mul, promotes=True,
    grad={"X, Y": lambda g, X, Y, x_num_col_dims, y_num_col_dims, wants: _mul_gradients(
        g, X, Y, x_num_col_dims, y_num_col_dims, wants)},
    cost=lambda inputs, outputs, attrs: 2 * product(outputs[0]) * product(inputs[0][attrs.get("x_num_col_dims", 1):]),
    precision="white")
