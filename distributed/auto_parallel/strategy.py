"""Strategy: settings of what would divide a layer."""

from __future__ import annotations

from typing import Any

from ..refusals import TENSORS, refuse

__all__ = ["Strategy"]


class Strategy:
    """Settings of `paddle.distributed.to_static`: NotImplementedError, as there is nothing to set."""

    def __init__(self, config: dict[str, Any] | None = None):
        refuse("paddle.distributed.Strategy", TENSORS)
