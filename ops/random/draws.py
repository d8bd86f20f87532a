"""Arrays of random numbers for kernels, from the generator of the place in use.

On the host they are Paddle's own numbers; a device has generators of its own, started from that sequence.
"""

import struct
from typing import Any

import numpy as np

from ...backend import random as host
from ...backend.random import F32, F64
from ...core import dtype as dt
from ...core.dtype import DType
from ...core.mersenne_twister import Engine, words_of_seed
from ...core.random import default_generator


def generator(xp: Any, seed: int = 0) -> Any:
    """A generator as NumPy has them, apart from the sequence of `paddle.seed`: NumPy's, or a device's started from it.

    For devices, and for what draws from the system's entropy in Paddle, so that no two runs agree there.
    """
    if xp is not np:
        return xp.random.default_rng(seed or default_generator().next_seed())
    return xp.random.default_rng(seed) if seed else default_generator().numpy


def engine(seed: int = 0) -> Engine:
    """The words that a kernel on the host makes its numbers of: those of the place in use, or those of its own seed."""
    return Engine(words_of_seed, seed) if seed else default_generator().engine


class Seeded:
    """What is made of an operator's own seed, other than 0."""

    def floats(self, kind: np.dtype, seed: int) -> Engine:
        """The words that floats of this dtype are made of."""
        return engine(seed)

    def integers(self, sizes: tuple[int, ...], low: int, high: int, seed: int) -> np.ndarray:
        """Whole numbers from `low` up to `high`."""
        return host.integers(engine(seed), sizes, low, high)

    def order(self, count: int, seed: int) -> np.ndarray:
        """The numbers below `count` in random order."""
        return host.permutation(engine(seed), count)


_SEEDED: list[Seeded] = [Seeded()]


def draw_seeded_by(made: Seeded) -> None:
    """From now on, in this process, operators that have a seed of their own draw by another set of generators."""
    _SEEDED[0] = made


def engine_of(kind: np.dtype, seed: int) -> Engine:
    """As `engine`, for floats of this dtype."""
    return _SEEDED[0].floats(kind, seed) if seed else engine()


def integer_array(sizes: tuple[int, ...], low: int, high: int, seed: int) -> np.ndarray:
    """Whole numbers, int64, from `low` up to `high`, without it; of the generator in use where the seed is 0."""
    return _SEEDED[0].integers(sizes, low, high, seed) if seed else host.integers(engine(), sizes, low, high)


def order_of(count: int, seed: int) -> np.ndarray:
    """The numbers below `count`, int64, in random order."""
    return _SEEDED[0].order(count, seed) if seed else host.permutation(engine(), count)


def numbers_apart(xp: Any, sizes: tuple[int, ...], seed: int = 0) -> Any:
    """float64 numbers from 0 to 1: with a seed those of Paddle, otherwise apart from the sequence of `paddle.seed`."""
    return host.uniform(engine(seed), sizes, F64) if seed and xp is np else generator(xp, seed).random(sizes)


def integers_apart(xp: Any, sizes: tuple[int, ...], bound: int, seed: int = 0) -> Any:
    """Integers below `bound`: with a seed those of Paddle, otherwise apart from the sequence of `paddle.seed`."""
    if seed and xp is np:
        return host.integers(engine(seed), sizes, 0, bound)
    return generator(xp, seed).integers(0, bound, sizes)


def kind_of_dtype(dtype: DType) -> np.dtype:
    """What floats of this dtype are drawn in."""
    return F64 if dtype is dt.float64 else F32


def kind_of(x: Any) -> np.dtype:
    """What floats of an array's dtype are drawn in."""
    return F64 if x.dtype == F64 else F32


def uniform_array(xp: Any, sizes: tuple[int, ...], dtype: DType, low: float = 0.0, high: float = 1.0,
                  seed: int = 0) -> Any:
    """An array spread evenly from `low` up to `high`."""
    kind = F64 if dtype is dt.float64 else F32
    if xp is np:
        drawn = host.uniform(engine_of(kind, seed), sizes, kind, low, high)
        if dtype.dtype is kind:
            return drawn
    else:
        drawn = xp.asarray(generator(xp, seed).random(sizes, dtype=kind))
        if (low, high) != (0, 1):
            drawn = drawn * xp.asarray(high - low, kind) + xp.asarray(low, kind)
    return drawn.astype(dtype.dtype, copy=False)


def normal_array(xp: Any, sizes: tuple[int, ...], dtype: DType, mean: float = 0.0, std: float = 1.0,
                 seed: int = 0) -> Any:
    """A normally distributed array."""
    kind = kind_of_dtype(dtype)
    if xp is np:
        drawn = host.normal(engine_of(kind, seed), sizes, kind, mean, std)
    else:
        drawn = xp.asarray(generator(xp, seed).standard_normal(sizes, dtype=kind))
        drawn = drawn * xp.asarray(std, kind) + xp.asarray(mean, kind)
    return drawn.astype(dtype.dtype, copy=False)


def gumbel_array(xp: Any, x: Any) -> Any:
    """An array of x's shape and dtype, from Gumbel's distribution."""
    if xp is np:
        drawn = host.gumbel(engine(), x.shape, kind_of(x))
    else:
        drawn = xp.asarray(generator(xp).standard_exponential(x.shape, dtype=kind_of(x)))
        drawn = -xp.log(drawn + xp.finfo(drawn.dtype).tiny)
    return drawn.astype(x.dtype, copy=False)


_pack_float, _unpack_float = struct.Struct("<f").pack, struct.Struct("<f").unpack


def as_float32(number: float) -> float:
    """The number as an operator's attribute in Paddle holds it."""
    return _unpack_float(_pack_float(number))[0]
