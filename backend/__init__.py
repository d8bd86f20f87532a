"""Arrays and devices: the only place that knows a device library.

An *array namespace* `xp` is NumPy for the host and CuPy for a CUDA place. CuPy is imported when a CUDA place is first
used, never before.
"""

from .arrays import as_place, is_array, namespace_at, namespace_of, place_of, synchronize, to_numpy
from .cuda import device_count as cuda_device_count
from .cuda import is_available as cuda_is_available
from .cuda import pop_range, push_range

__all__ = ["as_place", "cuda_device_count", "cuda_is_available", "is_array", "namespace_at", "namespace_of", "place_of",
           "pop_range", "push_range", "synchronize", "to_numpy"]
