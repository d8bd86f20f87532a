"""sparse_coo_tensor, sparse_csr_tensor: sparse tensors of their parts."""


from collections.abc import Sequence
from typing import Any

from ..array.creation import to_tensor
from ..array.full import is_value
from .values import coo, csr

_INDEX_DTYPES = ("int8", "int16", "int32", "int64")


def _index(what: str, name: str, value: Any, rank: int, place: Any) -> Any:
    index = value.detach() if is_value(value) else to_tensor(value, place=place)
    if index.dtype.name not in _INDEX_DTYPES:
        raise TypeError(f"{what}({name}): must be integers ({', '.join(_INDEX_DTYPES)}). Received {index.dtype.name}.")
    if len(index.shape) != rank:
        raise ValueError(f"{what}({name}): must have {rank} dimension{'s' * (rank > 1)}"
                         f"{': [sparse_dim, nnz]' if rank == 2 else ''}. Received shape {list(index.shape)}.")
    return index


def _values(values: Any, dtype: Any, place: Any, stop_gradient: bool) -> Any:
    """The values as a tensor: with the gradient of what was given, or none."""
    if not is_value(values):
        return to_tensor(values, dtype, place, stop_gradient)
    made = values.detach().clone() if stop_gradient or values.stop_gradient else values._alias()
    made = made if dtype is None else made.astype(dtype)
    if not stop_gradient and made.stop_gradient:
        made.stop_gradient = False
    return made


def _check_within(what: str, name: str, index: Any, size: int) -> None:
    if index.shape[0] and (int(index.min()) < 0 or int(index.max()) >= size):
        raise ValueError(f"{what}({name}, shape): indices must lie in [0, {size}) where the shape has {size}. Received "
                         f"{int(index.min())} to {int(index.max())}.")


def sparse_coo_tensor(indices: Any, values: Any, shape: Sequence[int] | None = None, dtype: Any = None,
                      place: Any = None, stop_gradient: bool = True) -> Any:
    """A tensor in coordinate format: values[i] (a number, or a dense block) stands at indices[:, i], zeros elsewhere.

    `indices` [sparse_dim, nnz] of integers; `values` [nnz, …]. Without `shape` it is the least that holds them. Values
    of one place add up, as in `coalesce()`. A tensor that is given as values gets its gradient.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [2, 0]], [1.0, 2.0], [2, 3])
    >>> x.to_dense().tolist()
    [[0.0, 0.0, 1.0], [2.0, 0.0, 0.0]]
    """
    what = "sparse_coo_tensor"
    indices = _index(what, "indices", indices, 2, place)
    values = _values(values, dtype, place, stop_gradient)
    sparse_dim, nnz = indices.shape
    if not values.shape or values.shape[0] != nnz:
        raise ValueError(f"{what}(indices, values): both must have the same number of entries. Received "
                         f"indices.shape={list(indices.shape)}, values.shape={list(values.shape)}.")
    if shape is None:
        if not nnz:
            raise ValueError(f"{what}(shape): without entries the shape must be given.")
        shape = [*(n + 1 for n in indices.max(axis=1).tolist()), *values.shape[1:]]
    shape = [int(n) for n in shape]
    if len(shape) != sparse_dim + len(values.shape) - 1:
        raise ValueError(f"{what}(shape): must have {sparse_dim} sizes for the indices and {len(values.shape) - 1} for "
                         f"the values. Received {shape}.")
    if shape[sparse_dim:] != list(values.shape[1:]):
        raise ValueError(f"{what}(shape): the last sizes must be those of the values. Received shape={shape}, "
                         f"values.shape={list(values.shape)}.")
    for n in range(sparse_dim):
        _check_within(what, f"indices[{n}]", indices[n], shape[n])
    return coo(indices, values, shape)


def sparse_csr_tensor(crows: Any, cols: Any, values: Any, shape: Sequence[int], dtype: Any = None, place: Any = None,
                      stop_gradient: bool = True) -> Any:
    """A matrix in compressed rows, or several: the entries crows[r]:crows[r + 1] are those of row r.

    `crows` [rows + 1] of integers, those of several matrices one after the other; `cols` and `values` [nnz]; `shape`
    [rows, columns] or [matrices, rows, columns]. A tensor that is given as values gets its gradient.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_csr_tensor([0, 1, 2], [2, 0], [1.0, 2.0], [2, 3])
    >>> x.to_dense().tolist()
    [[0.0, 0.0, 1.0], [2.0, 0.0, 0.0]]
    """
    what = "sparse_csr_tensor"
    crows, cols = _index(what, "crows", crows, 1, place), _index(what, "cols", cols, 1, place)
    values = _values(values, dtype, place, stop_gradient)
    shape = [int(n) for n in shape]
    if len(shape) not in (2, 3):
        raise ValueError(f"{what}(shape): must be [rows, columns] or [matrices, rows, columns]. Received {shape}.")
    matrices, rows = (1, shape[0]) if len(shape) == 2 else shape[:2]
    if list(values.shape) != list(cols.shape):
        raise ValueError(f"{what}(cols, values): both must have one element an entry. Received {list(cols.shape)} and "
                         f"{list(values.shape)}.")
    offsets = crows.numpy().reshape(-1)
    if len(offsets) != matrices * (rows + 1):
        raise ValueError(f"{what}(crows): must have {rows} + 1 elements for each of {matrices} matrices of {rows} "
                         f"rows. Received {len(offsets)}.")
    offsets = offsets.reshape(matrices, rows + 1)
    if offsets[:, 0].any() or (offsets[:, 1:] < offsets[:, :-1]).any() or offsets[:, -1].sum() != cols.shape[0]:
        raise ValueError(f"{what}(crows): those of a matrix must begin with 0, rise, and end with the number of its "
                         f"entries. Received {offsets.tolist()} for {cols.shape[0]} entries.")
    _check_within(what, "cols", cols, shape[-1])
    return csr(crows, cols, values, shape)
