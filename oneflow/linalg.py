"""`flow.linalg`: products, inverses, norms."""

from __future__ import annotations

from typing import Any

from ..ops.linalg import matrix_product
from ..ops.math.elementwise import scale
from .charge import their_face
from .functions.norms import matrix_norm, vector_norm
from .functions.norms import norm_of_order as norm
from .functions.products import cross as _cross
from .functions.products import det
from .functions.products import inverse as inv


@their_face
def matmul(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, alpha: float = 1.0,
           name: str | None = None) -> Any:
    """alpha * (a @ b), either transposed in its last two dimensions first; the others are of as many matrices.

    >>> import numpy as np
    >>> import proa.oneflow as flow
    >>> @flow.global_function()
    ... def job(a: flow.typing.Numpy.Placeholder((2, 2))) -> flow.typing.Numpy:
    ...     return flow.matmul(a, a, transpose_b=True)
    >>> job(np.array([[1, 2], [0, 1]], "float32")).tolist()
    [[5.0, 2.0], [2.0, 1.0]]
    """
    if len(a.shape) < 2 or len(b.shape) < 2:
        raise ValueError("matmul(a, b): both must have two dimensions at least. Received "
                         f"a.shape={list(a.shape)}, b.shape={list(b.shape)}.")
    if len(a.shape) != len(b.shape) and (len(b.shape) != 2 or transpose_a):
        raise ValueError("matmul(a, b): of different numbers of dimensions b must be a matrix, and a not transposed. "
                         f"Received a.shape={list(a.shape)}, b.shape={list(b.shape)}, transpose_a={transpose_a}.")
    result = matrix_product.matmul(a, b, transpose_a, transpose_b)
    return result if alpha == 1.0 else scale(result, float(alpha))


def cross(input: Any, other: Any, dim: int = -1) -> Any:
    """The product of vectors of three elements, along a dimension, that stands on both.

    >>> import proa.oneflow as flow
    >>> flow.linalg.cross(flow.tensor([1.0, 0.0, 0.0]), flow.tensor([0.0, 1.0, 0.0])).tolist()
    [0.0, 0.0, 1.0]
    """
    return _cross(input, other, dim)


__all__ = ["cross", "det", "inv", "matmul", "matrix_norm", "norm", "vector_norm"]
