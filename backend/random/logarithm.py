"""The natural logarithm as the C library rounds it, on arrays of NumPy and in loops.

NumPy's own differs from it in the last bit for one number in five. For float32 this is the algorithm of glibc's `logf`
(2.27 and later): Szabolcs Nagy's, from Arm's Optimized Routines. For float64 the C library itself is called.
"""

from __future__ import annotations

import math

import numpy as np

from ..loops import function
from ..loops.names import bits, f32, f64, i64, of_bits

_PAIRS = """
    0x1.661ec79f8f3bep+0 -0x1.57bf7808caadep-2   0x1.571ed4aaf883dp+0 -0x1.2bef0a7c06ddbp-2
    0x1.49539f0f010bp+0  -0x1.01eae7f513a67p-2   0x1.3c995b0b80385p+0 -0x1.b31d8a68224e9p-3
    0x1.30d190c8864a5p+0 -0x1.6574f0ac07758p-3   0x1.25e227b0b8eap+0  -0x1.1aa2bc79c81p-3
    0x1.1bb4a4a1a343fp+0 -0x1.a4e76ce8c0e5ep-4   0x1.12358f08ae5bap+0 -0x1.1973c5a611cccp-4
    0x1.0953f419900a7p+0 -0x1.252f438e10c1ep-5   0x1p+0               0x0p+0
    0x1.e608cfd9a47acp-1 0x1.aa5aa5df25984p-5    0x1.ca4b31f026aap-1  0x1.c5e53aa362eb4p-4
    0x1.b2036576afce6p-1 0x1.526e57720db08p-3    0x1.9c2d163a1aa2dp-1 0x1.bc2860d22477p-3
    0x1.886e6037841edp-1 0x1.1058bc8a07ee1p-2    0x1.767dcf5534862p-1 0x1.4043057b6ee09p-2"""
LOGARITHMS = np.array([float.fromhex(number) for number in _PAIRS.split()])
"""1 / c and log(c) for sixteen c between 0.7 and 1.4: what loops take as `table`."""
_INVERSE, _LOGARITHM = LOGARITHMS[::2], LOGARITHMS[1::2]
_LEAST_BITS = 0x3F330000  # of the smallest float32 that is taken with the exponent 0


@function
def log_of(x, table):
    """The logarithm of a float32 that is positive, finite and not subnormal."""
    raw = bits(x) - 1060306944
    place = i64((raw >> 19) & 15) * 2
    exponent = raw >> 23
    rest = f64(of_bits(bits(x) - (exponent << 23))) * table[place] - 1.0
    first = table[place + 1] + f64(exponent) * 0.6931471805599453
    square = rest * rest
    more = 0.333456765744066 * rest - 0.4999997485802103
    return f32((-0.25089342214237154 * square + more) * square + (first + rest))


def log(x: np.ndarray) -> np.ndarray:
    """The logarithms of positive, finite floats; of float32 none may be subnormal."""
    if x.dtype != np.float32:
        return np.fromiter(map(math.log, x.reshape(-1).tolist()), "float64", x.size).reshape(x.shape)
    raw = x.view("int32") - np.int32(_LEAST_BITS)
    place = raw >> 19 & 15
    exponent = raw >> 23
    rest = (x.view("int32") - (exponent << 23)).view("float32").astype("float64") * _INVERSE[place] - 1.0
    first = _LOGARITHM[place] + exponent * 0.6931471805599453
    square = rest * rest
    more = 0.333456765744066 * rest - 0.4999997485802103
    return ((-0.25089342214237154 * square + more) * square + (first + rest)).astype("float32")

