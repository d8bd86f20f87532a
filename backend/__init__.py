"""Arrays and devices: the only place that knows a device library.

An *array namespace* `xp` is NumPy for the host and CuPy for a CUDA place. CuPy is imported when a CUDA place is first
used, never before.
"""

from .arrays import as_place, is_array, namespace_at, namespace_of, place_of, synchronize, to_numpy

__all__ = ["as_place", "is_array", "namespace_at", "namespace_of", "place_of", "synchronize", "to_numpy"]
