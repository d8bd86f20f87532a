"""Products of matrices and vectors: matmul, bmm, mv, dot, inner, outer, addmm, kron, cross, tensordot, dist.

A product of a batch of vectors with one matrix is a single product of two matrices, forwards and backwards.
"""


import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend import onednn
from ...backend.engines import ONEDNN, generation
from ...backend.loops.tape import Declined
from ...core import dtype as dt
from ..array.full import is_value
from ..array.gradient_shapes import reshape_to, sum_to
from ..array.reshape import flatten_op, ints_of, reshape, shape_handle, transpose, unsqueeze_op
from ..array.unknown_sizes import count_of, size_at
from ..core import native
from ..core.deferred import MOST_ROWS, Deferred
from ..core.facts import matrix_product
from ..core.infer import broadcast_shapes, normalize_axis, product
from ..core.kernels import by
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply, state
from ..math.casting import cast
from ..math.elementwise import conj_of, multiply_op, operand
from ..math.reduce import sum as reduce_sum

# matmul

def _swapped(x: Any) -> Any:
    return x.swapaxes(-1, -2) if x.ndim > 1 else x


def _matmul(xp, x, y, *, trans_x: bool = False, trans_y: bool = False):
    if trans_x:
        x = _swapped(x)
    if trans_y:
        y = _swapped(y)
    if x.dtype.kind in "iu" and xp is np and y.dtype == x.dtype:
        return _product_of_integers(x, y)
    if x.ndim > 1 and y.ndim > 1 and x.shape[-1] == 1 == y.shape[-2]:
        return x * y  # nothing is summed, and one pass is what a product of matrices does in several
    if x.ndim > 2 and y.ndim == 2 and x.shape[-1] == y.shape[0]:
        rows = x.reshape(product(x.shape[:-1]), x.shape[-1])
        return xp.matmul(rows, y).reshape(*x.shape[:-1], y.shape[1])
    if x.ndim == 2 == y.ndim and xp is np and x.dtype.char in "fd" and x.size * y.shape[1] <= _ON_ONE_THREAD:
        return x.dot(y)  # the same product by the same function, found sooner
    return xp.matmul(x, y)


_ON_ONE_THREAD = 1 << 13
"""Multiplications up to which OpenBLAS never takes further threads, so that `dot` may be called.

It lets other threads run, as `matmul` of two matrices does not; and a fork while OpenBLAS' threads compute stops them
for ever.
"""
_EXACT = 1 << 53  # whole numbers up to this are float64's
_FEW_INTEGERS = 1 << 10  # elements of both up to which NumPy's own loop is as fast


def _product_of_integers(x: Any, y: Any) -> Any:
    """NumPy has a plain loop for integers: where every sum is exact in float64, that product is taken."""
    if x.size + y.size < _FEW_INTEGERS or not x.size or not y.size:
        return np.matmul(x, y)
    largest = [max(int(a.max()), -int(a.min())) for a in (x, y)]
    if largest[0] * largest[1] * x.shape[-1] > _EXACT:
        return np.matmul(x, y)
    return np.matmul(x.astype(np.float64), y.astype(np.float64)).astype(np.int64).astype(x.dtype)


_SIDE = math.isqrt(onednn.LARGE)  # the product of two smaller sizes is not above it


def _is_large(x, y, *, trans_x=False, trans_y=False):
    """Whether a product is large enough for oneDNN."""
    if x.rank < 2 or y.rank < 2:
        return max(x.size, y.size) > onednn.LARGE and x.rank != y.rank
    rows, columns = x.shape[-1 if trans_x else -2], y.shape[-2 if trans_y else -1]
    return max(x.size * columns, y.size * rows) > onednn.LARGE


def _matmul_by_onednn(x, y, *, trans_x=False, trans_y=False):
    """Of matrices that are small it is asked no further; `large_product` says the same of all others."""
    if x.ndim == 2 == y.ndim and x.size * y.shape[0 if trans_y else 1] <= onednn.LARGE:
        return NotImplemented
    if not onednn.is_ready() or x.shape[-2 if trans_x and x.ndim > 1 else -1] == 1:
        return NotImplemented
    if not _is_offered and native.module is not None:
        _offer()
    return onednn.large_product(_swapped(x) if trans_x else x, _swapped(y) if trans_y else y)


_is_offered = False  # whether the compiled form knows oneDNN's product, as long as it is wanted


def _offer() -> None:
    global _is_offered
    _is_offered, found = True, onednn.for_the_compiled_form()
    if found is not None and native.module is not None:
        native.module.serve_gemm(*found)


def _withdraw() -> None:
    global _is_offered
    _is_offered = False
    if native.module is not None:
        native.module.serve_gemm(0, 0, 0, None, 0, 0, 1, 0, 0.0)


generation.on_change(_withdraw)


def _infer_matmul(x, y, *, trans_x=False, trans_y=False):
    if x.rank == 0 or y.rank == 0:
        raise ValueError(
            f"matmul(x, y): both need at least one dimension; multiply a 0-d tensor with *. "
            f"Received x.shape={list(x.shape)}, y.shape={list(y.shape)}."
        )
    left = (1, *x.shape) if x.rank == 1 else _transposed(x.shape, trans_x)
    right = (*y.shape, 1) if y.rank == 1 else _transposed(y.shape, trans_y)
    if left[-1] != right[-2] and -1 not in (left[-1], right[-2]):
        raise ValueError(
            f"matmul(x, y): inner dimensions must agree. Received x.shape={list(x.shape)}, y.shape={list(y.shape)}, "
            f"transpose_x={trans_x}, transpose_y={trans_y}.{_matmul_hint(left, right)}"
        )
    batch = broadcast_shapes("matmul(x, y)", left[:-2], right[:-2])
    rows = () if x.rank == 1 else (left[-2],)
    columns = () if y.rank == 1 else (right[-1],)
    return Spec((*batch, *rows, *columns), dt.promote(x.dtype, y.dtype))


def _transposed(shape: tuple[int, ...], swap: bool) -> tuple[int, ...]:
    return (*shape[:-2], shape[-1], shape[-2]) if swap else shape


def _matmul_hint(left: Sequence[int], right: Sequence[int]) -> str:
    if left[-1] == right[-1]:
        return " Did you mean transpose_y the other way?"
    return " Did you mean transpose_x the other way?" if left[-2] == right[-2] else ""


def _mm(x: Any, y: Any, trans_x: bool = False, trans_y: bool = False) -> Any:
    return apply(matmul_op, x, y, trans_x=trans_x, trans_y=trans_y)


def _insert(x: Any, axis: int) -> Any:
    return apply(unsqueeze_op, x, None, None, axes=[axis])


def _as_rows(x: Any) -> Any:
    return apply(flatten_op, x, start_axis=0, stop_axis=x.ndim - 2) if x.ndim > 2 else x


def _of_weight(x: Any, g: Any) -> Any:
    """The gradient of y in x @ y, of matrices of the host."""
    return matmul_op.kernels.on_host(np, x, g, trans_x=True)


def _matmul_gradients(g: Any, x: Any, y: Any, trans_x: bool, trans_y: bool, wants: Sequence[bool],
                      to_leaf: Sequence[bool] = (False, False)) -> tuple[Any, Any]:
    """A vector is a matrix of one row (x) or one column (y) on the way."""
    if y.ndim == 2 and not trans_x and not trans_y:
        if type(g) is np.ndarray and x.size * y.shape[1] <= _ON_ONE_THREAD and x.ndim < 3 and x.dtype.char in "fd" \
                and state.observer is None and not matmul_op.kernels.registered:
            # Small arrays of the host are multiplied here, as the kernel multiplies them.
            return (g.dot(y.T) if wants[0] else None,
                    (x.T.dot(g) if x.ndim == 2 else x[:, None] * g) if wants[1] else None)
        if to_leaf[1] and not to_leaf[0] and type(g) is np.ndarray and x.ndim == 2 and g.shape[0] <= MOST_ROWS \
                and x.dtype.char in "fd" and g.dtype is x.dtype and state.observer is None \
                and not matmul_op.kernels.registered:
            if not wants[0]:
                dx = None
            elif g.size * y.shape[0] <= onednn.LARGE:
                dx = np.matmul(g, y.T)  # as the kernel does it
            else:
                dx = _mm(g, y, False, True)
            return dx, Deferred(_of_weight, x, g)
        if x.ndim == 2:
            return (_mm(g, conj_of(y), False, True) if wants[0] else None,
                    _mm(conj_of(x), g, True, False) if wants[1] else None)
        if x.ndim == 1:
            return (_mm(g, conj_of(y), False, True) if wants[0] else None,
                    apply(multiply_op, _insert(conj_of(x), 1), g) if wants[1] else None)
    left, right = x, y
    if x.ndim == 1:
        left, trans_x = _insert(x, 0), False
        g = _insert(g, g.ndim - 1 if y.ndim > 1 else 0)
    if y.ndim == 1:
        right, trans_y = _insert(y, 1), False
        g = _insert(g, g.ndim)
    dx = dy = None
    if wants[0]:
        other = conj_of(right)
        dx = _mm(other, g, trans_y, True) if trans_x else _mm(g, other, False, not trans_y)
        dx = _brought_back(dx, left, right, x)
    if wants[1]:
        other = conj_of(left)
        if left.ndim > 2 and right.ndim == 2 and not trans_x:
            other, g = _as_rows(other), _as_rows(g)
        dy = _mm(g, other, True, trans_x) if trans_y else _mm(other, g, not trans_x, False)
        dy = _brought_back(dy, right, left, y)
    return dx, dy


def _brought_back(gradient: Any, matrix: Any, other: Any, operand: Any) -> Any:
    """Summed over the batch dimensions along which `matrix` was broadcast, in the shape of the operand."""
    if gradient.ndim > 2 and other.ndim > 2:
        gradient = sum_to(gradient, shape_handle(matrix))
    return gradient if operand.ndim > 1 else reshape_to(gradient, shape_handle(operand))


def _of_broadcast_integers(x: Any, y: Any, *, trans_x: bool = False, trans_y: bool = False) -> Any:
    """The sum of products: of integers whose batches broadcast, Paddle's kernel writes beyond its memory."""
    broadcast = min(x.ndim, y.ndim) >= 2 < y.ndim and tuple(x.shape[:-2]) != tuple(y.shape[:-2])
    if x.dtype.is_differentiable or not broadcast:
        return NotImplemented
    left, right = _turned(x) if trans_x else x, _turned(y) if trans_y else y
    return cast(reduce_sum(_insert(left, x.ndim) * _insert(right, y.ndim - 2), -2), x.dtype)


def _turned(x: Any) -> Any:
    return transpose(x, [*range(x.ndim - 2), x.ndim - 1, x.ndim - 2])


def _taped_matmul(tape, x, y, *, trans_x=False, trans_y=False):
    if x.ndim > 2 and y.ndim == 2 and not trans_x:
        rows = tape.reshaped(x, (product(x.shape[:-1]), x.shape[-1]))
        found = tape.product(rows, y, False, trans_y)
        return tape.reshaped(found, (*x.shape[:-1], found.shape[1]))
    rows = tape.reshaped(x, (1, x.size)) if x.ndim == 1 else x
    columns = tape.reshaped(y, (y.size, 1)) if y.ndim == 1 else y
    if rows.ndim != 2 or columns.ndim != 2:
        raise Declined
    found = tape.product(rows, columns, trans_x and x.ndim > 1, trans_y and y.ndim > 1)
    return tape.reshaped(found, [n for n, one in zip(found.shape, (x, y), strict=True) if one.ndim > 1])


matmul_op = operator(
    "matmul_v2", "X, Y -> Out", kernel=_matmul, infer=_infer_matmul,
    engines=[by(ONEDNN, _matmul_by_onednn, _SIDE, _is_large, declines=True)], taped=_taped_matmul,
    promotes=True, composed=_of_broadcast_integers,
    grad={"X, Y": lambda g, X, Y, trans_x, trans_y, wants, to_leaf: _matmul_gradients(
        g, X, Y, trans_x, trans_y, wants, to_leaf)},
    cost=matrix_product, precision="white", lod="drop", compiled="matmul", alike="product")

if native.module is not None:
    native.module.serve_products(np.matmul, Deferred, _of_weight, _ON_ONE_THREAD, onednn.LARGE, MOST_ROWS)


def matmul(x: Any, y: Any, transpose_x: bool = False, transpose_y: bool = False, name: str | None = None) -> Any:
    """The matrix product x @ y: [..., m, k] by [..., k, n] gives [..., m, n], leading dimensions broadcasting.

    A vector x counts as a row, a vector y as a column, and the extra dimension is dropped again. `transpose_x` and
    `transpose_y` exchange the last two dimensions first. Raises ValueError when the inner dimensions differ.

    >>> import proa as paddle
    >>> paddle.matmul(paddle.ones([2, 3]), paddle.ones([3, 4])).shape
    [2, 4]
    """
    return apply(matmul_op, x, y, trans_x=transpose_x, trans_y=transpose_y)


def mm(input: Any, mat2: Any, name: str | None = None) -> Any:
    """The matrix product input @ mat2.

    >>> import proa as paddle
    >>> paddle.mm(paddle.to_tensor([[1.0, 2.0]]), paddle.to_tensor([[3.0], [4.0]])).tolist()
    [[11.0]]
    """
    return apply(matmul_op, input, mat2, trans_x=False, trans_y=False)


def matmul_operator(x: Any, y: Any) -> Any:
    """x @ y, where y may be a NumPy array or nested lists."""
    return matmul(*operand(x, y))


def reverse_matmul(x: Any, y: Any) -> Any:
    """y @ x."""
    x, y = operand(x, y)
    return matmul(y, x)


# products of fixed rank

def _ranks(what: str, *wanted: tuple[Spec, Sequence[int]]) -> None:
    for spec, ranks in wanted:
        if spec.rank not in ranks:
            raise ValueError(f"{what}: received a tensor of shape {list(spec.shape)}; it must have "
                             f"{' or '.join(map(str, ranks))} dimensions.")


def _infer_bmm(x, y):
    _ranks("bmm(x, y)", (x, [3]), (y, [3]))
    return _infer_matmul(x, y)


def _infer_mv(x, vec):
    _ranks("mv(x, vec)", (x, [2]), (vec, [1]))
    return _infer_matmul(x, vec)


def _infer_dot(x, y):
    _ranks("dot(x, y)", (x, [1, 2]), (y, [1, 2]))
    return Spec(broadcast_shapes("dot(x, y)", x.shape, y.shape)[:-1], x.dtype)


def _last(g: Any) -> Any:
    return _insert(g, g.ndim)


bmm_op = operator("bmm", "X, Y -> Out", kernel=lambda xp, x, y: xp.matmul(x, y),
                  engines=[by(ONEDNN, _matmul_by_onednn, _SIDE, _is_large, declines=True)],
                  infer=_infer_bmm, promotes=True,
                  grad={"X, Y": lambda g, X, Y, wants: _matmul_gradients(g, X, Y, False, False, wants)},
                  cost=matrix_product)
mv_op = operator("mv", "X, Vec -> Out", kernel=lambda xp, x, y: xp.matmul(x, y),
                 engines=[by(ONEDNN, _matmul_by_onednn, _SIDE, _is_large, declines=True)],
                 infer=_infer_mv, promotes=True,
                 grad={"X, Vec": lambda g, X, Vec, wants: _matmul_gradients(g, X, Vec, False, False, wants)},
                 cost=matrix_product)
dot_op = operator(
    "dot", "X, Y -> Out", kernel=lambda xp, x, y: (x * y).sum(-1, dtype=x.dtype), infer=_infer_dot, promotes=True,
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

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([3.0, 6.0]), paddle.to_tensor([4.0, 8.0])
    >>> paddle.inner(x, y).tolist()
    60.0
    """
    if x.ndim == 0 or y.ndim == 0:
        return x * y
    m, n = x.shape[-1], y.shape[-1]
    if m != n and min(m, n) >= 0:
        raise ValueError(f"inner(x, y): the last dimensions must be of one size. Received x.shape={list(x.shape)}, "
                         f"y.shape={list(y.shape)}.")
    return tensordot(x, y, [[-1], [-1]])


def outer(x: Any, y: Any, name: str | None = None) -> Any:
    """The products of each element of x with each of y, both flattened: a matrix.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([1.0, 2.0])
    >>> paddle.outer(x, y).tolist()
    [[1.0, 2.0], [2.0, 4.0]]
    """
    return matmul(reshape(x, [-1, 1]), reshape(y, [1, -1]))


def tensordot(x: Any, y: Any, axes: Any = 2, name: str | None = None) -> Any:
    """The sum of products over pairs of dimensions: the last `axes` of x with the first of y, or `axes[0]` of x with
    `axes[1]` of y. The result has the other dimensions of x, then those of y.

    One list serves both; of two lists the shorter one goes on like the longer. A dimension of size 1 meets any other.

    >>> import proa as paddle
    >>> paddle.tensordot(paddle.ones([2, 3, 4]), paddle.ones([4, 3, 5]), axes=[[1, 2], [1, 0]]).shape
    [2, 5]
    """
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
    if not isinstance(axes, (list, tuple)):
        count, least = int(axes), min(x.ndim, y.ndim)
        if not 0 <= count <= least:
            raise ValueError(f"{what}: must be 0 to {least}, which x and y have dimensions for. Received {axes}.")
        return list(range(x.ndim - count, x.ndim)), list(range(count))
    axes = [n.tolist() if is_value(n) or isinstance(n, np.ndarray) else n for n in axes]
    pair = axes if axes and isinstance(axes[0], (list, tuple)) else (axes, axes)
    first, second = ints_of(pair[0]), ints_of(pair[-1])
    first, second = [*first, *second[len(first):]], [*second, *first[len(second):]]
    return ([normalize_axis(what, n, x.ndim) for n in first], [normalize_axis(what, n, y.ndim) for n in second])


def _addmm(xp, input, x, y, *, Alpha: float = 1.0, Beta: float = 1.0):
    return (Beta * input + Alpha * xp.matmul(x, y)).astype(xp.result_type(x, y))


def _addmm_by_onednn(input, x, y, *, Alpha=1.0, Beta=1.0):
    result = _matmul_by_onednn(x, y)
    return result if result is NotImplemented else (Beta * input + Alpha * result).astype(x.dtype)


def _infer_addmm(input, x, y, *, Alpha=1.0, Beta=1.0):
    result = _infer_matmul(x, y)
    return Spec(broadcast_shapes("addmm(input, x, y)", input.shape, result.shape), result.dtype)


addmm_op = operator(
    "addmm", "Input, X, Y -> Out", kernel=_addmm, infer=_infer_addmm,
    engines=[by(ONEDNN, _addmm_by_onednn, _SIDE, lambda input, x, y, **_: _is_large(x, y))],
    grad={"Input": lambda g, Input_shape, Beta: sum_to(g * Beta, Input_shape),
          "X": lambda g, Y, Alpha: _mm(g, Y, False, True) * Alpha,
          "Y": lambda g, X, Alpha: _mm(X, g, True, False) * Alpha})


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
    return xp.matmul(rows, y.reshape(product(y.shape[:y_num_col_dims]), product(right))).reshape(left + right)


def _mul_by_onednn(x, y, *, x_num_col_dims=1, y_num_col_dims=1):
    left, right = x.shape[:x_num_col_dims], y.shape[y_num_col_dims:]
    result = _matmul_by_onednn(x.reshape(product(left), -1), y.reshape(-1, product(right)))
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
    dx, dy = _matmul_gradients(_matrix(g, x_dims), left, right, False, False, wants)
    return (None if dx is None else reshape_to(dx, shape_handle(x)),
            None if dy is None else reshape_to(dy, shape_handle(y)))


def _matrix(x: Any, dims: int) -> Any:
    x = apply(flatten_op, x, start_axis=dims, stop_axis=x.ndim - 1) if dims < x.ndim - 1 else x
    return apply(flatten_op, x, start_axis=0, stop_axis=dims - 1) if dims > 1 else x


mul_op = operator(
    "mul", "X, Y -> Out", kernel=_mul, engines=[by(ONEDNN, _mul_by_onednn, _SIDE)], infer=_infer_mul, promotes=True,
    grad={"X, Y": lambda g, X, Y, x_num_col_dims, y_num_col_dims, wants: _mul_gradients(
        g, X, Y, x_num_col_dims, y_num_col_dims, wants)},
    cost=lambda inputs, outputs, attrs: 2 * product(outputs[0]) * product(inputs[0][attrs.get("x_num_col_dims", 1):]),
    precision="white")
