"""What is known of a value before it exists: shape and dtype, -1 for a size not yet known."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ...core.dtype import DType, from_numpy_dtype


class Spec(NamedTuple):
    """Shape and dtype of a value. `shape` is a tuple of ints, -1 where a size is not known."""

    shape: tuple[int, ...]
    dtype: DType

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def is_known(self) -> bool:
        """True when every size is known."""
        return -1 not in self.shape

    @property
    def size(self) -> int:
        """The number of elements, where every size is known."""
        return math.prod(self.shape)


def spec_of(array: Any) -> Any:
    """The Spec of an array, of each in a list, or None."""
    if isinstance(array, (list, tuple)):
        return [spec_of(item) for item in array]
    return None if array is None else Spec(array.shape, from_numpy_dtype(array.dtype))
