"""The different elements of an array: by a table where integers lie close together, by sorting otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import loops
from ..loops.types import OF_ARRAY
from .arrays import flat
from .sort import Order, fill_words, order_of, sort_words, takes_any

LEAST = _LEAST = 1 << 7
_TABLE = 1 << 12  # integers in a range no wider than this, or than the array is long, are counted in a table


@loops.kernel
def _tally(x, counts, n, base):
    for i in range(n):
        place = x[i] - base
        counts[place] = counts[place] + 1


@loops.kernel
def _sort_all(x, words, counts, n, real, base, bits, passes, found):
    fill_words(x, words, n, real, base, 1)
    found[0] = sort_words(words, counts, n, bits, passes)


@loops.kernel
def _group(words, index, inverse, counts, found, n):
    group = 0 - 1
    last = 0 - 1
    for i in range(n):
        ordinal = words[i] >> 31
        position = words[i] & 2147483647
        if ordinal != last:
            group += 1
            index[group] = position
            counts[group] = 0
            last = ordinal
        counts[group] = counts[group] + 1
        inverse[position] = group
    found[0] = group + 1


def unique(x: np.ndarray, *, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
           axis: Any = (), dtype: Any = None, is_sorted: bool = True) -> Any:
    """The different elements in order; and where each stands first, where it went and how often, if wanted."""
    if len(axis) or not is_sorted or not takes_any(x, _LEAST, _sort_all):
        return NotImplemented
    x = flat(x).reshape(-1)
    order = order_of(x, False)
    if order is None:
        return NotImplemented
    if not order.real and 1 << order.bits <= max(_TABLE, x.size) and not (return_index or return_inverse):
        values, counts = _by_table(x, order)
        index = inverse = np.empty(0, "int64")
    else:
        values, index, inverse, counts = _by_order(x, order)
    wanted = (index, return_index), (inverse, return_inverse), (counts, return_counts)
    kind = "int64" if dtype is None else dtype.dtype
    return values, *[a.astype(kind, copy=False) if want else np.empty(0, kind) for a, want in wanted]


def _by_table(x: np.ndarray, order: Order) -> tuple[np.ndarray, np.ndarray]:
    counts = np.zeros(1 << order.bits, "int64")
    _tally.typed(OF_ARRAY[order.seen.dtype], "i64*", "i64", "i64")(1, order.seen, counts, x.size, order.base)
    places = counts.nonzero()[0]
    return (places + order.base).astype(x.dtype), counts[places]


def _by_order(x: np.ndarray, order: Order) -> tuple[np.ndarray, ...]:
    n = x.size
    passes = -(-order.bits // 11)
    digit = -(-order.bits // passes) if passes else 1
    words, found = np.empty((2, n), "int64"), np.zeros(1, "int64")
    _sort_all.typed(OF_ARRAY[order.seen.dtype], "i64*", "i32*", *["i64"] * 5, "i64*")(
        1, order.seen, words, np.empty(1 << digit, "int32"), n, order.real, order.base, digit, passes, found)
    ordered = words[1] if found[0] else words[0]
    index, inverse, counts = np.empty((3, n), "int64")
    _group.typed(*["i64*"] * 5, "i64")(1, ordered, index, inverse, counts, found, n)
    count = found.item()
    return x[index[:count]], index[:count].copy(), inverse.copy(), counts[:count].copy()
