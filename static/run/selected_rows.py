"""SelectedRows, the rows of a matrix as a scope holds them: what code fills by hand, and reads behind an operator."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...backend.selected_rows import SelectedRows as Held
from .lod_tensor import LoDTensor


class SelectedRows:
    """Some rows of a matrix of `height` rows: their numbers, and a LoDTensor of their values. The others are zeros.

    >>> import numpy, proa as paddle
    >>> some = paddle.base.core.SelectedRows([2, 0], 4)
    >>> some.get_tensor().set(numpy.ones((2, 3), "float32"), paddle.CPUPlace())
    >>> some.rows(), some.height(), some.get_tensor().shape()
    ([2, 0], 4, [2, 3])
    """

    def __init__(self, rows: Iterable[int] = (), height: int = 0):
        self._tensor = LoDTensor()
        self.set_rows(rows)
        self.set_height(height)

    def rows(self) -> list[int]:
        """The number of each row that is there."""
        return list(self._rows)

    def set_rows(self, rows: Iterable[int]) -> None:
        """Says which rows the values are."""
        self._rows = [int(row) for row in rows]

    def height(self) -> int:
        """How many rows the matrix has."""
        return self._height

    def set_height(self, height: int) -> None:
        """Says how many rows the matrix has."""
        self._height = int(height)

    def get_tensor(self) -> LoDTensor:
        """The values of the rows, to be read or replaced."""
        return self._tensor

    def sync_index(self) -> None:
        """Nothing: the numbers of the rows are kept once."""

    def matrix(self) -> Held:
        """The matrix as operators take it. ValueError where there are not as many values as numbers."""
        values = self._tensor._held()
        if len(values) != len(self._rows):
            raise ValueError(f"SelectedRows: there must be a row of values for each of {self._rows}. Received values "
                             f"of shape {list(values.shape)}.")
        return Held(np.array(self._rows, "int64"), values, self._height)

    def take(self, found: Any) -> None:
        """Becomes what an operator has given: rows, or a whole matrix."""
        rows = found if isinstance(found, Held) else Held(np.arange(len(found)), found, len(found), merged=True)
        self.set_rows(rows.rows.tolist())
        self.set_height(rows.height)
        self._tensor._value = rows.values
