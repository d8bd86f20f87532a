"""Products: matmul, mul, bmm, dot, addmm, cos_sim, cross, dist, and numbers of all elements."""

from __future__ import annotations

from typing import Any

from ...ops.math import statistics
from ..layer_helper import LayerHelper
from ..mode import face
from .elementwise import elementwise_add, elementwise_mul, reduce_sum
from .manipulation import reshape
from .ops import exp, log
from .tensor import assign


@face
def matmul(x: Any, y: Any, transpose_x: bool = False, transpose_y: bool = False, alpha: float = 1.0,
           name: str | None = None) -> Any:
    """alpha * x @ y. A vector x is a row, transposed a column; a vector y is a column, transposed a row.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program()):
    ...     x = fluid.data("x", [None, 2, 3])
    ...     fluid.layers.matmul(x, x, transpose_y=True).shape
    (-1, 2, 2)
    """
    return LayerHelper("matmul", name=name).apply("matmul", x, y, transpose_X=transpose_x, transpose_Y=transpose_y,
                                                  alpha=float(alpha))


@face
def mul(x: Any, y: Any, x_num_col_dims: int = 1, y_num_col_dims: int = 1, name: str | None = None) -> Any:
    """The product of x and y, flattened to matrices behind so many dimensions."""
    return LayerHelper("mul", name=name).apply("mul", x, y, x_num_col_dims=x_num_col_dims,
                                               y_num_col_dims=y_num_col_dims)


@face
def bmm(x: Any, y: Any, name: str | None = None) -> Any:
    """The products of matrices, one by one."""
    return LayerHelper("bmm", name=name).apply("bmm", x, y)


@face
def dot(x: Any, y: Any, name: str | None = None) -> Any:
    """The sums of products along the last dimension, which stays, of 1."""
    helper = LayerHelper("dot", name=name)
    return helper.apply("reduce_sum", helper.apply("elementwise_mul", x, y, axis=-1), dim=[-1], keep_dim=True,
                        reduce_all=False)


@face
def addmm(input: Any, x: Any, y: Any, alpha: float = 1.0, beta: float = 1.0, name: str | None = None) -> Any:
    """beta * input + alpha * x @ y."""
    return LayerHelper("addmm", name=name).apply("addmm", input, x, y, Alpha=alpha, Beta=beta)


@face
def addcmul(input: Any, tensor1: Any, tensor2: Any, value: float = 1.0, out: Any = None,
            name: str | None = None) -> Any:
    """input + value * tensor1 * tensor2."""
    made = elementwise_add(input, elementwise_mul(tensor1, tensor2) * value)
    return made if out is None else assign(made, out)


@face
def cos_sim(X: Any, Y: Any) -> Any:
    """[N, 1]: the cosine between rows; Y may have one row."""
    return LayerHelper("cos_sim").apply("cos_sim", X, Y)[0]


@face
def dist(x: Any, y: Any, p: float = 2) -> Any:
    """The norm of order p of x - y, [1]."""
    made = statistics.dist(x, y, p)
    return reshape(made, [1])


@face
def cross(input: Any, other: Any, dim: int | None = None) -> Any:
    """The cross product along a dimension of size 3, by default the first one of that size."""
    return LayerHelper("cross").apply("cross", input, other, **({} if dim is None else {"dim": dim}))


@face
def t(input: Any, name: str | None = None) -> Any:
    """A matrix with rows and columns exchanged; anything of one dimension as it is."""
    return input if len(input.shape) < 2 else LayerHelper("t", name=name).apply("transpose2", input, axis=[1, 0])


@face
def logsumexp(x: Any, dim: Any = None, keepdim: bool = False, out: Any = None, name: str | None = None) -> Any:
    """log(sum(exp(x)))."""
    made = log(reduce_sum(exp(x), dim, keepdim), name)
    return made if out is None else assign(made, out)


@face
def allclose(input: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False,
             name: str | None = None) -> Any:
    """Whether all elements differ by no more than atol + rtol * abs(other), [1]."""
    return LayerHelper("allclose", name=name).apply("allclose", input, other, None, None, rtol=str(rtol),
                                                    atol=str(atol), equal_nan=equal_nan)


@face
def elementwise_equal(x: Any, y: Any, name: str | None = None) -> Any:
    """Whether elements are equal."""
    return LayerHelper("elementwise_equal", name=name).apply("equal", x, y)


@face
def clamp(input: Any, min: Any = None, max: Any = None, output: Any = None, name: str | None = None) -> Any:
    """Each element brought between min and max, numbers or tensors of one element."""
    from ...ops.array.full import is_value

    low, high = (value if is_value(value) else None for value in (min, max))
    attrs = {key: float(value) for key, value in (("min", min), ("max", max))
             if value is not None and not is_value(value)}
    return LayerHelper("clamp", name=name).apply("clip", input, low, high, out=output, **attrs)


__all__ = ["addcmul", "addmm", "allclose", "bmm", "clamp", "cos_sim", "cross", "dist", "dot", "elementwise_equal",
           "logsumexp", "matmul", "mul", "t"]
