"""Images in a frame of their own elements: the last two dimensions padded after tables of where those come from."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import loops
from ..loops.names import parallel
from .arrays import bound, flat, takes_floats

_LEAST = 1 << 9


@loops.kernel
def _framed(x, rows, columns, out, images, height, width, before, inside, wide, tall):
    for q in parallel(images * tall, wide * 2):
        source = x + (q // tall * height + rows[q % tall]) * width
        target = out + q * wide
        for j in range(before):
            target[j] = source[columns[j]]
        for j in range(inside):
            target[before + j] = source[j]
        for j in range(before + inside, wide):
            target[j] = source[columns[j]]


_run = bound(_framed, "T* i64* i64* T* i64 i64 i64 i64 i64 i64 i64")


def framed(x: Any, rows: np.ndarray, columns: np.ndarray, before: int) -> Any:
    """x [..., H, W] as [..., len(rows), len(columns)]; from column `before` on its columns stand as they are."""
    if type(x) is not np.ndarray or not takes_floats(x, _LEAST, _framed):
        return NotImplemented
    height, width = x.shape[-2:]
    out = np.empty((*x.shape[:-2], len(rows), len(columns)), x.dtype)
    _run(x.dtype, flat(x), rows, columns, out, math.prod(x.shape[:-2]), height, width, before, width, len(columns),
         len(rows))
    return out
