"""Layer, the base of the layers; and the layers by family under PaddlePaddle's names, as in `nn.layer.conv.Conv2D`."""

from __future__ import annotations

import importlib
from typing import Any

from .changes import mode_changes
from .layers import Layer, is_parameter, snake_case

__all__ = ["Layer", "is_parameter", "mode_changes", "snake_case"]

_FAMILIES = ("activation", "common", "container", "conv", "distance", "loss", "norm", "pooling", "rnn", "transformer",
             "vision")


def __getattr__(name: str) -> Any:
    """A family, or a layer of any of them."""
    if name in _FAMILIES:
        return importlib.import_module(f"{__name__}.{name}")
    found = getattr(importlib.import_module(__name__.rpartition(".")[0]), name, None)
    if isinstance(found, type) and issubclass(found, Layer):
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
