"""The functions that work in place, `paddle.add_(x, y)`: each is the Tensor method of the same name."""

from typing import Any

from .methods import METHODS, method


def __getattr__(name: str) -> Any:
    if name.endswith("_") and not name.startswith("_") and name in METHODS:
        return method(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
