"""Copies of arrays that lie in memory otherwise than an array whose dimensions follow one another.

A convolution leaves its channels side by side; what walks through one image after another wants them in order. NumPy
copies such arrays number by number; where the compiled form is in use (`ops/core/_turning.c`), matrices are turned.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

_LEAST = 1 << 12  # bytes from which on it is worth asking
_TELLS = np.lib.NumpyVersion(np.__version__) >= "2.1.0"  # NumPy whether an array has another shape without a copy

_OfTwo = Callable[[np.ndarray, np.ndarray], Any]

turning: list[tuple[Callable[[np.ndarray], Any], _OfTwo, _OfTwo]] = []
"""What copies an array in order, and as another lies, and turns matrices into another array, or gives NotImplemented;
where the compiled form is in use."""


def in_order(x: np.ndarray) -> np.ndarray:
    """The array itself where its elements lie in order, or a copy of it whose elements do."""
    if x.flags.c_contiguous:
        return x
    found = turning[0][0](x) if turning and x.nbytes >= _LEAST else NotImplemented
    return np.ascontiguousarray(x) if found is NotImplemented else found


def turned(x: np.ndarray, like: np.ndarray) -> np.ndarray | None:
    """A copy of a large array that lies as another one of its shape does; None where NumPy would have to make it."""
    found = turning[0][1](x, like) if turning and x.nbytes >= _LEAST else NotImplemented
    return None if found is NotImplemented else found


def turn_into(x: np.ndarray, out: np.ndarray) -> None:
    """Fills out [n, columns, rows] with the matrices x [n, rows, columns]."""
    if not turning or turning[0][2](x, out) is NotImplemented:
        out[...] = x.swapaxes(1, 2)


def lies_as(x: np.ndarray, like: np.ndarray) -> bool:
    """Whether two arrays of one shape lie alike: steps along dimensions of one element lead nowhere, and may differ."""
    return x.strides == like.strides or all(
        n == 1 or a == b for n, a, b in zip(x.shape, x.strides, like.strides, strict=True))


def lying_as(x: np.ndarray, like: np.ndarray) -> np.ndarray:
    """The array itself where it lies as another one of its shape does, or a copy of it that does."""
    if lies_as(x, like):
        return x
    copy = turned(x, like)
    if copy is None:
        copy = np.empty_like(like)
        np.copyto(copy, x)
    return copy


def reshaped(x: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """`x.reshape(shape)`, of which a copy is made only where no view does."""
    if x.flags.c_contiguous or not turning or not _TELLS or x.nbytes < _LEAST:
        return x.reshape(shape)
    try:
        return np.reshape(x, shape, copy=False)
    except ValueError:
        return in_order(x).reshape(shape)
