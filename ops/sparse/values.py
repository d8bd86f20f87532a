"""What a sparse value is to the functions of this room: its parts, and how one is made of them.

Numbers of places: the indices of several dimensions as one number, the last dimension running fastest.
"""


import math
from collections.abc import Sequence
from typing import Any

from ...core.dtype import int64
from ..array.concat_split import concat, stack
from ..array.creation import arange
from ..array.full import full_of_shape, is_value, zeros
from ..array.gather import gather_op, put_at_op
from ..array.rearrange import repeat_interleave
from ..array.reshape import reshape
from ..array.sorting import bincount, unique
from ..array.where import masked_select
from ..core.trace import apply, state
from ..math.casting import cast, dtype_of
from ..math.cumulative import cumsum


def is_sparse(x: Any) -> bool:
    """True for a sparse tensor, coo or csr."""
    return is_value(x) and hasattr(x, "is_sparse") and x.is_sparse()


def check_sparse(what: str, *values: Any) -> None:
    """TypeError, naming `what`, where one is not a sparse tensor."""
    for value in values:
        if not is_sparse(value):
            kind = f"a dense tensor of shape {list(value.shape)}" if is_value(value) else type(value).__name__
            raise TypeError(f"paddle.sparse.{what}: must be given sparse tensors. Received {kind}. "
                            "x.to_sparse_coo(sparse_dim) and x.to_sparse_csr() make sparse tensors of dense ones; "
                            "functions of dense tensors are in paddle and paddle.nn.functional.")


def coo(indices: Any, values: Any, shape: Sequence[int]) -> Any:
    """The coo tensor of these parts: indices [sparse_dim, nnz], values [nnz, …]."""
    return state.trace.sparse("coo", (indices,), values, tuple(int(n) for n in shape))


def csr(crows: Any, cols: Any, values: Any, shape: Sequence[int]) -> Any:
    """The csr tensor of these parts: crows [rows + 1] (one after the other of several matrices), cols, values [nnz]."""
    return state.trace.sparse("csr", (crows, cols), values, tuple(int(n) for n in shape))


def numbered(rows: Sequence[Any], sizes: Sequence[int]) -> Any:
    """The numbers of places, int64, from the indices along each dimension."""
    number = cast(rows[0], int64)
    for row, size in zip(rows[1:], sizes[1:], strict=True):
        number = number * size + cast(row, int64)
    return number


def unnumbered(numbers: Any, sizes: Sequence[int]) -> Any:
    """The indices [dimensions, n] of numbered places."""
    rows = []
    for size in reversed(sizes):
        rows.append(numbers % size)
        numbers = numbers // size
    return stack(rows[::-1])


def index_rows(x: Any) -> list:
    """The indices of a sparse tensor along each of its sparse dimensions, int64 [nnz] each."""
    if x.is_sparse_coo():
        indices = cast(x.indices(), int64)
        return [indices[n] for n in range(indices.shape[0])]
    lines = csr_lines(x)
    cols = cast(x.cols(), int64)
    return [lines, cols] if len(x.shape) == 2 else [lines // x.shape[-2], lines % x.shape[-2], cols]


def csr_lines(x: Any) -> Any:
    """The row of each entry of a csr tensor, those of several matrices counted on, int64 [nnz]."""
    rows = x.shape[-2]
    offsets = reshape(cast(x.crows(), int64), [-1, rows + 1])
    counts = reshape(offsets[:, 1:] - offsets[:, :-1], [-1])
    return repeat_interleave(arange(counts.shape[0], dtype="int64"), counts)


def crows_of(lines: Any, shape: Sequence[int]) -> Any:
    """The `crows` of csr from the row of each entry, those of several matrices counted on."""
    matrices, rows = math.prod(shape[:-2]), shape[-2]
    counts = reshape(bincount(lines, minlength=matrices * rows), [matrices, rows])
    return reshape(concat([zeros([matrices, 1], "int64"), cumsum(counts, axis=1)], axis=1), [-1])


def are_in_order(numbers: Any) -> bool:
    """Whether each number is above the one before: of the places of entries, that no two are for one place."""
    return bool((numbers[1:] > numbers[:-1]).all())


def merged(numbers: Any) -> tuple[Any, Any]:
    """The different numbers in order, and which of them each is."""
    if numbers.shape[0] == 0:
        return numbers, numbers
    if bool((numbers[1:] >= numbers[:-1]).all()):  # as the entries of csr tensors are, and of most others
        differs = numbers[1:] != numbers[:-1]
        which = concat([zeros([1], "int64"), cumsum(cast(differs, int64))])
        return concat([numbers[:1], masked_select(numbers[1:], differs)]), which
    return unique(numbers, return_inverse=True)


def taken(values: Any, places: Any) -> Any:
    """The rows of values at places."""
    return apply(gather_op, values, places, None, axis=0)


def scattered(values: Any, places: Any, count: int) -> Any:
    """Zeros of so many rows, with rows of values added at places."""
    dtype = dtype_of(values)
    if dtype.name == "bool":
        return cast(scattered(cast(values, "int32"), places, count), "bool")
    return apply(put_at_op, full_of_shape((count, *values.shape[1:]), 0.0, dtype), places, values, None, axis=0)


def sparse_sizes(x: Any) -> list[int]:
    """The sizes of the dimensions that indices tell of."""
    return list(x.shape) if x.is_sparse_csr() else list(x.shape)[:x.indices().shape[0]]


def of_numbers(x: Any, numbers: Any, values: Any, shape: Sequence[int], sparse_dims: int) -> Any:
    """A sparse tensor of x's kind, with entries at numbered places, in order, of the first dimensions of `shape`."""
    rows = unnumbered(numbers, shape[:sparse_dims])
    if x.is_sparse_coo():
        return coo(cast(rows, dtype_of(x.indices())), values, shape)
    lines = numbers // shape[-1]
    kind = dtype_of(x.cols())
    return csr(cast(crows_of(lines, shape), kind), cast(rows[-1], kind), values, shape)
