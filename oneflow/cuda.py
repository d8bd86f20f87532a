"""`flow.cuda`: what there is of CUDA devices."""

from __future__ import annotations

from typing import Any

from ..backend import cuda
from ..core.place import CUDAPlace
from . import random_state


def device_count() -> int:
    """How many CUDA devices there are."""
    return cuda.device_count()


def is_available() -> bool:
    """Whether there is a CUDA device."""
    return device_count() > 0


def current_device() -> int:
    """The number of the CUDA device in use."""
    return 0


def manual_seed(seed: int) -> None:
    """Seeds every device's generator."""
    random_state.manual_seed(seed)


manual_seed_all = manual_seed


def synchronize(device: Any = None) -> None:
    """Nothing: what is computed is there when it is looked at."""


def empty_cache() -> None:
    """Nothing: memory is given back when it is no longer held."""


__all__ = ["CUDAPlace", "current_device", "device_count", "empty_cache", "is_available", "manual_seed",
           "manual_seed_all", "synchronize"]
