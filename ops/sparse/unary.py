"""Functions of a sparse tensor that are functions of its values: what they make of zero is zero.

Each gives a tensor with x's places; the values' gradients are those of the dense function.
"""


from collections.abc import Callable
from typing import Any

from ...core.dtype import convert_dtype
from ..core.trace import apply
from ..linalg.least_squares import pca_lowrank as dense_pca_lowrank
from ..math import elementwise, numbers
from ..math import unary as dense
from ..nn import activation
from .conversion import to_dense
from .values import check_sparse, coo, csr


def _of_values(function: Callable[..., Any], room: str = "") -> Callable[..., Any]:
    called = function.__name__

    def applied(x: Any, name: str | None = None) -> Any:
        check_sparse(f"{called}(x)", x)
        return x.with_values(function(x.values()))

    applied.__name__ = applied.__qualname__ = called
    applied.__doc__ = f"""`{called}` of the values of a sparse tensor, coo or csr, in a tensor with its places.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [1, 0]], [0.25, 0.5], [2, 2])
    >>> y = paddle.sparse.{room}{called}(x)
    >>> y.nnz(), bool((y.values() == paddle.{room}{called}(x.values())).all())
    (2, True)
    """
    return applied


sin, tan, asin, atan = map(_of_values, (dense.sin, dense.tan, dense.asin, dense.atan))
sinh, tanh, asinh, atanh = map(_of_values, (dense.sinh, dense.tanh, dense.asinh, dense.atanh))
sqrt, square, log1p, expm1, abs = map(_of_values, (dense.sqrt, dense.square, dense.log1p, dense.expm1, dense.abs))
isnan, neg = _of_values(dense.isnan), _of_values(elementwise.neg)
deg2rad, rad2deg = _of_values(numbers.deg2rad), _of_values(numbers.rad2deg)
relu = _of_values(activation.relu, "nn.functional.")


def relu6(x: Any, name: str | None = None) -> Any:
    """`nn.functional.relu6` of the values of a sparse tensor, in a tensor with its places.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [1, 0]], [-2.0, 8.0], [2, 2])
    >>> paddle.sparse.nn.functional.relu6(x).values().tolist()
    [0.0, 6.0]
    """
    check_sparse("nn.functional.relu6(x)", x)
    return x.with_values(apply(activation.relu6_op, x.values(), threshold=6.0))


def leaky_relu(x: Any, negative_slope: float = 0.01, name: str | None = None) -> Any:
    """`nn.functional.leaky_relu` of the values of a sparse tensor, in a tensor with its places.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [1, 0]], [-2.0, 8.0], [2, 2])
    >>> paddle.sparse.nn.functional.leaky_relu(x, 0.5).values().tolist()
    [-1.0, 8.0]
    """
    check_sparse("nn.functional.leaky_relu(x)", x)
    return x.with_values(apply(activation.leaky_relu_op, x.values(), alpha=float(negative_slope)))


def pow(x: Any, factor: float, name: str | None = None) -> Any:
    """The values of a sparse tensor to a power, a Python number, in a tensor with its places.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [1, 0]], [3.0, 4.0], [2, 2])
    >>> paddle.sparse.pow(x, 2.0).to_dense().tolist()
    [[0.0, 9.0], [16.0, 0.0]]
    """
    check_sparse("pow(x)", x)
    return x.with_values(elementwise.pow(x.values(), factor))


def scale_values(x: Any, number: Any) -> Any:
    """The values of a sparse tensor times a number."""
    return x.with_values(x.values() * number)


def cast(x: Any, index_dtype: Any = None, value_dtype: Any = None, name: str | None = None) -> Any:
    """A sparse tensor with its indices, and its values, in other dtypes; None leaves them as they are.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1]], [1.0, 2.0], [2])
    >>> y = paddle.sparse.cast(x, "int32", "float64")
    >>> y.indices().dtype.name, y.dtype.name
    ('int32', 'float64')
    """
    check_sparse("cast(x)", x)

    def converted(part: Any, dtype: Any) -> Any:
        return part if dtype is None or part.dtype is convert_dtype(dtype) else part.astype(dtype)

    values = converted(x.values(), value_dtype)
    if x.is_sparse_coo():
        return coo(converted(x.indices(), index_dtype), values, x.shape)
    return csr(converted(x.crows(), index_dtype), converted(x.cols(), index_dtype), values, x.shape)


def pca_lowrank(x: Any, q: int | None = None, center: bool = True, niter: int = 2, name: str | None = None) -> Any:
    """`paddle.linalg.pca_lowrank` of the dense matrix that x stands for: (U, S, V), dense.

    >>> import proa as paddle
    >>> x = paddle.diag(paddle.to_tensor([3.0, 2.0, 1.0])).to_sparse_coo(2)
    >>> u, s, v = paddle.sparse.pca_lowrank(x, q=3, center=False)
    >>> s.numpy().round(3).tolist()
    [3.0, 2.0, 1.0]
    """
    check_sparse("pca_lowrank(x)", x)
    return dense_pca_lowrank(to_dense(x), q, center, niter)

