"""Whether two runs gave the same numbers: within rounding, and settled in float64 where float32 differs."""

from __future__ import annotations

from typing import Any

import numpy as np

TOLERANCE = {"float32": 2e-4, "float64": 1e-8, "narrow": 2e-2}  # narrow: something was computed in 16 bits


def difference(found: dict[str, Any], expected: dict[str, Any], precision: str) -> str | None:
    """The first thing that differs, as text; None where nothing does."""
    for key in expected:
        if key not in found:
            return f"{key} is missing"
        text = of_arrays(found[key], expected[key], TOLERANCE[precision])
        if text:
            return f"{key}: {text}"
    more = [key for key in found if key not in expected]
    return f"{more[0]} is too much" if more else None


def of_arrays(found: np.ndarray, expected: np.ndarray, tolerance: float) -> str | None:
    """What two arrays differ in."""
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape:
        return f"shape {list(found.shape)} instead of {list(expected.shape)}"
    if found.dtype != expected.dtype:
        return f"dtype {found.dtype} instead of {expected.dtype}"
    if found.dtype.kind != "f":
        return None if (found == expected).all() else f"{_short(found)} instead of {_short(expected)}"
    scale = max(1.0, float(np.abs(expected[np.isfinite(expected)]).max(initial=0.0)))
    if np.allclose(found, expected, rtol=tolerance, atol=tolerance * scale, equal_nan=True):
        return None
    return f"{_short(found)} instead of {_short(expected)}"


def _short(array: np.ndarray) -> str:
    return np.array2string(array.ravel()[:6], precision=6, separator=", ")
