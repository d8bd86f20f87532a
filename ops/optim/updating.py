"""What kernels of parameter updates share; `backend/aliasing.py` says where they may write in place."""

from collections.abc import Callable
from typing import Any


def updates(*positions: int) -> Callable[..., Any]:
    """The infer rule of an update: the specs of the aliased inputs, by their positions."""
    return lambda *specs, **_: tuple(specs[p] for p in positions)


def as_scalar(x: Any, dtype: Any) -> Any:
    """A one-element array as a 0-d array of this dtype."""
    return x.reshape(()).astype(dtype)
