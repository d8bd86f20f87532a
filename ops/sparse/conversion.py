"""Dense to coo and csr, between these, and back: methods of tensors. Also the parts of a sparse tensor."""


import math
from typing import Any

from ..array.concat_split import stack
from ..array.gather import gather_nd
from ..array.reshape import reshape, transpose
from ..array.where import nonzero
from ..math.comparison import not_equal
from ..math.reduce import any as any_of
from .values import (
    are_in_order,
    check_sparse,
    coo,
    crows_of,
    csr,
    index_rows,
    merged,
    numbered,
    of_numbers,
    scattered,
    sparse_sizes,
)


def to_sparse_coo(x: Any, sparse_dim: int) -> Any:
    """In coordinate format, with indices of the first `sparse_dim` dimensions; what is zero gets no entry.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[0.0, 3.0], [0.0, 0.0]]).to_sparse_coo(2)
    >>> x.indices().tolist(), x.values().tolist()
    ([[0], [1]], [3.0])
    """
    rank = len(x.shape)
    if not 0 < sparse_dim <= rank:
        raise ValueError(f"to_sparse_coo(sparse_dim): must lie in [1, {rank}] for {rank} dimensions. "
                         f"Received {sparse_dim}.")
    there = not_equal(x, 0)
    if sparse_dim < rank:
        there = any_of(there, axis=list(range(sparse_dim, rank)))
    places = nonzero(there)
    return coo(transpose(places, [1, 0]), gather_nd(x, places), x.shape)


def to_sparse_csr(x: Any) -> Any:
    """In compressed rows: a matrix, or several of them ([matrices, rows, columns]).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[0.0, 3.0], [0.0, 0.0]]).to_sparse_csr()
    >>> x.crows().tolist(), x.cols().tolist(), x.values().tolist()
    ([0, 1, 1], [1], [3.0])
    """
    _check_rank("to_sparse_csr()", x)
    return coo_to_csr(to_sparse_coo(x, len(x.shape)))


def _check_rank(what: str, x: Any) -> None:
    if len(x.shape) not in (2, 3):
        raise ValueError(f"{what}: a csr tensor has 2 or 3 dimensions. Received shape {list(x.shape)}.")


def coo_to_csr(x: Any) -> Any:
    """A coo tensor in compressed rows; its entries are put in order, and those of one place added."""
    _check_rank("to_sparse_csr()", x)
    if len(x.values().shape) != 1:
        raise ValueError(f"to_sparse_csr(): every dimension must have indices. Received a coo tensor of "
                         f"sparse_dim={x.indices().shape[0]} with shape {list(x.shape)}.")
    x = coalesce(x)
    rows = index_rows(x)
    lines = rows[0] if len(rows) == 2 else rows[0] * x.shape[1] + rows[1]
    kind = x.indices().dtype
    return csr(crows_of(lines, x.shape).astype(kind), rows[-1].astype(kind), x.values(), x.shape)


def csr_to_coo(x: Any, sparse_dim: int | None = None) -> Any:
    """A csr tensor in coordinate format, with indices of every dimension."""
    return coo(stack(index_rows(x)).astype(x.cols().dtype), x.values(), x.shape)


def coo_to_coo(x: Any, sparse_dim: int) -> Any:
    """A coo tensor with indices of the first `sparse_dim` dimensions: itself where it has that many."""
    if sparse_dim == x.indices().shape[0]:
        return x
    return to_sparse_coo(to_dense(x), sparse_dim)


def to_dense(x: Any) -> Any:
    """The dense tensor: zeros where there is no entry, sums where there are several."""
    sizes = sparse_sizes(x)
    flat = scattered(x.values(), numbered(index_rows(x), sizes), math.prod(sizes))
    return reshape(flat, list(x.shape))


def coalesce(x: Any, name: str | None = None) -> Any:
    """A coo tensor with its entries in order, and one for each place: the sum of those that were there.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[1, 0, 1]], [1.0, 2.0, 4.0], [2])
    >>> paddle.sparse.coalesce(x).values().tolist()
    [2.0, 5.0]
    """
    check_sparse("coalesce(x)", x)
    if not x.is_sparse_coo():
        raise TypeError("paddle.sparse.coalesce(x): takes coo tensors. Received a csr tensor, whose entries are in "
                        "order.")
    sizes = sparse_sizes(x)
    if not x.nnz():
        return x
    numbers = numbered(index_rows(x), sizes)
    if are_in_order(numbers):
        return x
    places, which = merged(numbers)
    return of_numbers(x, places, scattered(x.values(), which, places.shape[0]), x.shape, len(sizes))


def in_kind(x: Any, like: Any) -> Any:
    """A coo tensor in the format of another sparse tensor."""
    return x if like.is_sparse_coo() else coo_to_csr(x)


def as_coo(x: Any) -> Any:
    """A sparse tensor in coordinate format."""
    return csr_to_coo(x) if x.is_sparse_csr() else x


def _refusal_of_dense(name: str, kinds: str, x: Any) -> TypeError:
    return TypeError(f"{name}(): is of {kinds} tensors. Received a dense tensor of shape {list(x.shape)}; "
                     "x.to_sparse_coo(sparse_dim) and x.to_sparse_csr() make sparse tensors of it.")


def _part_of_sparse(name: str, kinds: str, shown: str) -> Any:
    """The method that a dense tensor has only to say where it belongs; `shown`: what it gives for an example."""

    def part(x: Any) -> Any:
        raise _refusal_of_dense(name, kinds, x)

    part.__name__ = part.__qualname__ = name
    form = "csr_tensor([0, 1, 2], [1, 0]" if kinds == "sparse csr" else "coo_tensor([[0, 1], [1, 0]]"
    part.__doc__ = f"""Is of {kinds} tensors: a dense one raises TypeError.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_{form}, [3.0, 4.0], [2, 2])
    >>> x.{name}(){"" if name == "nnz" else ".tolist()"}
    {shown}
    """
    return part


indices = _part_of_sparse("indices", "sparse coo", "[[0, 1], [1, 0]]")
crows = _part_of_sparse("crows", "sparse csr", "[0, 1, 2]")
cols = _part_of_sparse("cols", "sparse csr", "[1, 0]")
values = _part_of_sparse("values", "sparse", "[3.0, 4.0]")
nnz = _part_of_sparse("nnz", "sparse", "2")


def coalesce_dense(x: Any, name: str | None = None) -> Any:
    """Is of sparse coo tensors: a dense one raises TypeError.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[0, 0], [1, 1]], [3.0, 4.0], [2, 2])
    >>> x.coalesce().values().tolist()
    [7.0]
    """
    raise _refusal_of_dense("coalesce", "sparse coo", x)


def dense_itself(x: Any) -> Any:
    """The tensor itself, which is dense.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [1, 0]], [3.0, 4.0], [2, 2])
    >>> x.to_dense().tolist()
    [[0.0, 3.0], [4.0, 0.0]]
    """
    return x
