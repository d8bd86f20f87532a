"""`rand` of GNU's C library, begun by `srand`: what `std::random_shuffle` draws from.

Each number is the sum of those 3 and 31 places before it, without its lowest bit (random(3), type 3).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

_FIRST, _PASSED_OVER = 31, 310


def numbers(seed: int) -> Iterator[int]:
    """The numbers of a seed, from 0 up to 2**31."""
    seed %= 2**32
    word = (seed - 2**32 if seed >= 2**31 else seed) or 1
    words = [word]
    for _ in range(1, _FIRST):
        word = 16807 * word % (2**31 - 1)
        words.append(word)
    for count in itertools.count():  # the word at each place is the one of 31 places before
        place, other = (count + 3) % _FIRST, count % _FIRST
        words[place] = (words[place] + words[other]) % 2**32
        if count >= _PASSED_OVER:
            yield words[place] >> 1


def order(seed: int, count: int) -> list[int]:
    """The numbers 0 … count - 1 in random order, as `std::random_shuffle` brings them there."""
    found = list(range(count))
    for place, number in zip(range(1, count), numbers(seed), strict=False):
        other = number % (place + 1)
        found[place], found[other] = found[other], found[place]
    return found
