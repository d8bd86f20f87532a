"""The stand-in as a kind of device of proa's, and its registration while a test runs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import proa as paddle
import pytest
from proa.backend import DeviceType, register_device_type, unregister_device_type
from proa.backend.numpy_1 import IS_OLD

from .arrays import ndarray
from .functions import function
from .namespace import errstate, namespace, special

KIND = "stand_in"


class StandIn(DeviceType):
    """One device of the kind `stand_in`, whose library is the stand-in's."""

    name = KIND
    namespace, special, array_type = namespace, special, ndarray
    scatter_add, scatter_max, scatter_min = (
        staticmethod(function("cupyx", name)) for name in ("scatter_add", "scatter_max", "scatter_min"))

    def count(self) -> int:
        """One."""
        return 1

    def index_of(self, array: Any) -> int:
        """The only one."""
        return 0

    def to_device(self, array: Any, index: int) -> ndarray:
        """By `asarray`, as CuPy's arrays get there."""
        return namespace.asarray(array)

    def to_host(self, array: ndarray) -> np.ndarray:
        """By `asnumpy`."""
        return namespace.asnumpy(array)

    def synchronize(self, index: int) -> None:
        """There is nothing to wait for."""

    def raising_on_singular(self) -> contextlib.AbstractContextManager:
        """The stand-in's `errstate`."""
        return errstate(linalg="raise")


@contextlib.contextmanager
def registered() -> Iterator[None]:
    """Within the block there are devices of the kind `stand_in`."""
    register_device_type(KIND, StandIn)
    try:
        yield
    finally:
        unregister_device_type(KIND)


@contextlib.contextmanager
def on_stand_in() -> Iterator[None]:
    """Within the block new tensors are made there. What CuPy 14 has is NumPy 2's: with NumPy 1 the test is skipped."""
    if IS_OLD:
        pytest.skip("CuPy 14 follows NumPy 2")
    with registered():
        old = paddle.get_device()
        paddle.set_device(KIND)
        try:
            yield
        finally:
            paddle.set_device(old)
