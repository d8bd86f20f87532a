"""relu of a float32 array in its own memory, for results of other kernels that nobody else has yet."""

from __future__ import annotations

import numpy as np

from .. import loops, threads
from ..loops.names import parallel


@loops.kernel
def _relu_in_place(x, n):
    for i in parallel(n, 1):
        x[i] = max(x[i], 0.0)


def relu_in_place(x: np.ndarray) -> np.ndarray:
    """relu of an array that nobody else has, in its own memory; by a loop, once that is worth its making."""
    flat = x if x.flags.c_contiguous else x.transpose(0, *range(2, x.ndim), 1)
    if flat.flags.c_contiguous and x.dtype == np.float32 and loops.is_ready() and _relu_in_place.is_due(flat.size):
        _relu_in_place.typed("f32*", "i64")(threads.get_num_threads(), flat, flat.size)
    else:
        np.maximum(flat, 0, out=flat)
    return x
