"""`flow.Size`: the sizes of a tensor, a tuple that knows how many elements they make."""

from __future__ import annotations

import math
from typing import Any


class Size(tuple):
    """The sizes of a tensor; equal to a list of the same sizes, too.

    >>> import proa.oneflow as flow
    >>> flow.Size([2, 3]).numel()
    6
    """

    def numel(self) -> int:
        """The number of elements."""
        return math.prod(self)

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return Size(found) if isinstance(key, slice) else found

    def __add__(self, other: Any) -> Any:
        return Size(super().__add__(tuple(other)))

    def __eq__(self, other: Any) -> bool:
        return tuple.__eq__(self, tuple(other)) if isinstance(other, (tuple, list)) else NotImplemented

    def __ne__(self, other: Any) -> bool:
        return tuple.__ne__(self, tuple(other)) if isinstance(other, (tuple, list)) else NotImplemented

    __hash__ = tuple.__hash__

    def __repr__(self) -> str:
        return f"oneflow.Size([{', '.join(map(str, self))}])"

    __str__ = __repr__


class ElementCount(int):
    """The number of elements as what is below this face asks for it, `x.size`; called it gives sizes, `x.size(0)`."""

    sizes: Size

    def __new__(cls, sizes: tuple[Any, ...]) -> ElementCount:
        """The product of sizes."""
        made = super().__new__(cls, math.prod(sizes))
        made.sizes = Size(sizes)
        return made

    def __call__(self, dim: int | None = None) -> Any:
        """The sizes, or one of them."""
        return self.sizes if dim is None else self.sizes[dim]
