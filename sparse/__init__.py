"""`paddle.sparse`: tensors that hold their entries only, in coordinate format (coo) or in compressed rows (csr).

They are made here, or of dense tensors by `x.to_sparse_coo(sparse_dim)` and `x.to_sparse_csr()`; `x.to_dense()` goes
back. Gradients flow through all functions, to the entries.
"""

from ..core.absent import asked_of
from ..ops.sparse.binary import add, divide, is_same_shape, multiply, subtract
from ..ops.sparse.conversion import coalesce
from ..ops.sparse.creation import sparse_coo_tensor, sparse_csr_tensor
from ..ops.sparse.products import addmm, masked_matmul, matmul, mv
from ..ops.sparse.shapes import reshape, slice, sum, transpose
from ..ops.sparse.unary import (
    abs,
    asin,
    asinh,
    atan,
    atanh,
    cast,
    deg2rad,
    expm1,
    isnan,
    log1p,
    neg,
    pca_lowrank,
    pow,
    rad2deg,
    sin,
    sinh,
    sqrt,
    square,
    tan,
    tanh,
)
from . import nn

__all__ = [
    "abs", "add", "addmm", "asin", "asinh", "atan", "atanh", "cast", "coalesce", "deg2rad", "divide", "expm1",
    "is_same_shape", "isnan", "log1p", "masked_matmul", "matmul", "multiply", "mv", "neg", "pca_lowrank", "pow",
    "rad2deg", "reshape", "sin", "sinh", "slice", "sparse_coo_tensor", "sparse_csr_tensor", "sqrt", "square",
    "subtract", "sum", "tan", "tanh", "transpose",
]
__getattr__ = asked_of(__name__)
