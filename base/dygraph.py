"""`paddle.base.dygraph`: eager mode by the path and with the names of older code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..core.place import Place
from ..device import get_device, set_device
from ..dygraph.engine import grad
from ..dygraph.guards import no_grad
from ..dygraph.tensor import Tensor
from ..ops.creation import to_tensor
from ..static.mode import disable_static, enable_static, in_dynamic_mode


@contextmanager
def guard(place: Place | None = None) -> Iterator[None]:
    """Eager mode within the block, on `place`; the mode before comes back after it.

    >>> import proa as paddle
    >>> with paddle.base.dygraph.guard():
    ...     paddle.base.dygraph.to_variable([1.0, 2.0]).sum().tolist()
    3.0
    """
    was_eager, device = in_dynamic_mode(), get_device()
    disable_static()
    try:
        if place is not None:
            set_device(place)
        yield
    finally:
        set_device(device)
        if not was_eager:
            enable_static()


def to_variable(value: Any, name: str | None = None, zero_copy: bool | None = None, dtype: Any = None) -> Tensor:
    """A Tensor with the values of an array, whose gradients are asked for unless stop_gradient is set."""
    if isinstance(value, Tensor):
        return value
    found = to_tensor(value, dtype=dtype)
    if name is not None:
        found.name = name
    return found


__all__ = ["grad", "guard", "no_grad", "to_variable"]
