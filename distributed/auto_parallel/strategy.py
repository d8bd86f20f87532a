"""Strategy: settings of what would divide a layer."""

from __future__ import annotations

from typing import Any

from ..refusals import TENSORS, refuse

__all__ = ["Strategy"]


class Strategy:
    """Settings of `paddle.distributed.to_static`: NotImplementedError, as there is nothing to set.

    >>> import proa as paddle
    >>> paddle.distributed.Strategy()
    Traceback (most recent call last):
        ...
    NotImplementedError: paddle.distributed.Strategy: tensors divided among processes (auto_parallel): this...
    """

    def __init__(self, config: dict[str, Any] | None = None):
        refuse("paddle.distributed.Strategy", TENSORS)
