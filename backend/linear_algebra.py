"""Linear algebra that NumPy and CuPy do not have alike: errors of singular matrices, solutions of batches, eigenvalues.

Knows arrays only.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import blas
from .devices import device_type_with, on_host

_SMALL = 512  # rows of matrices up to which a second thread of OpenBLAS's wins less than its waiting takes from others


class _Host:
    """`numpy.linalg`, which computes what is said of small matrices on one thread."""

    def __getattr__(self, name: str) -> Any:
        compute = getattr(np.linalg, name)

        @functools.wraps(compute)
        def on_one_thread(x: Any, *args: Any, **named: Any) -> Any:
            if max(x.shape[-2:]) > _SMALL:
                return compute(x, *args, **named)
            with blas.one_thread:
                return compute(x, *args, **named)

        setattr(self, name, on_one_thread)
        return on_one_thread


_host = _Host()


def linalg(xp: Any) -> Any:
    """The functions of `xp.linalg`."""
    return _host if xp is np else xp.linalg


@contextlib.contextmanager
def failing_as(message: str) -> Iterator[None]:
    """Within the block, a decomposition that fails raises ValueError with this message."""
    try:
        yield
    except np.linalg.LinAlgError as error:
        raise ValueError(message) from error


def _checked(xp: Any) -> contextlib.AbstractContextManager:
    """Makes a device's library, which otherwise gives NaN, raise LinAlgError as NumPy does."""
    return contextlib.nullcontext() if xp is np else device_type_with(xp).raising_on_singular()


def inverse(xp: Any, x: Any) -> Any:
    """The inverses of square matrices; LinAlgError where there is none."""
    with _checked(xp):
        return linalg(xp).inv(x)


def cholesky(xp: Any, x: Any) -> Any:
    """The lower triangular factors; LinAlgError where a matrix is not positive definite."""
    with _checked(xp):
        return linalg(xp).cholesky(x)


def power(xp: Any, x: Any, n: int) -> Any:
    """Powers of square matrices; LinAlgError for a negative one of a singular matrix."""
    with _checked(xp):
        return linalg(xp).matrix_power(x, n)


def solution(xp: Any, a: Any, b: Any) -> Any:
    """a^-1 b of matrices whose leading dimensions broadcast; LinAlgError where a is singular."""
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a = xp.broadcast_to(a, (*batch, *a.shape[-2:]))
    b = xp.broadcast_to(b, (*batch, *b.shape[-2:]))
    with _checked(xp):
        return linalg(xp).solve(a, b)


def eigen(xp: Any, x: Any) -> tuple[Any, Any]:
    """Eigenvalues and eigenvectors of general matrices; on the host, for not every version of CUDA has them."""
    values, vectors = on_host(xp, _host.eig, x)
    dtype = "complex64" if x.dtype.name in ("float32", "complex64") else "complex128"
    return values.astype(dtype, copy=False), vectors.astype(dtype, copy=False)
