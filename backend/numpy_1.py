"""NumPy 1 with the rules of NumPy 2 for what a Python number makes of what it meets (NEP 50).

NumPy 1 lets values decide: a float32 value without dimensions becomes float64 when a Python float meets it. NumPy 1.26
knows the later rules too. They are asked for here, for the whole process, so that both give the same results.
"""

from __future__ import annotations

from typing import Any

import numpy as np

IS_OLD = int(np.__version__.split(".")[0]) < 2


clip: Any = getattr(getattr(np, "core" if IS_OLD else "_core", None), "umath", np).clip
"""What `x.clip(low, high)` comes to, without what that asks in Python first; `clip(x, low, high)`."""


def keep_dtypes() -> None:
    """Has NumPy 1 keep a value's dtype when it meets a Python number; nothing under NumPy 2, which does so anyway."""
    if IS_OLD:
        np._set_promotion_state("weak")  # type: ignore[attr-defined]


def whole(name: str) -> Any:
    """A rounding function of NumPy's, which leaves integers as they are: NumPy 1 makes float64 of them."""
    return (lambda xp, x: x.copy() if x.dtype.kind in "iub" else getattr(xp, name)(x)) if IS_OLD else name
