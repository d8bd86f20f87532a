"""The device of the tests that need one: CuPy's stand-in, or what `PROA_TEST_DEVICE` names, as `gpu`."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

import cupy_stand_in
import proa as paddle
import pytest
from proa.backend import custom_device_types, register_device_type, unregister_device_type
from proa.backend.numpy_1 import IS_OLD

KIND = os.environ.get("PROA_TEST_DEVICE", cupy_stand_in.KIND)


@contextlib.contextmanager
def registered() -> Iterator[None]:
    """Within the block there are devices of that kind."""
    if KIND != cupy_stand_in.KIND or KIND in custom_device_types():
        yield
        return
    register_device_type(KIND, cupy_stand_in.StandIn)
    try:
        yield
    finally:
        unregister_device_type(KIND)


@contextlib.contextmanager
def on_device() -> Iterator[None]:
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


def start_there() -> None:
    """From now on new tensors are made there."""
    if KIND == cupy_stand_in.KIND:
        register_device_type(KIND, cupy_stand_in.StandIn)
    paddle.set_device(KIND)
