"""Sorting, the first k, and elements by their rank along a dimension, by radix: float32, bools and integers.

An element becomes a word that orders as it does: its *ordinal*, a number of at most 32 bits, above its position. So
equal elements keep their order, and words are all different. Ordinals of floats are their bits with the negative ones
turned round; the two zeros are one, and NaN, of whatever bits, is the largest. Integers that lie less than 2**32 apart
are counted from the smallest of them; the narrower their range, the fewer passes it takes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .. import loops
from ..loops.names import i64, parallel
from ..loops.types import OF_ARRAY
from ..threads import get_num_threads
from .arrays import F32, F64, bound_plain, flat, own_axis

LEAST = _LEAST = 1 << 6
_LOWEST_FLOAT, _HIGHEST_FLOAT = -(1 << 31), (1 << 31) - 1
_LARGEST_K = 32
_SMALL_K = 4  # so few are found by insertion in rows of any length
_I32, _I64 = np.dtype("int32"), np.dtype("int64")
_FEW = 128  # so few are ranked by comparing each with each
_WIDE_DIGITS_FROM = 1 << 13


@loops.function
def ordinal_of(x, real):
    """A number that orders as x does; where `real`, x is the bits of a float32."""
    word = i64(x)
    size = word & 2147483647
    turned = word ^ ((word >> 31) & 2147483647)
    turned = 0 if size == 0 else turned
    turned = 2147483647 if size > 2139095040 else turned
    return turned if real > 0 else word


@loops.function
def fill_words(x, words, n, real, base, sign):
    """Words of n elements; ordinals are counted from `base`, downwards where the sign is -1."""
    for i in range(n):
        words[i] = (((ordinal_of(x[i], real) - base) * sign) << 31) | i


@loops.function
def rank_few(words, n):
    """Brings few words into order; each is as far on as there are smaller ones. Gives where they are then."""
    padded = (n + 15) // 16 * 16  # so that vectors cover all of them
    for i in range(n, padded):
        words[i] = 9223372036854775807
    for i in range(n):
        word = words[i]
        smaller = 0
        for j in range(padded):
            smaller += 1 if words[j] < word else 0
        words[padded + smaller] = word
    return padded


@loops.function
def sort_words(words, counts, n, bits, passes):
    """Sorts n words by digits of so many bits. Gives where they are then: 0, or n, behind where they were."""
    source = 0
    size = 1 << bits
    mask = size - 1
    for p in range(passes):
        shift = 31 + p * bits
        for d in range(size):
            counts[d] = 0
        for i in range(source, source + n):
            digit = (words[i] >> shift) & mask
            counts[digit] = counts[digit] + 1
        if counts[(words[source] >> shift) & mask] < n:
            target = n - source
            before = target
            for d in range(size):
                count = i64(counts[d])
                counts[d] = before
                before += count
            for i in range(source, source + n):
                word = words[i]
                digit = (word >> shift) & mask
                place = i64(counts[digit])
                words[place] = word
                counts[digit] = place + 1
            source = target
    return source


@loops.kernel
def _sort_rows(x, out, indices, words, counts, rows, n, k, parts, real, base, sign, bits, passes, few):
    for p in parallel(parts, rows // parts * n * 8):
        own = words + p * 2 * (n + 16)
        count = counts + (p << bits)
        for r in range(p * rows // parts, (p + 1) * rows // parts):
            row = x + r * n
            fill_words(row, own, n, real, base, sign)
            place = 0
            if few > 0:
                place = rank_few(own, n)
            else:
                place = sort_words(own, count, n, bits, passes)
            for i in range(k):
                position = own[place + i] & 2147483647
                indices[r * k + i] = position
                out[r * k + i] = row[position]


@loops.kernel
def _first_rows(x, out, indices, words, rows, n, k, parts, real, base, sign):
    for p in parallel(parts, rows // parts * n * 2):
        best = words + p * k
        for r in range(p * rows // parts, (p + 1) * rows // parts):
            row = x + r * n
            held = 0
            for first in range((n + 15) // 16):
                start = first * 16
                end = min(n, start + 16)
                better = 1
                if held == k and n >= 64 * k:  # the rest has few that come before the last of those that are held
                    last = ordinal_of(row[best[k - 1] & 2147483647], real)
                    better = 0
                    if sign > 0:
                        for i in range(start, end):
                            better += 1 if ordinal_of(row[i], real) < last else 0
                    else:
                        for i in range(start, end):
                            better += 1 if ordinal_of(row[i], real) > last else 0
                if better > 0:
                    for i in range(start, end):
                        word = (((ordinal_of(row[i], real) - base) * sign) << 31) | i
                        if held < k or word < best[k - 1]:
                            place = held if held < k else k - 1
                            searching = place > 0
                            while searching:
                                searching = False
                                if best[place - 1] > word:
                                    best[place] = best[place - 1]
                                    place -= 1
                                    searching = place > 0
                            best[place] = word
                            held = held + 1 if held < k else k
            for i in range(k):
                position = best[i] & 2147483647
                indices[r * k + i] = position
                out[r * k + i] = row[position]


class Order(NamedTuple):
    """How elements become ordinals: as loops take them, whether they are bits of floats, from where and whither."""

    seen: np.ndarray
    real: int
    base: int
    sign: int
    bits: int


def order_of(x: np.ndarray, descending: bool) -> Order | None:
    """How a contiguous array is ordered; None for what these loops are not for."""
    if x.dtype is F32:
        return Order(x.view(_I32), 1, _HIGHEST_FLOAT if descending else _LOWEST_FLOAT, -1 if descending else 1, 32)
    if x.dtype.kind in "biu" and x.dtype in OF_ARRAY:
        seen, low, high = (x.view("uint8") if x.dtype.kind == "b" else x), int(x.min()), int(x.max())
    else:
        return None
    bits = (high - low).bit_length()
    return None if bits > 32 else Order(seen, 0, high if descending else low,
                                         -1 if descending else 1, bits)


_codes: dict[tuple, Callable[..., None]] = {}


def code(kernel: loops.Kernel, x: np.ndarray, arrays: str, numbers: int) -> Callable[..., None]:
    """The kernel for two arrays of x's dtype, arrays of the types given, and so many whole numbers."""
    key = kernel, x.dtype, numbers
    found = _codes.get(key)
    if found is None:
        kind = OF_ARRAY[x.dtype]
        found = _codes[key] = kernel.typed(kind, kind, *arrays.split(), *["i64"] * numbers)
    return found


def takes_any(x: np.ndarray, least: int, kernel: loops.Kernel) -> bool:
    """Whether loops can be had for an array, its positions fit words, and the kernel is due."""
    return (x.ndim > 0 and x.size >= least and 0 < x.size < 1 << 31 and loops.is_ready()
            and kernel.is_due(x.size))


def along_last(x: np.ndarray, axis: int) -> np.ndarray:
    """The array with a dimension as its last, contiguous."""
    return flat(x) if own_axis(axis, x.ndim) == x.ndim - 1 else np.ascontiguousarray(np.moveaxis(x, axis, -1))


def _sorted(x: np.ndarray, descending: bool, k: int) -> Any:
    """The first k of each row in order, and their positions."""
    order = order_of(x, descending)
    if order is None:
        return _first_of_reals(x, descending, k) if x.dtype is F64 else NotImplemented
    seen, real, base, sign, bits = order
    n = x.shape[-1]
    rows = x.size // n
    out, indices = np.empty((*x.shape[:-1], k), seen.dtype), np.empty((*x.shape[:-1], k), _I64)
    parts = min(rows, get_num_threads())
    if k <= _LARGEST_K and (k * 8 <= n or k <= _SMALL_K):
        run = code(_first_rows, seen, "i64* i64*", 7)
        run(parts, seen, out, indices, np.empty(parts * k, _I64), rows, n, k, parts, real, base, sign)
    else:
        wide = n >= _WIDE_DIGITS_FROM
        passes = -(-bits // (11 if wide else 8))
        digit = -(-bits // passes) if passes else 1
        counts = np.empty(parts << digit, _I32)
        run = code(_sort_rows, seen, "i64* i64* i32*", 10)
        words = np.empty(parts * 2 * (n + 16), _I64)
        run(parts, seen, out, indices, words, counts, rows, n, k, parts, real, base, sign, digit, passes,
            int(n <= _FEW))
    return out.view(x.dtype), indices


def put_along(x: np.ndarray, axis: int, *found: np.ndarray) -> tuple[np.ndarray, ...]:
    """Results along the last dimension as results along a dimension of x."""
    return found if own_axis(axis, x.ndim) == x.ndim - 1 else tuple([np.moveaxis(a, -1, axis) for a in found])


@loops.function
def comes_first(a, b, descending):
    """Whether a stands before b; NaN is the largest."""
    return (a > b or (a != a and b == b)) if descending > 0 else (a < b or (b != b and a == a))


@loops.kernel
def _first_reals(x, out, indices, rows, n, k, descending):
    """As `_first_rows`, for floats that no word holds beside their position: later ones go behind equal ones."""
    for r in parallel(rows, n * 2):
        row = x + r * n
        best = out + r * k
        position = indices + r * k
        held = 0
        for i in range(n):
            value = row[i]
            fits = held < k
            if not fits:
                fits = comes_first(value, best[k - 1], descending)
            if fits:
                place = held if held < k else k - 1
                searching = place > 0
                while searching:
                    searching = False
                    if comes_first(value, best[place - 1], descending):
                        best[place] = best[place - 1]
                        position[place] = position[place - 1]
                        place -= 1
                        searching = place > 0
                best[place] = value
                position[place] = i
                held = held + 1 if held < k else k


_run_first_reals = bound_plain(_first_reals, "f64* f64* i64* i64 i64 i64 i64")


def _first_of_reals(x: np.ndarray, descending: bool, k: int) -> Any:
    n = x.shape[-1]
    if not (k <= _LARGEST_K and (k * 8 <= n or k <= _SMALL_K)):
        return NotImplemented
    out, indices = np.empty((*x.shape[:-1], k), x.dtype), np.empty((*x.shape[:-1], k), _I64)
    _run_first_reals(x, out, indices, x.size // n, n, k, int(descending))
    return out, indices


def _along(x: np.ndarray, axis: int, descending: bool, k: int) -> Any:
    found = _sorted(along_last(x, axis), descending, k)
    return found if found is NotImplemented else put_along(x, axis, *found)


def argsort(x: np.ndarray, *, axis: int = -1, descending: bool = False) -> Any:
    """The elements in order along a dimension, and their positions."""
    return _along(x, axis, descending, x.shape[axis]) if takes_any(x, _LEAST, _sort_rows) else NotImplemented


def topk(x: np.ndarray, count: Any = None, *, k: int = 1, axis: int = -1, largest: bool = True,
         sorted: bool = True) -> Any:
    """The first k in order along a dimension, and their positions."""
    k = k if count is None else int(count.item())
    if not takes_any(x, _LEAST, _first_rows) or not 0 < k <= x.shape[axis]:
        return NotImplemented
    return _along(x, axis, largest, k)
