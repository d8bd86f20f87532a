"""hash: rows of integers as numbers below a bound, by XXH64 (Yann Collet's hash of 64 bits)."""

from typing import Any

from ..core.operator import Long, operator
from ..core.spec import Spec

_PRIMES = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)


class _Hash:
    """XXH64 of each row of a matrix of bytes, computed on vectors of uint64 of a namespace."""

    def __init__(self, xp: Any, rows: Any):
        self.xp, self.rows = xp, rows
        self.primes = [xp.asarray([prime], dtype="uint64") for prime in _PRIMES]

    def _number(self, value: int) -> Any:
        return self.xp.asarray([value], dtype="uint64")

    def _turned(self, x: Any, bits: int) -> Any:
        return (x << self._number(bits)) | (x >> self._number(64 - bits))

    def _words(self, start: int, stop: int, dtype: str) -> Any:
        """The bytes from `start` to `stop` of each row as words, in columns."""
        return self.xp.ascontiguousarray(self.rows[:, start:stop]).view(dtype).astype("uint64")

    def _round(self, state: Any, word: Any) -> Any:
        return self._turned(state + word * self.primes[1], 31) * self.primes[0]

    def of(self, seed: int) -> Any:
        """The hash of each row for a seed."""
        first, second, third, fourth, fifth = self.primes
        size, start = self.rows.shape[1], self._number(seed)
        whole = size // 32 * 32
        if whole:
            states = [start + first + second, start + second, start, start - first]
            words = self._words(0, whole, "uint64")
            for n in range(words.shape[1]):
                states[n % 4] = self._round(states[n % 4], words[:, n])
            found = sum(self._turned(state, bits) for state, bits in zip(states, (1, 7, 12, 18), strict=True))
            for state in states:
                found = (found ^ self._round(self._number(0), state)) * first + fourth
        else:
            found = self.xp.zeros(len(self.rows), "uint64") + (start + fifth)
        found = found + self._number(size)
        eights, fours = size // 8 * 8, size // 4 * 4
        for word in self._words(whole, eights, "uint64").T:
            found = self._turned(found ^ self._round(self._number(0), word), 27) * first + fourth
        for word in self._words(eights, fours, "uint32").T:
            found = self._turned(found ^ word * first, 23) * second + third
        found = (found ^ (found >> self._number(33))) * second
        found = (found ^ (found >> self._number(29))) * third
        return found ^ (found >> self._number(32))


_MOST = 1 << 16


def _check_numbers(num_hash: int, mod_by: int) -> None:
    if mod_by < 1 or not 1 <= num_hash <= _MOST:
        raise ValueError(f"hash(hash_size, num_hash): must be positive, the second {_MOST} at most. Received {mod_by} "
                         f"and {num_hash}.")


def _hashed(xp, x, *, num_hash: int = 1, mod_by: Long = 100000):
    _check_numbers(num_hash, mod_by)
    rows = xp.ascontiguousarray(x).reshape(-1, x.shape[-1])
    hashes = _Hash(xp, rows.view("uint8").reshape(len(rows), -1))
    found = xp.stack([hashes.of(seed) for seed in range(num_hash)], 1) % xp.asarray([mod_by], dtype="uint64")
    return found.astype(x.dtype).reshape(*x.shape[:-1], num_hash, 1)


def _infer(x, *, num_hash=1, mod_by=100000):
    if x.rank < 2 or not x.dtype.is_integer or x.dtype.itemsize < 4:
        raise ValueError(f"hash(input): must be rows of int32 or int64. Received shape {list(x.shape)} of "
                         f"{x.dtype.name}.")
    _check_numbers(num_hash, mod_by)
    return Spec((*x.shape[:-1], num_hash, 1), x.dtype)


hash_op = operator("hash", "X -> Out", kernel=_hashed, infer=_infer)
"""The k-th of `num_hash` hashes of a row is its XXH64 with the seed k, modulo `mod_by`."""
