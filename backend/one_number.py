"""Arrays of one element that are numbers to Python, as NumPy 1 had them: older scripts write `float(loss)` of [1]."""

from __future__ import annotations

from typing import Any

import numpy as np


class array(np.ndarray):
    """An array; one of a single element, of any number of dimensions, can be made a number: `float(a)`, `"%f" % a`.

    NumPy 2.4 takes that from arrays with dimensions. It prints and computes as any other array, and is pickled as one.
    """

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __reduce__(self) -> Any:
        return self.view(np.ndarray).__reduce__()


def as_number(value: Any) -> Any:
    """An array of one element as one that can be made a number; other values as they are."""
    if type(value) is np.ndarray and value.size == 1 and value.ndim:
        return value.view(array)
    return value
