"""Products of sparse matrices with dense ones and with each other: matmul, mv, masked_matmul, addmm."""


import math
from collections.abc import Sequence
from typing import Any

from ..array.creation import arange
from ..array.full import is_value, zeros
from ..array.rearrange import repeat_interleave
from ..array.reshape import reshape, squeeze, transpose, unsqueeze
from ..core.trace import apply
from ..math.cumulative import cumsum
from .binary import add
from .conversion import coalesce
from .pattern_products import added_product_op, sampled_product_op
from .unary import scale_values
from .values import (
    check_sparse,
    index_rows,
    is_sparse,
    merged,
    numbered,
    of_numbers,
    scattered,
    taken,
)


def _matrix(what: str, x: Any) -> tuple[Any, Any, Any]:
    """Of each entry of a sparse matrix, or several: the number of its matrix, its row counted on, its column."""
    if len(x.shape) < 2 or len(x.values().shape) != 1:
        raise ValueError(f"paddle.sparse.{what}: a matrix must have 2 or more dimensions, all of them with indices. "
                         f"Received shape {list(x.shape)}.")
    rows = index_rows(x)
    matrices = numbered(rows[:-2], x.shape[:-2]) if len(rows) > 2 else rows[0] * 0
    return matrices, matrices * x.shape[-2] + rows[-2], rows[-1]


def _check_inner(what: str, x_shape: Sequence[int], y_shape: Sequence[int]) -> None:
    fits = len(y_shape) >= 2 and x_shape[-1] == y_shape[-2] and (
        list(x_shape[:-2]) == list(y_shape[:-2]) or len(y_shape) == 2)
    if not fits:
        raise ValueError(f"paddle.sparse.{what}: [*, M, K] goes with [*, K, N] or [K, N]. Received {list(x_shape)} "
                         f"and {list(y_shape)}.")


def _flat(x: Any) -> Any:
    """Several matrices as one, their rows counted on."""
    return reshape(x, [math.prod(x.shape[:-1]), x.shape[-1]])


def matmul(x: Any, y: Any, name: str | None = None) -> Any:
    """The matrix product of a sparse x [*, M, K] with y [*, K, N].

    A dense y (of as many dimensions, or one matrix for all) gives a dense result; a sparse one of x's format a sparse
    result of that format, with entries where a product was added.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_csr_tensor([0, 1, 2], [1, 0], [2.0, 3.0], [2, 2])
    >>> paddle.sparse.matmul(x, paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[6.0, 8.0], [3.0, 6.0]]
    """
    check_sparse("matmul(x, y)", x)
    if not is_value(y):
        raise TypeError(f"paddle.sparse.matmul(x, y): y must be a tensor. Received {type(y).__name__}.")
    if is_sparse(y):
        return _sparse_product(x, y)
    if len(y.shape) == 1:
        return mv(x, y)
    _check_inner("matmul(x, y)", x.shape, y.shape)
    matrices, lines, cols = _matrix("matmul(x, y)", x)
    if len(y.shape) > 2:
        cols = matrices * x.shape[-1] + cols
    if y.dtype is not x.dtype:
        y = y.astype(x.dtype)
    base = zeros([math.prod(x.shape[:-1]), y.shape[-1]], x.dtype)
    out = apply(added_product_op, base, lines, cols, x.values(), _flat(y))
    return reshape(out, [*x.shape[:-1], y.shape[-1]])


def _sparse_product(x: Any, y: Any) -> Any:
    if x.is_sparse_coo() != y.is_sparse_coo():
        raise TypeError("paddle.sparse.matmul(x, y): two sparse tensors must both be coo or both csr. "
                        "x.to_sparse_coo(sparse_dim) and x.to_sparse_csr() convert them.")
    _check_inner("matmul(x, y)", x.shape, y.shape)
    matrices, lines, cols = _matrix("matmul(x, y)", x)
    other = y if y.is_sparse_csr() else coalesce(y)
    _, other_lines, other_cols = _matrix("matmul(x, y)", other)
    wanted = cols if len(y.shape) < len(x.shape) else matrices * x.shape[-1] + cols
    counts = scattered(other_lines * 0 + 1, other_lines, math.prod(y.shape[:-1]))
    starts = cumsum(counts) - counts
    pairs = taken(counts, wanted)
    left = repeat_interleave(arange(wanted.shape[0], dtype="int64"), pairs)
    ahead = taken(cumsum(pairs) - pairs, left)
    right = arange(left.shape[0], dtype="int64") - ahead + taken(taken(starts, wanted), left)
    products = taken(x.values(), left) * taken(other.values(), right)
    places, which = merged(taken(lines, left) * y.shape[-1] + taken(other_cols, right))
    shape = [*x.shape[:-1], y.shape[-1]]
    return of_numbers(x, places, scattered(products, which, places.shape[0]), shape, len(shape))


def mv(x: Any, vec: Any, name: str | None = None) -> Any:
    """The product of a sparse matrix x [M, N] with a dense vector [N]: [M].

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_csr_tensor([0, 1, 2], [1, 0], [2.0, 3.0], [2, 2])
    >>> paddle.sparse.mv(x, paddle.to_tensor([1.0, 2.0])).tolist()
    [4.0, 3.0]
    """
    check_sparse("mv(x, vec)", x)
    if len(vec.shape) != 1 or len(x.shape) != 2 or x.shape[1] != vec.shape[0]:
        raise ValueError(f"paddle.sparse.mv(x, vec): x must be [M, N] and vec [N]. Received {list(x.shape)} and "
                         f"{list(vec.shape)}.")
    return squeeze(matmul(x, unsqueeze(vec, -1)), -1)


def masked_matmul(x: Any, y: Any, mask: Any, name: str | None = None) -> Any:
    """The matrix product of dense x [*, M, K] and y [*, K, N] at the places of a sparse mask [*, M, N].

    Of the format of the mask, whose values are not looked at.

    >>> import proa as paddle
    >>> mask = paddle.sparse.sparse_csr_tensor([0, 1, 1], [1], [1.0], [2, 2])
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> paddle.sparse.masked_matmul(x, x, mask).to_dense().tolist()
    [[0.0, 10.0], [0.0, 0.0]]
    """
    check_sparse("masked_matmul(x, y, mask)", mask)
    if is_sparse(x) or is_sparse(y):
        raise TypeError("paddle.sparse.masked_matmul(x, y, mask): x and y must be dense. x.to_dense() makes them so.")
    if len(x.shape) != len(y.shape) or [*x.shape[:-1], y.shape[-1]] != list(mask.shape) or (
            x.shape[-1] != y.shape[-2]):
        raise ValueError(f"paddle.sparse.masked_matmul(x, y, mask): [*, M, K] and [*, K, N] go with a mask [*, M, N]. "
                         f"Received {list(x.shape)}, {list(y.shape)} and {list(mask.shape)}.")
    matrices, lines, cols = _matrix("masked_matmul(x, y, mask)", mask)
    rank = len(y.shape)
    columns = transpose(y, [*range(rank - 2), rank - 1, rank - 2])
    values = apply(sampled_product_op, lines, matrices * mask.shape[-1] + cols, _flat(x),
                   _flat(columns))
    return mask.with_values(values)


def addmm(input: Any, x: Any, y: Any, beta: float = 1.0, alpha: float = 1.0, name: str | None = None) -> Any:
    """beta * input + alpha * (x @ y), of a sparse x: input and y are dense, or all three sparse of one format.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_csr_tensor([0, 1, 2], [1, 0], [2.0, 3.0], [2, 2])
    >>> ones = paddle.ones([2, 2])
    >>> paddle.sparse.addmm(ones, x, ones, beta=2.0).tolist()
    [[4.0, 4.0], [5.0, 5.0]]
    """
    product = matmul(x, y)
    if is_sparse(input) != is_sparse(product):
        raise TypeError("paddle.sparse.addmm(input, x, y): input must be dense where y is dense, and sparse where y is "
                        "sparse.")
    if is_sparse(product):
        return add(scale_values(input, beta), scale_values(product, alpha))
    return input * beta + product * alpha

