"""What `x.value().get_tensor()` gives: a Tensor's array, as programs written since Paddle 1.x read and set it."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import backend
from ..core.dtype import DType
from ..core.place import Place
from .value import EagerValue
from .views import part_from_views


class HeldArray:
    """The array of a Tensor: `numpy.array(t)` reads it, `t.set(array, place)` gives the Tensor another one.

    >>> import proa as paddle
    >>> w = paddle.nn.Linear(2, 2).weight
    >>> held = w.value().get_tensor()
    >>> held.set([[1.0, 2.0]], paddle.CPUPlace())
    >>> held.shape(), w.shape
    ([1, 2], [1, 2])
    """

    def __init__(self, tensor: EagerValue):
        self._tensor: Any = tensor

    def set(self, array: Any, place: Place | None = None) -> None:
        """Gives the Tensor this array, of whatever shape and dtype; where these are its own, as `set_value` does."""
        tensor = self._tensor
        given = np.array(array)
        if given.dtype == np.float64 and not hasattr(array, "__array__"):  # numbers of Python's have no dtype
            given = given.astype(tensor._array.dtype)
        if given.shape == tensor._array.shape and given.dtype == tensor._array.dtype:
            tensor.set_value(given)
            return
        tensor._replace(backend.as_place(given, place or tensor.place).view())
        part_from_views(tensor)

    def shape(self) -> list[int]:
        """The sizes."""
        return list(self._tensor.shape)

    def lod(self) -> list[list[int]]:
        """Empty: a Tensor's rows are no sequences."""
        return []

    recursive_sequence_lengths = lod

    def set_recursive_sequence_lengths(self, recursive_sequence_lengths: list[list[int]]) -> None:
        """Nothing for no lengths; NotImplementedError for others: sequences are values of Programs here."""
        if recursive_sequence_lengths:
            raise NotImplementedError(f"set_recursive_sequence_lengths({recursive_sequence_lengths!r}): a Tensor's "
                                      "rows are no sequences here. Feed a LoDTensor to a Program.")

    def _dtype(self) -> DType:
        return self._tensor.dtype

    def _place(self) -> Place:
        place: Place = self._tensor.place
        return place

    def _is_initialized(self) -> bool:
        return True

    def _numel(self) -> int:
        return int(self._tensor._array.size)

    def _to_dlpack(self) -> Any:
        """The memory as another library takes it: `paddle.utils.dlpack.to_dlpack`."""
        return self._tensor.__dlpack__()

    def _share_data_with(self, other: HeldArray) -> None:
        self.set(other)

    def _clear(self) -> None:
        self._tensor._clear()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = backend.to_numpy(self._tensor._array)
        return array.astype(dtype) if dtype is not None else array.copy()

    def __str__(self) -> str:
        return str(self._tensor)
