"""Sums, differences, products and quotients of two sparse tensors of one format and shape."""


import math
from collections.abc import Callable
from typing import Any

from ..array.concat_split import concat
from ..array.creation import arange
from ..array.full import is_value
from ..array.reshape import reshape
from ..core.infer import shape_in
from ..math import elementwise
from .conversion import as_coo, in_kind, to_dense
from .unary import scale_values
from .values import (
    are_in_order,
    check_sparse,
    coo,
    index_rows,
    merged,
    numbered,
    of_numbers,
    scattered,
    sparse_sizes,
    unnumbered,
)


def is_same_shape(x: Any, y: Any) -> bool:
    """Whether two tensors, sparse or dense, have the same shape.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [1, 0]], [3.0, 4.0], [2, 2])
    >>> paddle.sparse.is_same_shape(x, paddle.ones([2, 2]))
    True
    """
    return list(shape_in(x)) == list(shape_in(y))


def _checked(what: str, x: Any, y: Any) -> Any:
    """y in x's dtype, if both can be combined."""
    check_sparse(f"{what}(x, y)", x, y)
    if x.is_sparse_coo() != y.is_sparse_coo() or (x.is_sparse_coo() and x.indices().shape[0] != y.indices().shape[0]):
        raise TypeError(f"paddle.sparse.{what}(x, y): both must be coo, with indices of as many dimensions, or both "
                        "csr. x.to_sparse_coo(sparse_dim) and x.to_sparse_csr() convert them.")
    if not is_same_shape(x, y):
        raise ValueError(f"paddle.sparse.{what}(x, y): both must have one shape. Received {list(x.shape)} and "
                         f"{list(y.shape)}.")
    return y if y.dtype is x.dtype else y.with_values(y.values().astype(x.dtype))


def _combined(what: str, function: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    """`function` of the values at the places that either has."""
    y = _checked(what, x, y)
    sizes = sparse_sizes(x)
    own, other = numbered(index_rows(x), sizes), numbered(index_rows(y), sizes)
    if own.shape == other.shape and bool((own == other).all()) and are_in_order(own):
        return x.with_values(function(x.values(), y.values()))
    places, which = merged(concat([own, other]))
    count, nnz = places.shape[0], own.shape[0]
    values = function(scattered(x.values(), which[:nnz], count), scattered(y.values(), which[nnz:], count))
    return of_numbers(x, places, values, x.shape, len(sizes))


def _is_number(y: Any) -> bool:
    return isinstance(y, (int, float, complex)) or (is_value(y) and not hasattr(y, "with_values") and y.size == 1)


def add(x: Any, y: Any, name: str | None = None) -> Any:
    """x + y of two sparse tensors of one format and shape, with entries where either has one.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1]], [1.0, 2.0], [3])
    >>> y = paddle.sparse.sparse_coo_tensor([[1, 2]], [3.0, 4.0], [3])
    >>> paddle.sparse.add(x, y).to_dense().tolist()
    [1.0, 5.0, 4.0]
    """
    return _combined("add", elementwise.add, x, y)


def subtract(x: Any, y: Any, name: str | None = None) -> Any:
    """x - y of two sparse tensors; as `add`.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [1, 0]], [3.0, 4.0], [2, 2])
    >>> paddle.sparse.subtract(x, x).values().tolist()
    [0.0, 0.0]
    """
    return _combined("subtract", elementwise.subtract, x, y)


def multiply(x: Any, y: Any, name: str | None = None) -> Any:
    """x * y of two sparse tensors, as `add`; or a sparse tensor times a number.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [1, 0]], [3.0, 4.0], [2, 2])
    >>> paddle.sparse.multiply(x, x).values().tolist()
    [9.0, 16.0]
    """
    if _is_number(y):
        check_sparse("multiply(x, y)", x)
        return scale_values(x, reshape(y, []) if is_value(y) else y)
    return _combined("multiply", elementwise.multiply, x, y)


def divide(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y, with an entry at every place: nan where neither has one. Integers are divided as float32.

    y may be a number, too: then the result has x's places.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1]], [3.0, 4.0], [2])
    >>> y = paddle.sparse.sparse_coo_tensor([[0, 1]], [2.0, 2.0], [2])
    >>> paddle.sparse.divide(x, y).values().tolist()
    [1.5, 2.0]
    """
    if _is_number(y):
        check_sparse("divide(x, y)", x)
        return x.with_values(x.values() / (reshape(y, []) if is_value(y) else y))
    y = _checked("divide", x, y)
    left, right = as_coo(x), as_coo(y)
    if x.dtype.name.startswith(("int", "uint")):
        left, right = (z.with_values(z.values().astype("float32")) for z in (left, right))
    return in_kind(_everywhere(to_dense(left) / to_dense(right), left.indices().shape[0]), x)


def _everywhere(x: Any, sparse_dim: int) -> Any:
    """A dense tensor in coordinate format, with an entry at every place."""
    sizes = x.shape[:sparse_dim]
    places = unnumbered(arange(math.prod(sizes), dtype="int64"), sizes)
    return coo(places, reshape(x, [-1, *x.shape[sparse_dim:]]), x.shape)
