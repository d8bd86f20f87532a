"""Filters in oneDNN's blocked layouts, written by NumPy: without the code that oneDNN makes for each of them.

A layout divides dimensions into blocks that lie innermost: `aBcd16b` has the second dimension in blocks of 16. That is
an array of more dimensions, with strides of its own; what fills a dimension up to whole blocks is zero.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

MOST = 2**17  # elements up to which NumPy has written them before oneDNN's code is made


class Blocked(NamedTuple):
    """A layout as a strided array: its sizes and strides, counted in elements, and the padded sizes that these fill."""

    sizes: list[int]
    strides: list[int]
    padded: tuple[int, ...]

    def filled(self, array: np.ndarray, size: int) -> np.ndarray:
        """The array in this layout: so many bytes, zero where the layout has more than the array."""
        data = np.zeros(size, np.uint8)
        view = np.ndarray(self.sizes, array.dtype, data, 0, [step * array.itemsize for step in self.strides])
        if array.shape != self.padded:
            whole = np.zeros(self.padded, array.dtype)
            whole[tuple(map(slice, array.shape))] = array
            array = whole
        view[...] = array.reshape(self.sizes)
        return data


def blocked(layout: tuple) -> Blocked:
    """What `Description.layout` tells, as a Blocked."""
    strides, padded, blocks, dimensions = layout
    sizes: list[int] = []
    steps: list[int] = []
    for dimension in range(len(padded)):
        own = [n for n, divided in enumerate(dimensions) if divided == dimension]  # from the outermost inwards
        sizes += padded[dimension] // math.prod([blocks[n] for n in own]), *[blocks[n] for n in own]
        steps += strides[dimension], *[math.prod(blocks[n + 1:]) for n in own]
    return Blocked(sizes, steps, padded)


def scaled(array: np.ndarray, scale: np.ndarray | None, shape: Sequence[int]) -> np.ndarray:
    """An array, multiplied by a number for each index of its first dimension where these are given, in a shape."""
    if scale is not None:
        array = array * scale.reshape(-1, *(1,) * (array.ndim - 1))
    return array.reshape(shape)
