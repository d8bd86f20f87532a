"""Whole numbers below a bound, and random order: `std::uniform_int_distribution` and `std::shuffle` (libstdc++ 10).

The range of words is cut into as many equal parts as there are numbers; a word in what remains is passed over.
"""

from __future__ import annotations

import numpy as np

from ...core.mersenne_twister import Engine
from ..loops import function
from ..loops.names import i64, unsigned_quotient, unsigned_shift
from .same import same

_ALL = 2**64 - 1
_SMALL = 2**32  # bounds up to here take no division in a loop


@function
def upper_half(a, b):
    """The upper 64 bits of the product of 64 bits and 33, taken as numbers that are not negative."""
    first = (a & 4294967295) * b
    return unsigned_shift(unsigned_shift(a, 32) * b + unsigned_shift(first, 32), 32)


@function
def is_below(a, b):
    """Whether a < b, of 64 bits that are taken as numbers which are not negative."""
    return (a ^ -9223372036854775808) < (b ^ -9223372036854775808)


@same("i64* i64* i64* i64 i64 i64 i64")
def _integers(words, out, refused, n, low, bound, part):
    count = 0
    for i in range(n):
        number = upper_half(words[i], bound)  # the quotient by `part`, or one less
        number = number + i64(not is_below(words[i] - number * part, part))
        out[i] = number + low
        count = count + i64(number >= bound)
    refused[0] = count


def _from_words(words: np.ndarray, out: np.ndarray, low: int, bound: int) -> int:
    """Fills the beginning of `out` with numbers from `low` up to low + bound; gives how many words made one."""
    part = _ALL // bound
    run = _integers.due(words.size) if bound <= _SMALL else None
    if run is not None:
        refused = np.empty(1, "int64")
        run(words, out, refused, words.size, low, bound, part if part < 2**63 else -1)
        if not refused[0]:
            return words.size
    numbers = words // np.uint64(part)
    kept = numbers < np.uint64(bound) if bound < 2**64 else np.ones(words.size, "bool")
    if not kept.all():
        numbers = numbers[kept]
    out[:numbers.size] = numbers.view("int64") + np.int64(low)
    return numbers.size


def integers(engine: Engine, shape: tuple[int, ...], low: int, high: int) -> np.ndarray:
    """Whole numbers, int64, from `low` up to `high`, without it."""
    out = np.empty(shape, "int64")
    flat, found, count = out.reshape(-1), 0, out.size
    with engine.lock:
        while found < count:
            for part in engine.in_parts(count - found):
                found += _from_words(engine.words(part), flat[found:], low, high - low)
    return out


# Random order

@same("i64* i64* i64* i64 i64")
def _exchange(out, words, reached, begin, count):
    i = begin
    for word in range(count):
        bound = (i + 1) * (i + 2)
        both = unsigned_quotient(words[word], unsigned_quotient(-1, bound))
        if both < bound:
            first = unsigned_quotient(both, i + 2)
            second = both - first * (i + 2)
            kept = out[i]
            out[i] = out[first]
            out[first] = kept
            kept = out[i + 1]
            out[i + 1] = out[second]
            out[second] = kept
            i = i + 2
    reached[0] = i


def _exchanged(words: np.ndarray, out: np.ndarray, place: int) -> int:
    """Exchanges two elements a word, from `place` on, with ones before them; gives the place behind the last."""
    run = _exchange.due(2 * words.size)
    if run is not None:
        reached = np.empty(1, "int64")
        run(out, words, reached, place, words.size)
        return int(reached[0])
    places = np.arange(place, place + 2 * words.size, 2, dtype="uint64")
    after = places + np.uint64(2)
    bounds = (after - np.uint64(1)) * after
    both = words // (np.uint64(_ALL) // bounds)
    refused = both >= bounds
    if refused.any():  # hardly ever: what follows is of the next words
        count = int(refused.argmax())
        words = words[count + 1:]
        place = _exchanged_with(out, places[:count], both[:count], after[:count], place)
        return _exchanged(words, out, place) if words.size else place
    return _exchanged_with(out, places, both, after, place)


def _exchanged_with(out: np.ndarray, places: np.ndarray, both: np.ndarray, after: np.ndarray, place: int) -> int:
    first, second = np.divmod(both, after)
    values = out.tolist()
    for i, a, b in zip(places.tolist(), first.tolist(), second.tolist(), strict=True):
        values[i], values[a] = values[a], values[i]
        values[i + 1], values[b] = values[b], values[i + 1]
    out[:] = values
    return place + 2 * len(places)


def permutation(engine: Engine, count: int) -> np.ndarray:
    """The numbers 0 … count - 1, int64, in random order. One word moves two of them."""
    out = np.arange(count)
    place = 1
    with engine.lock:
        if count % 2 == 0 and count:
            words = engine.words(count // 2)  # of which the first says whether the first two change places
            chosen = int(words[0]) // (_ALL // 2)
            while chosen == 2:  # hardly ever: that word is refused
                words = np.append(words[1:], engine.words(1))
                chosen = int(words[0]) // (_ALL // 2)
            if chosen == 0:
                out[:2] = 1, 0
            place = _exchanged(words[1:], out, 2) if count > 2 else 2
        while place < count:
            place = _exchanged(engine.words((count - place) // 2), out, place)
    return out
