"""Products of matrices and vectors: `flow.matmul`, `flow.bmm`, `flow.einsum`, …"""

from __future__ import annotations

from typing import Any

from ...ops.array import diagonal
from ...ops.linalg import distances, matrix_product, products, solving
from ...ops.linalg.einsum import einsum as _einsum
from ...ops.math import elementwise
from ..charge import apply_op, flowing
from .arithmetic import as_value

_AS_GIVEN = {"trans_x": False, "trans_y": False}


def matmul(input: Any, other: Any, *, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    """The matrix product; a vector counts as a row before it, and as a column behind it.

    >>> import proa.oneflow as flow
    >>> flow.matmul(flow.ones(2, 3), flow.ones(3, 4)).shape
    oneflow.Size([2, 4])
    """
    if not getattr(other, "_is_proa_value", False):
        other = flowing(as_value)(other)
    return apply_op(matrix_product.matmul_op, (input, other), _AS_GIVEN if not transpose_a and not transpose_b else {
        "trans_x": transpose_a, "trans_y": transpose_b})


def mm(input: Any, mat2: Any) -> Any:
    """The product of two matrices."""
    return apply_op(matrix_product.matmul_op, (input, mat2), _AS_GIVEN)


def reverse_matmul(self: Any, other: Any) -> Any:
    """`other @ self`."""
    return flowing(matrix_product.reverse_matmul)(self, other)


bmm, mv, dot = flowing(products.bmm), flowing(products.mv), flowing(products.dot)
batch_matmul = bmm
inverse = flowing(solving.inverse)


@flowing
def addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * input + alpha * mat1 @ mat2."""
    return products.addmm(input, mat1, mat2, beta, alpha)


@flowing
def baddbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * input + alpha * the products of two batches of matrices."""
    product = elementwise.multiply(products.bmm(batch1, batch2), alpha)
    return elementwise.add(elementwise.multiply(input, beta), product) if beta != 0 else product


@flowing
def tensordot(a: Any, b: Any, dims: Any = 2) -> Any:
    """The product over several dimensions: the last of a and the first of b, or those given."""
    return products.tensordot(a, b, dims)


@flowing
def einsum(equation: str, *operands: Any) -> Any:
    """A product over named dimensions: `einsum("ij,jk->ik", a, b)`."""
    given = list(operands[0]) if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else list(operands)
    return _einsum(equation, *given)


@flowing
def cross(input: Any, other: Any, dim: int | None = None) -> Any:
    """The product of vectors of three elements that stands on both."""
    return diagonal.cross(input, other) if dim is None else diagonal.cross(input, other, dim)


det = flowing(solving.det)


@flowing
def cdist(x1: Any, x2: Any, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary") -> Any:
    """The distances of each row of x1, of shape [..., P, M], from each of x2, [..., R, M]: of shape [..., P, R].

    >>> import proa.oneflow as flow
    >>> flow.cdist(flow.zeros(1, 2), flow.tensor([[3.0, 4.0]])).tolist()
    [[5.0]]
    """
    return distances.cdist(x1, x2, p, compute_mode)
