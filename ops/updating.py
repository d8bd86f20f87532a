"""What kernels of parameter updates share: they may write into the memory of inputs whose place an output takes."""

from collections.abc import Callable
from typing import Any


def updates(*positions: int) -> Callable[..., Any]:
    """The infer rule of an update: the specs of the aliased inputs, by their positions."""
    return lambda *specs, **_: tuple(specs[p] for p in positions)


def changing(x: Any) -> Any:
    """x to be written into: its memory under an array object of its own, which tells the trace of the change."""
    return x.view() if getattr(x.flags, "writeable", True) else x.copy()


def as_scalar(x: Any, dtype: Any) -> Any:
    """A one-element array as a 0-d array of this dtype."""
    return x.reshape(()).astype(dtype)
