"""What is known of a value before it exists: shape and dtype, -1 for a size not yet known."""

from __future__ import annotations

from typing import NamedTuple

from ..core.dtype import DType


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
