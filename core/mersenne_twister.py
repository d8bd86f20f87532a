"""The 64-bit Mersenne Twister as C++ has it (mt19937_64): words from a seed, as many at a time as are wanted.

Matsumoto and Nishimura, Mersenne Twister: a 623-dimensionally equidistributed uniform pseudo-random number generator,
1998; Nishimura, Tables of 64-bit Mersenne Twisters, 2000. NumPy computes 156 words at a time here; `backend` puts a
generated loop in its place, which gives the same ones.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable

import numpy as np

STATE = 312
"""How many words the state has, and how many are made at once."""
_MIDDLE = 156
_AT_ONCE = 8  # how many times as many words are made at least, but for the first
_NONE = np.empty(0, "uint64")
_ALL = 2**64 - 1
_UPPER, _LOWER = np.uint64(_ALL - (2**31 - 1)), np.uint64(2**31 - 1)
_ONE, _MATRIX = np.uint64(1), np.uint64(0xB5026F5AA96619E9)
_STEPS = ((29, 0x5555555555555555), (-17, 0x71D67FFFEDA60000), (-37, 0xFFF7EEE000000000), (43, _ALL))
"""How words of the state are tempered: shifted to the right by so many bits (to the left if below 0), and masked."""


@functools.lru_cache(64)
def words_of_seed_sequence(seed: int) -> np.ndarray:
    """The state that `std::seed_seq` makes of a number's low 32 bits: what `paddle.seed` begins with."""
    values = _seed_sequence(seed & 0xFFFFFFFF, 2 * STATE)
    words = np.array(values, "uint64").reshape(STATE, 2)
    state = words[:, 0] | words[:, 1] << np.uint64(32)
    if not state[0] >> np.uint64(31) and not state[1:].any():
        state[0] = 2**63
    return state


def _seed_sequence(number: int, count: int) -> list[int]:
    """`count` words of 32 bits from one, at least 623 of them (C++20, rand.util.seedseq)."""
    low, shift = 0xFFFFFFFF, 11
    p = (count - shift) // 2
    q = p + shift
    words = [0x8B8B8B8B] * count
    last = words[-1]
    for k in range(count):
        at_p, at_q = (k + p) % count, (k + q) % count
        mixed = words[k] ^ words[at_p] ^ last
        first = 1664525 * (mixed ^ mixed >> 27) & low
        last = first + (k + number if k == 1 else k or 1) & low
        words[at_p] = words[at_p] + first & low
        words[at_q] = words[at_q] + last & low
        words[k] = last
    for k in range(count):
        at_p, at_q = (k + p) % count, (k + q) % count
        mixed = words[k] + words[at_p] + last & low
        first = 1566083941 * (mixed ^ mixed >> 27) & low
        last = first - k & low
        words[at_p] ^= first
        words[at_q] ^= last
        words[k] = last
    return words


@functools.lru_cache(64)
def words_of_seed(seed: int) -> np.ndarray:
    """The state that C++'s engine makes of a number itself: what an operator's own `seed` begins with."""
    words = [seed & _ALL]
    for k in range(1, STATE):
        words.append(6364136223846793005 * (words[-1] ^ words[-1] >> 62) + k & _ALL)
    return np.array(words, "uint64")


def advance(state: np.ndarray, out: np.ndarray) -> None:
    """Fills `out`, whole times as long as the state, with the words that follow, and the state with the last of them.

    The state is changed in place; its words are not tempered, those of `out` are.
    """
    for start in range(0, out.size, STATE):
        _twist(state)
        out[start:start + STATE] = state
    temper(out)


def _twist(state: np.ndarray) -> None:
    """The state's words become those that follow. Each needs one 156 places on: the first half is made first."""
    joined = np.empty(STATE, "uint64")
    np.bitwise_and(state, _UPPER, out=joined)
    low = state & _LOWER
    joined[:-1] |= low[1:]
    _combine(joined[:_MIDDLE], state[_MIDDLE:], state[:_MIDDLE])
    joined[-1] |= state[0] & _LOWER
    _combine(joined[_MIDDLE:], state[:_MIDDLE], state[_MIDDLE:])


def _combine(joined: np.ndarray, far: np.ndarray, out: np.ndarray) -> None:
    odd = joined & _ONE
    odd *= _MATRIX
    joined >>= _ONE
    joined ^= odd
    np.bitwise_xor(joined, far, out=out)


def temper(words: np.ndarray) -> None:
    """Makes words of the state what the engine gives out, in place."""
    for shift, mask in _STEPS:
        moved = words >> np.uint64(shift) if shift > 0 else words << np.uint64(-shift)
        if mask != _ALL:
            moved &= np.uint64(mask)
        words ^= moved


class Engine:
    """A sequence of 64-bit words. Whoever takes some holds `lock`, from the first to the last that belong together."""

    advance: Callable[[np.ndarray, np.ndarray], None] = staticmethod(advance)
    """What makes words: `advance`, or what gives the same faster."""
    PART = 64 * STATE
    """How many words to take at once where very many are wanted: so many stay in a core's cache."""

    def __init__(self, begin: Callable[[int], np.ndarray], seed: int):
        self.lock = threading.RLock()
        self.begin(begin, seed)

    def begin(self, begin: Callable[[int], np.ndarray], seed: int) -> None:
        """Starts the sequence of a seed: `begin(seed)` is the state."""
        with self.lock:
            self._begin: tuple[Callable[[int], np.ndarray], int] | None = (begin, seed)
            self._rest, self._blocks = _NONE, 1

    def _begun(self) -> np.ndarray:
        """The words of the state; made of the seed when they are first needed."""
        if self._begin is not None:
            begin, seed = self._begin
            self._state, self._begin = begin(seed).copy(), None
        return self._state

    def ahead(self, count: int) -> np.ndarray:
        """At least `count` of the words that come next, uint64, as an array that nobody writes into."""
        rest = self._rest
        missing = count - rest.size
        if missing > 0:
            blocks = max(-(-missing // STATE), self._blocks)
            self._blocks = _AT_ONCE  # who draws a second time draws often
            made = np.empty(rest.size + blocks * STATE, "uint64")
            made[:rest.size] = rest
            self.advance(self._begun(), made[rest.size:])
            self._rest = rest = made
        return rest

    def skip(self, count: int) -> None:
        """Passes over words that `ahead` has shown."""
        self._rest = self._rest[count:]

    def words(self, count: int) -> np.ndarray:
        """The next `count` words."""
        rest = self._rest
        if rest.size < count:
            rest = self.ahead(count)
        self._rest = rest[count:]
        return rest[:count]

    def in_parts(self, count: int) -> list[int]:
        """Counts that add up to this one, none of them above `PART`."""
        whole, rest = divmod(count, self.PART)
        return [self.PART] * whole + [rest] * (rest > 0)

    def get_state(self) -> tuple[np.ndarray, np.ndarray]:
        """The words that come next and have been made, and the state after them: 312 words, not tempered."""
        with self.lock:
            return self._rest.copy(), self._begun().copy()

    def set_state(self, state: tuple[np.ndarray, np.ndarray]) -> None:
        """Puts a state from `get_state` back."""
        rest, words = state
        with self.lock:
            self._rest, self._state, self._begin = np.array(rest, "uint64"), np.array(words, "uint64"), None
            self._blocks = _AT_ONCE
