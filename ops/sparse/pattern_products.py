"""Products of a sparse matrix with a dense one, and products of dense matrices at the places of a pattern.

A pattern is two vectors, the row and the column number of each entry, in any order. Each operator is the other's
gradient. Entries are taken in pieces, so that no array of entries times columns is made.
"""


from typing import Any

from ...backend.scatter import within_bounds
from ..array.full import full_of_shape
from ..array.gather import add_at
from ..core.infer import same
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import dtype_of

_AT_ONCE = 1 << 20


def _pieces(entries: int, width: int) -> list[slice]:
    step = max(1, _AT_ONCE // max(width, 1))
    return [slice(start, start + step) for start in range(0, entries, step)]


def taken_rows(xp: Any, matrix: Any, rows: Any) -> Any:
    """The rows of a matrix by their numbers; IndexError where there is none."""
    return matrix[within_bounds(xp, matrix.shape, (rows,))]


def _added_product(xp, x, rows, cols, values, y):
    out = x.copy()
    for piece in _pieces(rows.shape[0], y.shape[1]):
        add_at(xp, out, rows[piece], values[piece, None] * taken_rows(xp, y, cols[piece]))
    return out


def _sampled(xp, rows, cols, x, y):
    out = xp.empty(rows.shape, x.dtype)
    for piece in _pieces(rows.shape[0], x.shape[1]):
        out[piece] = (taken_rows(xp, x, rows[piece]) * taken_rows(xp, y, cols[piece])).sum(-1)
    return out


def _infer_sampled(rows, cols, x, y):
    if x.rank != 2 or y.rank != 2 or (x.shape[1] != y.shape[1] and -1 not in (x.shape[1], y.shape[1])):
        raise ValueError(f"masked_matmul(x, y, mask): the inner sizes must agree. Received {list(x.shape)} and "
                         f"{list(y.shape)}, of which the second is transposed.")
    return Spec(rows.shape, x.dtype)


def _zeros(shape: Any, like: Any) -> Any:
    return full_of_shape(shape, 0.0, dtype_of(like))


added_product_op = operator(
    "sparse_matmul", "X, Rows, Cols, Values, Y -> Out", kernel=_added_product, infer=same, only_here=True,
    fails="values", grad={
        "X": lambda g: g,
        "Values": lambda g, Rows, Cols, Y: apply(sampled_product_op, Rows, Cols, g, Y),
        "Y": lambda g, Rows, Cols, Values, Y_shape: apply(
            added_product_op, _zeros(Y_shape, g), Cols, Rows, Values, g),
    })
"""X with Values[e] · Y[Cols[e]] added to the row Rows[e], for each entry e of a sparse matrix."""

sampled_product_op = operator(
    "sampled_matmul", "Rows, Cols, X, Y -> Out", kernel=_sampled, infer=_infer_sampled, only_here=True,
    fails="values", grad={
        "X": lambda g, Rows, Cols, Y, X_shape: apply(added_product_op, _zeros(X_shape, g), Rows, Cols, g, Y),
        "Y": lambda g, Rows, Cols, X, Y_shape: apply(added_product_op, _zeros(Y_shape, g), Cols, Rows, g, X),
    })
"""X[Rows[e]] · Y[Cols[e]] for each entry e of a pattern."""
