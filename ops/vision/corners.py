"""Places between the elements of images, in operators: their corners, with weights that have gradients.

It serves the gradients of operators that sample images: what a kernel computes of arrays is said here in operators.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from ..array.assign import shape
from ..array.reshape import shape_handle, unsqueeze
from ..core.trace import apply
from ..math.casting import cast
from ..math.clip import clip
from ..math.comparison import greater_equal, less_equal
from ..math.elementwise import minimum, multiply, scale
from ..math.reduce import sum
from ..math.unary import floor
from ..nn.pool import put_back, take_positions_op


class Corners:
    """The elements around places [N, *out], one tensor for each dimension along which images [N, C, *sizes] extend."""

    def __init__(self, x: Any, dtype: Any):
        self.rank = len(x.shape) - 2
        self.dtype = dtype
        self.sizes = [self._size(x, n) for n in range(self.rank)]

    def settle(self, places: Sequence[Any]) -> None:
        """Takes the places, counted in elements."""
        self.lower = [floor(p) for p in places]
        self.share = [p - low for p, low in zip(places, self.lower, strict=True)]

    def _size(self, x: Any, n: int) -> Any:
        """A size of x: a number, or a value where it is not known."""
        size = tuple(x.shape)[2 + n]
        return float(size) if size >= 0 else cast(shape(x)[2 + n], self.dtype)

    def mask(self, condition: Any) -> Any:
        """1 where a condition holds, 0 elsewhere."""
        return cast(condition, self.dtype)

    def inside(self, p: Any, size: Any) -> Any:
        """1 where a place lies from the first element to the last, 0 elsewhere."""
        return multiply(self.mask(greater_equal(p, p * 0.0)), self.mask(less_equal(p, p * 0.0 + (size - 1.0))))

    def held(self, p: Any, size: Any) -> Any:
        """The place, or the first or last element's where it lies outside."""
        return minimum(clip(p, min=0.0), p * 0.0 + (size - 1.0))

    def __iter__(self) -> Iterator[tuple[tuple[int, ...], Any, Any]]:
        """(offsets, positions [N, 1, *out], whether inside) of each corner."""
        for offsets in itertools.product((0, 1), repeat=self.rank):
            flat, inside = None, None
            for low, n, size in zip(self.lower, offsets, self.sizes, strict=True):
                at = low + float(n)
                seen, held = self.inside(at, size), self.held(at, size)
                flat = held if flat is None else flat * size + held
                inside = seen if inside is None else inside * seen
            yield offsets, unsqueeze(cast(flat, "int64"), 1), inside

    def weight(self, offsets: Sequence[int], without: int = -1) -> Any:
        """The weight of a corner, or its change when the place moves along dimension `without`."""
        result: Any = 1.0
        for n, (offset, share) in enumerate(zip(offsets, self.share, strict=True)):
            if n == without:
                result = result * (1.0 if offset else -1.0)
            else:
                result = result * (share if offset else scale(share, -1.0, 1.0))
        return result


def linear_gradients(g: Any, x: Any, dtype: Any, corners: Corners, wants: Sequence[bool]) -> tuple[Any, list[Any]]:
    """The gradients of x [N, C, *sizes] (None where not wanted) and of the places, of linear sampling of x there."""
    d_x: Any = None
    slopes: list[Any] = [None] * corners.rank
    for offsets, at, inside in corners:
        if wants[0]:
            weight = corners.weight(offsets) * inside
            part = put_back(multiply(g, cast(unsqueeze(weight, 1), dtype)), at, shape_handle(x))
            d_x = part if d_x is None else d_x + part
        if wants[1]:
            product = sum(multiply(g, apply(take_positions_op, x, at)), 1) * inside
            for n in range(corners.rank):
                part = product * corners.weight(offsets, n)
                slopes[n] = part if slopes[n] is None else slopes[n] + part
    return d_x, slopes
