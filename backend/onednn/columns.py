"""Convolution as a product of matrices, for filters that are much larger than what they are applied to.

The windows are laid out as rows, channel by channel as the filters are, so that these are used as they lie in memory.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .products import multiply

_FEWER = 8  # windows must be fewer than filters by this factor


def are_fewer(result: Sequence[int]) -> bool:
    """Whether a result [n, o, *out] has so few windows that bringing the filters into another order would cost more."""
    return math.prod(result[2:]) * result[0] * _FEWER <= result[1]


class Columns:
    """The three products of a convolution of images [n, c, *sizes] with filters [o, c, *kernel]."""

    def __init__(self, images: Sequence[int], filters: Sequence[int], strides: Sequence[int],
                 pads: Sequence[tuple[int, int]], dilations: Sequence[int], out: Sequence[int]):
        self.used = 0
        self.images, self.filters, self.out = tuple(images), tuple(filters), tuple(out)
        self.strides, self.dilations = strides, dilations
        self.padded = tuple(before + size + after for size, (before, after) in zip(images[2:], pads, strict=True))
        self.inner = tuple(slice(before, before + size) for size, (before, _) in zip(images[2:], pads, strict=True))
        self.is_padded = self.padded != self.images[2:]
        self.rows, self.inside = images[0] * math.prod(out), math.prod(filters[1:])

    def _places(self) -> Iterator[tuple[int, tuple[slice, ...]]]:
        """Each place in a window, and the elements that stand there."""
        for index, offsets in enumerate(itertools.product(*map(range, self.filters[2:]))):
            starts = [offset * dilation for offset, dilation in zip(offsets, self.dilations, strict=True)]
            yield index, tuple(slice(start, start + (count - 1) * stride + 1, stride)
                               for start, count, stride in zip(starts, self.out, self.strides, strict=True))

    def _rows(self, x: np.ndarray) -> np.ndarray:
        """The windows of the images as rows of a matrix."""
        x = np.moveaxis(x, 1, -1)
        if self.is_padded:
            whole = np.zeros((x.shape[0], *self.padded, x.shape[-1]), x.dtype)
            whole[(slice(None), *self.inner)] = x
            x = whole
        places = math.prod(self.filters[2:])
        result = np.empty((x.shape[0], *self.out, x.shape[-1], places), x.dtype)
        for index, place in self._places():
            result[..., index] = x[(slice(None), *place)]
        return result.reshape(self.rows, self.inside)

    def _matrix(self, g: np.ndarray) -> np.ndarray:
        """A gradient [n, o, *out] as a matrix with a row for each window."""
        return np.moveaxis(g, 1, -1).reshape(self.rows, self.filters[0])

    def forward(self, x: np.ndarray, w: np.ndarray) -> Any:
        """The convolution, channels last."""
        result = multiply(self._rows(x), w.reshape(self.filters[0], self.inside).T)
        return np.moveaxis(result.reshape(self.images[0], *self.out, self.filters[0]), -1, 1)

    def filter_grad(self, x: np.ndarray, g: np.ndarray, out: np.ndarray | None = None) -> Any:
        """The gradient of the filters."""
        if out is None:
            out = np.empty(self.filters, x.dtype)
        multiply(self._matrix(g).T, self._rows(x), out.reshape(self.filters[0], self.inside))
        return out

    def input_grad(self, g: np.ndarray, w: np.ndarray) -> Any:
        """The gradient of the images, channels last."""
        places = math.prod(self.filters[2:])
        columns = multiply(self._matrix(g), w.reshape(self.filters[0], self.inside))
        columns = columns.reshape(self.images[0], *self.out, self.images[1], places)
        result = np.zeros((self.images[0], *self.padded, self.images[1]), g.dtype)
        for index, place in self._places():
            result[(slice(None), *place)] += columns[..., index]
        return np.moveaxis(result[(slice(None), *self.inner)], -1, 1)
