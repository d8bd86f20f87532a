"""The methods of sparse tensors: those of dense ones that have a meaning for them, in place of the dense ones.

What is not here acts on dense tensors, and says so when a sparse one is given.
"""

from typing import Any

from . import binary, conversion, products, shapes, unary


def _reverse_multiply(x: Any, y: Any) -> Any:
    return binary.multiply(x, y)


def _converted(x: Any, dtype: Any) -> Any:
    return unary.cast(x, value_dtype=dtype)


def _reversed_axes(x: Any) -> Any:
    return shapes.transpose(x, range(len(x.shape))[::-1])


OF_BOTH: dict[str, Any] = {
    **{name: getattr(unary, name) for name in
       "sin tan asin atan sinh tanh asinh atanh sqrt square log1p expm1 abs isnan neg deg2rad rad2deg pow".split()},
    **{name: getattr(binary, name) for name in "add subtract multiply divide is_same_shape".split()},
    **{name: getattr(products, name) for name in "matmul mv addmm".split()},
    **{name: getattr(shapes, name) for name in "transpose reshape slice sum".split()},
    "__add__": binary.add, "__sub__": binary.subtract, "__mul__": binary.multiply, "__rmul__": _reverse_multiply,
    "__truediv__": binary.divide, "__neg__": unary.neg, "__pow__": unary.pow, "__abs__": unary.abs,
    "__matmul__": products.matmul,
    "T": property(_reversed_axes, doc="The tensor with its dimensions in reverse order."),
    "cast": _converted, "astype": _converted,
    "to_dense": conversion.to_dense,
}

OF_COO: dict[str, Any] = {
    "coalesce": conversion.coalesce, "to_sparse_coo": conversion.coo_to_coo, "to_sparse_csr": conversion.coo_to_csr,
}

OF_CSR: dict[str, Any] = {
    "coalesce": conversion.coalesce, "to_sparse_coo": conversion.csr_to_coo,
    "to_sparse_csr": conversion.dense_itself,
}
