"""The matrix product, on NumPy, by panels, oneDNN or the compiled form, and its gradients.

A product of a batch of vectors with one matrix is a single product of two matrices, forwards and backwards. A large one
with a matrix that lies by rows is computed by panels, the same bits whether they are kept or not.
"""


import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend import onednn, products
from ...backend.engines import ONEDNN, generation
from ...backend.loops.tape import Declined
from ...backend.memory import keep_freed
from ...core import dtype as dt
from ..array.gradient_shapes import reshape_to, sum_to
from ..array.reshape import flatten_op, shape_handle, transpose, unsqueeze_op
from ..core import kept_panels, native
from ..core.deferred import MOST_ROWS, Deferred
from ..core.facts import matrix_product
from ..core.infer import broadcast_shapes, product
from ..core.kernels import by
from ..core.operator import operator
from ..core.panels import PANELS, ROWS, multiply, multiply_by_rows, multiply_turned, serve_products
from ..core.result_names import results_named
from ..core.spec import Spec
from ..core.trace import apply, state
from ..math.casting import cast
from ..math.elementwise import conj_of, multiply_op
from ..math.operands import operand
from ..math.reduce import sum as reduce_sum

_FLOAT32 = np.dtype(np.float32)


def _swapped(x: Any) -> Any:
    return x.swapaxes(-1, -2) if x.ndim > 1 else x


def matmul_kernel(xp, x, y, *, trans_x: bool = False, trans_y: bool = False):
    """The product by the way that suits the shapes and dtype."""
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
        return products.matmul(xp, rows, y).reshape(*x.shape[:-1], y.shape[1])
    if x.ndim == 2 == y.ndim and xp is np and x.dtype.char in "fd" and x.size * y.shape[1] <= _ON_ONE_THREAD:
        return x.dot(y)  # the same product by the same function, found sooner
    return products.matmul(xp, x, y)


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
    return products.matmul(np, x.astype(np.float64), y.astype(np.float64)).astype(np.int64).astype(x.dtype)


SIDE = math.isqrt(onednn.LARGE)  # the product of two smaller sizes is not above it


def is_large(x, y, *, trans_x=False, trans_y=False):
    """Whether a product is large enough for oneDNN."""
    if x.rank < 2 or y.rank < 2:
        return max(x.size, y.size) > onednn.LARGE and x.rank != y.rank
    rows, columns = x.shape[-1 if trans_x else -2], y.shape[-2 if trans_y else -1]
    return max(x.size * columns, y.size * rows) > onednn.LARGE


def matmul_by_onednn(x, y, *, trans_x=False, trans_y=False):
    """Of matrices that are small it is asked no further; `large_product` says the same of all others."""
    if x.ndim == 2 == y.ndim and x.size * y.shape[0 if trans_y else 1] <= onednn.LARGE:
        return NotImplemented
    if x.shape[-2 if trans_x and x.ndim > 1 else -1] == 1:
        return NotImplemented
    left, right = _swapped(x) if trans_x else x, _swapped(y) if trans_y else y
    early = NotImplemented if _is_offered else onednn.early_product(left, right)
    if early is not NotImplemented or not onednn.is_ready():
        return early
    if not _is_offered and native.module is not None:
        _offer()
    return onednn.large_product(left, right)


_COLUMNS = 8  # fewer fill the vectors of a panel badly
_LEAST_ROWS = 8  # for which a matrix that is read by its rows is brought into panels


def matmul_by_panels(x, y, *, trans_x=False, trans_y=False):
    """Of what is large, with a matrix that lies by rows; or of two such, the first of them turned."""
    columns = y.shape[0 if trans_y else -1]
    if y.ndim != 2 or x.ndim < 2 or x.dtype is not _FLOAT32 or y.dtype is not _FLOAT32 or (trans_x and trans_y) \
            or x.shape[-2 if trans_x else -1] != y.shape[1 if trans_y else 0] or x.size * columns <= onednn.LARGE:
        return NotImplemented
    if not _are_panels_offered:
        _offer_panels()
    if trans_x:
        return multiply_turned(x, y)
    if columns < _COLUMNS or not y.flags.c_contiguous:
        return NotImplemented
    if trans_y:
        rows = multiply_by_rows(x.reshape(-1, x.shape[-1]), y)
        if rows is not NotImplemented:
            return rows.reshape(*x.shape[:-1], columns)
        found = multiply(x, y, kind=ROWS) if x.size >= _LEAST_ROWS * x.shape[-1] else None
        return NotImplemented if found is None else found
    kept = kept_panels.of_matrix(y)
    found = multiply(x, y) if kept is None else kept(x, y, None, None)
    return NotImplemented if found is None else found


_are_panels_offered = False  # whether the compiled form knows of them, as long as they are wanted


def _offer_panels() -> None:
    global _are_panels_offered
    _are_panels_offered = True
    keep_freed()
    serve_products(kept_panels.of_matrix)


_is_offered = False  # whether the compiled form knows oneDNN's product, as long as it is wanted


def _offer() -> None:
    global _is_offered
    _is_offered, found = True, onednn.for_the_compiled_form()
    if found is not None and native.module is not None:
        native.module.serve_gemm(*found)


def _withdraw() -> None:
    global _is_offered, _are_panels_offered
    _is_offered = _are_panels_offered = False
    serve_products(None)
    if native.module is not None:
        native.module.serve_gemm(0, 0, 0, None, 0, 0, 1, 0, 0, 0, 0.0, (1, 0, 0))


generation.on_change(_withdraw)


def infer_matmul(x, y, *, trans_x=False, trans_y=False):
    """The product's shape and dtype; ValueError where the operands do not fit."""
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


def product_of(x: Any, y: Any, trans_x: bool = False, trans_y: bool = False) -> Any:
    """x @ y of values, as gradients need it."""
    return apply(matmul_op, x, y, trans_x=trans_x, trans_y=trans_y)


def insert_axis(x: Any, axis: int) -> Any:
    """x with a dimension of size 1 before `axis`."""
    return apply(unsqueeze_op, x, None, None, axes=[axis])


def _as_rows(x: Any) -> Any:
    return apply(flatten_op, x, start_axis=0, stop_axis=x.ndim - 2) if x.ndim > 2 else x


def _of_weight(x: Any, g: Any) -> Any:
    """The gradient of y in x @ y, of matrices of the host."""
    return matmul_op.kernels.on_host(np, x, g, trans_x=True)


def matmul_gradients(g: Any, x: Any, y: Any, trans_x: bool, trans_y: bool, wants: Sequence[bool],
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
                dx = product_of(g, y, False, True)
            return dx, Deferred(_of_weight, x, g)
        if x.ndim == 2:
            return (product_of(g, conj_of(y), False, True) if wants[0] else None,
                    product_of(conj_of(x), g, True, False) if wants[1] else None)
        if x.ndim == 1:
            return (product_of(g, conj_of(y), False, True) if wants[0] else None,
                    apply(multiply_op, insert_axis(conj_of(x), 1), g) if wants[1] else None)
    left, right = x, y
    if x.ndim == 1:
        left, trans_x = insert_axis(x, 0), False
        g = insert_axis(g, g.ndim - 1 if y.ndim > 1 else 0)
    if y.ndim == 1:
        right, trans_y = insert_axis(y, 1), False
        g = insert_axis(g, g.ndim)
    dx = dy = None
    if wants[0]:
        other = conj_of(right)
        dx = product_of(other, g, trans_y, True) if trans_x else product_of(g, other, False, not trans_y)
        dx = _brought_back(dx, left, right, x)
    if wants[1]:
        other = conj_of(left)
        if left.ndim > 2 and right.ndim == 2 and not trans_x:
            other, g = _as_rows(other), _as_rows(g)
        dy = product_of(g, other, True, trans_x) if trans_y else product_of(other, g, not trans_x, False)
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
    return cast(reduce_sum(insert_axis(left, x.ndim) * insert_axis(right, y.ndim - 2), -2), x.dtype)


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
    "matmul_v2", "X, Y -> Out", kernel=matmul_kernel, infer=infer_matmul,
    engines=[by(PANELS, matmul_by_panels, SIDE, is_large, declines=True),
             by(ONEDNN, matmul_by_onednn, SIDE, is_large, declines=True)], taped=_taped_matmul,
    promotes=True, composed=_of_broadcast_integers,
    grad={"X, Y": lambda g, X, Y, trans_x, trans_y, wants, to_leaf: matmul_gradients(
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


@results_named("mm")
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
