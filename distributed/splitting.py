"""split: a linear layer or an embedding whose matrix would be divided among processes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .refusals import LAYERS, refuse

__all__ = ["split"]


def split(x: Any, size: Sequence[int], operation: str, axis: int = 0, num_partitions: int = 1, gather_out: bool = True,
          weight_attr: Any = None, bias_attr: Any = None, name: str | None = None) -> Any:
    """Would apply a layer whose matrix is divided: NotImplementedError. `paddle.split` divides a tensor.

    >>> import proa as paddle
    >>> paddle.distributed.split(paddle.ones([4, 2]), (2, 6), "linear")
    Traceback (most recent call last):
        ...
    NotImplementedError: paddle.distributed.split: layers divided among processes (tensor parallelism): this...
    """
    refuse("paddle.distributed.split", LAYERS)
