"""`paddle.base.libpaddle`: the names of Paddle's native module that Python code asks for, by that module's own name."""

from typing import Any

from ..framework import core as _core


def __getattr__(name: str) -> Any:
    return getattr(_core, name)
