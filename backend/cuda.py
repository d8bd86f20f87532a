"""CuPy, imported at first use: CUDA devices, their count, and copies to and from the host."""

from __future__ import annotations

import functools
import importlib.util
from typing import Any

import numpy as np

from ..core.place import CUDAPlace


@functools.lru_cache(None)
def cupy() -> Any:
    """The module CuPy; an error that says what to install where it is missing or finds no device."""
    if importlib.util.find_spec("cupy") is None:
        raise RuntimeError(
            "A CUDA place needs the package CuPy, which is not installed. "
            "Install the extra for your CUDA version, pip install 'proa[cuda12]' or 'proa[cuda13]', "
            "or stay on the host with paddle.set_device('cpu')."
        )
    import cupy

    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise RuntimeError(f"CuPy is installed but finds no usable CUDA device: {error}.") from error
    if count == 0:
        raise RuntimeError("CuPy is installed but this machine has no CUDA device.")
    return cupy


def is_available() -> bool:
    """True when CuPy is installed and finds a device."""
    return device_count() > 0


@functools.lru_cache(None)
def device_count() -> int:
    """How many CUDA devices there are; 0 without CuPy."""
    if importlib.util.find_spec("cupy") is None:
        return 0
    try:
        return int(cupy().cuda.runtime.getDeviceCount())
    except RuntimeError:
        return 0


def to_device(array: Any, place: CUDAPlace) -> Any:
    """A copy of a host or device array on `place` (the array itself where it is there already)."""
    module = cupy()
    if place.index >= device_count():
        raise ValueError(f"{place!r} does not exist: this machine has {device_count()} CUDA device(s).")
    with module.cuda.Device(place.index):
        return module.asarray(array)


def to_host(array: Any) -> np.ndarray:
    """A copy of a device array on the host."""
    return cupy().asnumpy(array)


def push_range(name: str) -> None:
    """Begins a named range that NVIDIA's tools show."""
    cupy().cuda.nvtx.RangePush(name)


def pop_range() -> None:
    """Ends the range that was begun last."""
    cupy().cuda.nvtx.RangePop()
