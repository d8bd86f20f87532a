"""The stand-in as a kind of device of proa's."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
from proa.backend import DeviceType

from .arrays import ndarray
from .namespace import errstate, namespace, special

KIND = "stand_in"


class StandIn(DeviceType):
    """One device of the kind `stand_in`, whose library is the stand-in's."""

    name = KIND
    namespace, special, array_type = namespace, special, ndarray
    scatter_add, scatter_max, scatter_min = namespace.add.at, namespace.maximum.at, namespace.minimum.at

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
