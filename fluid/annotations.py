"""`fluid.annotations`: marks of functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.lazy import listed
from ..utils.deprecation import deprecated as _deprecated

__all__ = ["deprecated"]
__dir__ = listed(__name__)


def deprecated(since: str, instead: str, extra_message: str = "") -> Callable[[Any], Any]:
    """A decorator that says what to call instead, since which version."""
    return _deprecated(instead, since, extra_message, level=0)
