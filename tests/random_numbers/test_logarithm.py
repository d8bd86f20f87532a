"""The logarithm of float32 is that of the C library, and in loops as by NumPy."""

import ctypes
import platform

import numpy as np
import pytest
from proa.backend import loops
from proa.backend.loops.functions import Function
from proa.backend.random.logarithm import LOGARITHMS, log

POINTS = np.concatenate([np.linspace(2**-24, 1, 20_001), np.logspace(-37, 38, 20_001),
                         1 + np.arange(-999, 1000) * 2.0**-24]).astype("float32")


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the algorithm is glibc's")
def test_numpy_gives_what_the_c_library_gives():
    logf = ctypes.CDLL("libm.so.6").logf
    logf.restype, logf.argtypes = ctypes.c_float, [ctypes.c_float]
    assert log(POINTS).tolist() == [logf(x) for x in POINTS.tolist()]


@pytest.mark.skipif(not loops.is_ready(), reason="llvmlite is not installed")
def test_loops_give_the_same():
    kernel = loops.Kernel(Function(source="def each(x, out, table, n):\n    for i in range(n):\n"
                                          "        out[i] = log_of(x[i], table)", exact=True))
    out = np.empty_like(POINTS)
    kernel(POINTS, out, LOGARITHMS, POINTS.size)
    assert out.tobytes() == log(POINTS).tobytes()
