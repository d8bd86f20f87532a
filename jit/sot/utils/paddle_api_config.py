"""`paddle.jit.sot.utils.paddle_api_config`: functions at which Paddle's translator ends a Program."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def add_break_graph_apis(apis: Iterable[Callable[..., Any]]) -> None:
    """Has a Program end at these functions. A function is one Program here or none, so there is nothing to divide."""
