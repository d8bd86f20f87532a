"""`repeat` and `bincount`, of numbers that NumPy takes unseen.

NumPy's own count in 64 bits how many elements there will be, and write outside of memory where that overflows.
"""

from __future__ import annotations

from typing import Any

_MOST = 2**62  # elements of a result


def repeat(xp: Any, what: str, x: Any, counts: Any, axis: int = 0) -> Any:
    """x with each item along a dimension as often as `counts`, a number or one for each item, says.

    ValueError, naming the argument `what`, for so many that no memory holds them.
    """
    if isinstance(counts, int):
        most = counts
    else:
        most = int(max(counts, default=0) if isinstance(counts, list) else counts.max() if counts.size else 0)
    if most * x.shape[axis] >= _MOST:
        raise ValueError(f"{what}: so many items no memory holds. Received {most}, for {x.shape[axis]} items.")
    return xp.repeat(x, counts, axis)


def bincount(xp: Any, what: str, places: Any, weights: Any = None, minlength: int = 0) -> Any:
    """How often each number from 0 on occurs, or the sum of its weights. ValueError for one that is too large."""
    if places.size and int(places.max()) >= _MOST:
        raise ValueError(f"{what}: up to so large a number nothing can be counted. Received {int(places.max())}.")
    return xp.bincount(places, weights, minlength)
