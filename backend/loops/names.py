"""The names that kernels may use, with a meaning in plain Python, for readers and checkers."""

from __future__ import annotations

import ctypes
import math
import struct
from math import atan, atan2, copysign, cosh, erf, expm1, floor, log, log1p, sqrt, tanh
from typing import Any

import numpy as np

__all__ = ["atan", "atan2", "bits", "bits64", "copysign", "cosh", "erf", "exp", "expm1", "f32", "f32_at",
           "f32_of_unsigned", "f64", "f64_of_unsigned", "floor", "fma", "i16", "i32", "i64", "i64_at", "in_order",
           "library_exp", "library_log", "log", "log1p",
           "log_gamma", "nearest", "normal_cdf", "of_bits", "of_bits64", "of_order", "parallel", "sigmoid", "soon",
           "sin_cos_of_quarters", "sin_cos_of_quarters_f64", "sqrt", "tanh", "truncate", "unsigned_quotient",
           "unsigned_shift"]


def parallel(count: int, work: int) -> range:
    """The range of the one loop of a kernel that threads share; `work` is what a round costs, in elements."""
    return range(count)


def fma(a: float, b: float, c: float) -> float:
    """a * b + c, rounded once."""
    return a * b + c


def exp(x: float) -> float:
    """e to the power x; infinity where that is too large."""
    return math.exp(x) if x < 700 else math.inf


def library_exp(x: float) -> float:
    """exp(x) by the C library, in each bit."""
    return exp(x)


def library_log(x: float) -> float:
    """log(x) by the C library, in each bit."""
    return log(x)


def sigmoid(x: float) -> float:
    """1 / (1 + exp(-x))."""
    return 1.0 / (1.0 + exp(-x))


def normal_cdf(x: float) -> float:
    """The share of the standard normal distribution that lies below x."""
    return (1.0 + erf(x * 0.5**0.5)) * 0.5


def sin_cos_of_quarters(r: float, quarters: int) -> tuple[float, float]:
    """The sine and the cosine of an angle of so many quarters of a turn, and r more."""
    return math.sin(math.pi / 2 * quarters + r), math.cos(math.pi / 2 * quarters + r)


sin_cos_of_quarters_f64 = sin_cos_of_quarters


def nearest(x: float) -> float:
    """The nearest whole number, ties to even."""
    return float(round(x))


def truncate(x: float) -> float:
    """The whole number next to x towards 0."""
    return float(math.trunc(x))


def bits(x: float) -> int:
    """The 32 bits of a float32, as a whole number."""
    return int(struct.unpack("<i", struct.pack("<f", x))[0])


def of_bits(n: int) -> float:
    """The float32 of these 32 bits."""
    return float(struct.unpack("<f", struct.pack("<i", n))[0])


def in_order(x: float) -> int:
    """A whole number for each one, in their order: -0 is below 0, NaNs are below or above all by their sign."""
    bits = struct.unpack("q", struct.pack("d", x))[0]
    return bits if bits >= 0 else bits ^ ((1 << 63) - 1)


def of_order(x: int) -> float:
    """The number that `in_order` gives this one for."""
    return struct.unpack("d", struct.pack("q", x if x >= 0 else x ^ ((1 << 63) - 1)))[0]


def bits64(x: float) -> int:
    """The 64 bits of a float64, as a whole number."""
    return int(struct.unpack("<q", struct.pack("<d", x))[0])


def of_bits64(n: int) -> float:
    """The float64 of these 64 bits."""
    return float(struct.unpack("<d", struct.pack("<q", n))[0])


def f32_of_unsigned(n: int) -> float:
    """The 64 bits of n, taken as a whole number that is not negative, as float32."""
    return float(np.float32(np.uint64(n % 2**64)))


def f64_of_unsigned(n: int) -> float:
    """The same as float64."""
    return float(n % 2**64)


def unsigned_shift(n: int, count: int) -> int:
    """The 64 bits of n, shifted to the right by `count`, with zeros coming in."""
    return (n % 2**64) >> count


def unsigned_quotient(a: int, b: int) -> int:
    """a // b of 64 bits each, taken as whole numbers that are not negative."""
    return (a % 2**64) // (b % 2**64)


def log_gamma(x: float) -> float:
    """The logarithm of the gamma function, in float64."""
    return math.lgamma(x)


def soon(place: Any) -> None:
    """Has the memory around an element (`x + n`) brought near, as it will be read soon: it changes no value."""


def f32_at(address: int) -> Any:
    """The float32 elements that lie at an address: an array that was not given as an argument."""
    return ctypes.cast(address, ctypes.POINTER(ctypes.c_float))


def i64_at(address: int) -> Any:
    """The int64 elements that lie at an address."""
    return ctypes.cast(address, ctypes.POINTER(ctypes.c_int64))


f32 = f64 = float
i16 = i32 = i64 = int
