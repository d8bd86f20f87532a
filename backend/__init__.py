"""Arrays and devices: the only place that knows a device library.

An *array namespace* `xp` is NumPy for the host, CuPy for a CUDA place, and what it was registered with for a kind of
device that was (`register_device_type`). CuPy is imported when a CUDA place is first used, never before.
"""

from . import numpy_1
from .arrays import as_place, bring_together, is_array, namespace_at, namespace_of, place_of, synchronize, to_numpy
from .cuda import device_count as cuda_device_count
from .cuda import is_available as cuda_is_available
from .cuda import pop_range, push_range
from .devices import DeviceType, custom_device_types, device_type, register_device_type, unregister_device_type

numpy_1.keep_dtypes()

__all__ = ["DeviceType", "as_place", "bring_together", "cuda_device_count", "cuda_is_available", "custom_device_types",
           "device_type", "is_array", "namespace_at", "namespace_of", "place_of", "pop_range", "push_range",
           "register_device_type", "synchronize", "to_numpy", "unregister_device_type"]
