"""Views of NumPy arrays, made without the checks of NumPy's own functions, which cost more than the view."""

from __future__ import annotations

from typing import Any

import numpy as np


def broadcast(x: np.ndarray, shape: tuple[int, ...]) -> Any:
    """x repeated to a shape to which it is known to broadcast; NotImplemented where x does not lie in order."""
    if not x.flags.c_contiguous or not x.size:
        return NotImplemented
    steps = [0 if size == 1 else step for size, step in zip(x.shape, x.strides, strict=True)]
    view = np.ndarray(shape, x.dtype, x, 0, (*[0] * (len(shape) - x.ndim), *steps))
    view.setflags(write=False)  # what works in place makes a copy of it
    return view
