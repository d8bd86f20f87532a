"""Gradients of leaves as sums that are computed at the end of a pass: a weight that was used step after step.

A recurrent network's weight gets a product of two thin matrices from every step, and the sum of such products is one
product of what lies in all of them, in a fraction of the time. So a gradient rule may give a leaf (its parameter
`to_leaf` tells) such a term as it is, instead of what it comes to; the walk adds terms, and whoever takes the leaf's
gradient asks for the array. Knows NumPy's arrays alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

MOST_ROWS = 64
"""Terms of more rows are computed at once: a product of so many rows is worth a call of its own."""
_ROWS_AT_ONCE = 512  # terms are computed together when they have so many rows, so that little waits
_ELEMENTS_AT_ONCE = 1 << 19  # or so many elements


class Deferred:
    """The sum of what `compute` gives for each of several terms: matrices of equally many rows each.

    `compute` of terms laid one below the other is the sum of what it is of each.

    >>> import numpy as np
    >>> from proa.ops.core.deferred import Deferred
    >>> of_rows = lambda x: x.sum(axis=0)
    >>> (Deferred(of_rows, np.ones((3, 2))) + Deferred(of_rows, np.ones((4, 2)))).array().tolist()
    [7.0, 7.0]
    """

    __slots__ = ("compute", "terms", "rows", "done")

    __array_ufunc__ = None  # `array + this` is asked of this class

    def __init__(self, compute: Callable[..., Any], *term: Any):
        self.compute, self.terms, self.rows, self.done = compute, [term], len(term[0]), None

    def array(self) -> Any:
        """The sum, as an array."""
        terms = self.terms
        if terms:
            of_all = self.compute(*(terms[0] if len(terms) == 1 else map(np.concatenate, zip(*terms, strict=True))))
            self.done = of_all if self.done is None else self.done + of_all
            self.terms, self.rows = [], 0
        return self.done

    def __add__(self, other: Any) -> Any:
        """The sum of both; this object is that from now on, where both are such sums."""
        if type(other) is not Deferred or other.compute is not self.compute or other.done is not None:
            return self.array() + (other.array() if type(other) is Deferred else other)
        self.terms += other.terms
        self.rows += other.rows
        if self.rows >= _ROWS_AT_ONCE or self.rows * sum([part.shape[1] for part in self.terms[0]]) > _ELEMENTS_AT_ONCE:
            self.array()
        return self

    def __radd__(self, other: Any) -> Any:
        return other + self.array()
