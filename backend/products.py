"""The matrix product of any namespace; of NumPy a large one on the threads that everything else is shared among.

NumPy's BLAS has threads of its own. After each product they wait in a loop for the next, for a millisecond or, where
NumPy was imported before proa, for a hundred: so long two pools want the same processors, and what is computed between
products takes several times as long. Here its functions are called from OpenMP's threads, each computing a part.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import blas, threads

LARGE = 2**18
"""Multiplications up to which OpenBLAS computes a product on one thread by itself."""

_FUNCTIONS = {"f": "cblas_sgemm", "d": "cblas_dgemm", "F": "cblas_cgemm", "D": "cblas_zgemm"}

shared: list[Callable[[np.ndarray, np.ndarray, np.ndarray, int], bool]] = []
"""What fills a product by a function of BLAS, where the compiled form is in use; False where it cannot."""


def matmul(xp: Any, x: Any, y: Any, out: Any = None) -> Any:
    """`xp.matmul(x, y, out=out)`; `out` shares no memory with x or y."""
    name = _FUNCTIONS.get(x.dtype.char) if xp is np and shared else None
    if name is None or not _is_worth_it(x, y) or not (gemm := blas.address_of(name)):
        return xp.matmul(x, y, out=out)
    if 1 in (x.shape[-2], y.shape[-1]):  # read once, by a function of its own
        with blas.one_thread:
            return np.matmul(x, y, out=out)
    batch = x.shape[:-2] if x.shape[:-2] == y.shape[:-2] else np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    made = np.empty((*batch, x.shape[-2], y.shape[-1]), x.dtype) if out is None else out
    with blas.one_thread:
        if not shared[0](x, y, made, gemm) and not shared[0](
                np.ascontiguousarray(x), np.ascontiguousarray(y), made, gemm):
            return np.matmul(x, y, out=out)
    return made


def _is_worth_it(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether it is large enough, more than one thread computes, and NumPy knows no shorter way: x·xᵀ is symmetric."""
    if x.ndim < 2 or y.ndim < 2 or max(x.size * y.shape[-1], y.size * x.shape[-2]) <= LARGE:
        return False
    is_own = x.strides[-1] == y.strides[-2] and x.strides[-2] == y.strides[-1] and x.ctypes.data == y.ctypes.data
    return x.shape[-1] == y.shape[-2] and x.dtype == y.dtype and not is_own and threads.get_num_threads() > 1


__all__ = ["LARGE", "matmul", "shared"]
