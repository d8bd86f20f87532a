"""Selected rows of a matrix as a value of eager code: the gradient of an embedding with `sparse=True`.

To operators it is the whole matrix, which is made when one asks for it. Who can do with the rows alone (an optimizer, a
clipper) asks `is_selected_rows()`. Each face has a class of its own for it, with the methods of the face.
"""

from __future__ import annotations

from typing import Any

from ..backend import place_of
from ..backend.selected_rows import SelectedRows
from ..core.dtype import DType, from_numpy_dtype
from ..core.place import Place
from .value import EagerValue


class SelectedRowsValue(EagerValue):
    """A value of a `SelectedRows`, until it is replaced by another one; `rows_class` makes each face's class of it."""

    __slots__ = ()

    _selected: SelectedRows | None
    _dense: Any

    @classmethod
    def of(cls, selected: SelectedRows) -> SelectedRowsValue:
        """The value of some rows."""
        value = cls.__new__(cls)
        value._selected, value._dense, value._edge, value._source = selected, None, None, None
        return value

    @property
    def _array(self) -> Any:
        return self._dense if self._selected is None else self._selected.to_dense()

    @_array.setter
    def _array(self, array: Any) -> None:
        self._selected, self._dense = None, array

    def is_selected_rows(self) -> bool:
        """True while it holds rows only."""
        return self._selected is not None

    def is_dense(self) -> bool:
        """True when it holds every element."""
        return self._selected is None

    def get_selected_rows(self) -> SelectedRows:
        """The rows and their values; ValueError when every element is held by now."""
        if self._selected is None:
            raise ValueError("get_selected_rows(): this Tensor was given another value, and holds every element now.")
        return self._selected

    def rows(self) -> list[int]:
        """The numbers of the rows held, one more than once perhaps."""
        return self.get_selected_rows().rows.tolist()

    def merged_rows(self) -> EagerValue:
        """The numbers of the rows held, each once: int64 [n]."""
        return self._eager.new(self.get_selected_rows().merge().rows)

    def merged_values(self) -> EagerValue:
        """The values of the rows in `merged_rows()`: [n, …]."""
        return self._eager.new(self.get_selected_rows().merge().values)

    def with_values(self, values: EagerValue) -> SelectedRowsValue:
        """The rows in `merged_rows()` with other values."""
        return self.of(self.get_selected_rows().merge().with_values(values._array))

    def with_rows_of(self, other: SelectedRowsValue) -> SelectedRowsValue:
        """The sum of two such matrices, which holds the rows of both."""
        return self.of(self.get_selected_rows() + other.get_selected_rows())

    @property
    def shape(self) -> list[int]:
        """The sizes of the whole matrix."""
        return list(self._held().shape)

    @property
    def dtype(self) -> DType:
        """The element type."""
        return from_numpy_dtype(self._held().dtype)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._held().ndim

    @property
    def size(self) -> int:
        """The number of elements of the whole matrix."""
        return int(self._held().size)

    @property
    def place(self) -> Place:
        """Where its elements are."""
        return super().place if self._selected is None else place_of(self._selected.values)

    def _held(self) -> Any:
        return self._dense if self._selected is None else self._selected


def rows_class(value_class: type[EagerValue]) -> type[SelectedRowsValue]:
    """The class of values that hold rows, for the face whose values are of `value_class`."""
    return type(f"SelectedRows{value_class.__name__}", (SelectedRowsValue, value_class),
                {"__slots__": ("_selected", "_dense"), "__module__": value_class.__module__})


def gradient_of(value: EagerValue) -> Any:
    """A gradient as the backward walk takes it."""
    selected = value._selected if isinstance(value, SelectedRowsValue) else None
    return value._array if selected is None else selected
