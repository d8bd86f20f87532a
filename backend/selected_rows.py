"""A matrix of which only some rows are held: the gradient of a table that a few rows were looked up in.

Its arrays are NumPy's or a device's. Adding two of them, or scaling one, costs by the rows held; whatever else is done
with one is done with the whole matrix, which is made for that.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from .arrays import namespace_of, to_numpy
from .scatter import add_at

_ADDED_ONE_BY_ONE = 16  # of a row's occurrences: with more, NumPy's own loop costs less


class SelectedRows(NDArrayOperatorsMixin):
    """The matrix of `height` rows that has values[i] added to its row rows[i], and zeros elsewhere.

    `rows`: integers [n], in which a row may occur more than once; `values`: [n, …]. Paddle's SelectedRows.

    >>> import numpy as np
    >>> from proa.backend.selected_rows import SelectedRows
    >>> g = SelectedRows(np.array([2, 0, 2]), np.array([[1.0], [2.0], [3.0]]), 4)
    >>> (g + g).merge().rows.tolist(), g.to_dense().tolist()
    ([0, 2], [[2.0], [0.0], [4.0], [0.0]])
    """

    def __init__(self, rows: Any, values: Any, height: int, merged: bool = False):
        self.rows, self.values, self.height = rows, values, height
        self._merged = self if merged else None
        self._dense: Any = None

    @property
    def on_host(self) -> bool:
        """Whether the arrays are NumPy's."""
        return isinstance(self.values, np.ndarray)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the whole matrix."""
        return (self.height, *self.values.shape[1:])

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self.values.ndim

    @property
    def size(self) -> int:
        """The number of elements of the whole matrix."""
        return self.height * int(np.prod(self.values.shape[1:]))

    @property
    def dtype(self) -> np.dtype:
        """The element type."""
        return self.values.dtype

    def merge(self) -> SelectedRows:
        """The same matrix with each row once, in order."""
        if self._merged is None and (self.rows[1:] > self.rows[:-1]).all():
            self._merged = self
        if self._merged is None:
            rows, values = _merged(self.rows, self.values) if self.on_host else _merged_on_device(
                namespace_of([self.values]), self.rows, self.values)
            self._merged = SelectedRows(rows, values.astype(self.dtype, copy=False), self.height, merged=True)
        return self._merged

    def to_dense(self) -> Any:
        """The whole matrix."""
        if self._dense is None:
            merged = self.merge()
            self._dense = namespace_of([self.values]).zeros(self.shape, self.dtype)
            self._dense[merged.rows] = merged.values
        return self._dense

    def with_values(self, values: Any) -> SelectedRows:
        """The same rows with other values."""
        return SelectedRows(self.rows, values, self.height, merged=self._merged is self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        dense = to_numpy(self.to_dense())
        return np.array(dense, dtype, copy=True) if copy or dtype not in (None, dense.dtype) else dense

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method == "__call__" and len(inputs) == 2 and not kwargs:
            x, y = inputs
            if ufunc is np.add:
                return _sum(x, y)
            if ufunc is np.multiply and (np.ndim(x) == 0 or np.ndim(y) == 0):
                held, factor = (x, y) if isinstance(x, SelectedRows) else (y, x)
                return held.with_values(held.values * factor)
        if "out" in kwargs:
            kwargs["out"] = tuple(map(_whole, kwargs["out"]))
        return getattr(ufunc, method)(*map(_whole, inputs), **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.to_dense(), name)

    def __getitem__(self, index: Any) -> Any:
        return self.to_dense()[index]

    def __len__(self) -> int:
        return self.height

    def __repr__(self) -> str:
        return f"SelectedRows(rows={self.rows}, values={self.values}, height={self.height})"


def _merged(rows: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each row once, in order, with its sum."""
    order = rows.argsort(kind="stable")
    rows = rows[order]
    first = np.flatnonzero(np.concatenate([[True], rows[1:] != rows[:-1]])) if rows.size else rows
    return rows[first], _sums(values, order, first) if rows.size else values


def _merged_on_device(xp: Any, rows: Any, values: Any) -> tuple[Any, Any]:
    """The same on a device, whose libraries add up at places."""
    found, places = xp.unique(rows, return_inverse=True)
    sums = xp.zeros((found.size, *values.shape[1:]), values.dtype)
    add_at(xp, sums, (places.reshape(-1),), values)
    return found, sums


def _sums(values: np.ndarray, order: np.ndarray, first: np.ndarray) -> np.ndarray:
    """The sums of values[order] from each of `first` up to the next: most rows occur once, where few are looked up."""
    occurrences = np.diff(first, append=order.size)
    most = int(occurrences.max())
    if most > _ADDED_ONE_BY_ONE:
        return np.add.reduceat(values[order], first, axis=0)
    sums, several = values[order[first]], np.arange(first.size)
    for further in range(1, most):
        several = several[occurrences[several] > further]
        sums[several] += values[order[first[several] + further]]
    return sums


def _whole(value: Any) -> Any:
    return value.to_dense() if isinstance(value, SelectedRows) else value


def _sum(x: Any, y: Any) -> Any:
    """x + y, one of which holds rows."""
    if isinstance(x, SelectedRows) and isinstance(y, SelectedRows) and x.shape == y.shape:
        xp = namespace_of([x.values, y.values])
        return SelectedRows(xp.concatenate([x.rows, y.rows]), xp.concatenate([x.values, y.values]), x.height)
    held, other = (x, y) if isinstance(x, SelectedRows) else (y, x)
    if isinstance(other, SelectedRows) or np.shape(other) != held.shape:
        return _whole(x) + _whole(y)
    merged = held.merge()
    total = namespace_of([held.values]).array(other, np.result_type(getattr(other, "dtype", other), held.dtype))
    total[merged.rows] += merged.values
    return total
