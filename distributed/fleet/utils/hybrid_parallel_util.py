"""Exchanges of gradients by hand: what there is of `paddle.distributed.fleet.utils.hybrid_parallel_util`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...environment import require_one_process

__all__ = ["fused_allreduce_gradients"]


def fused_allreduce_gradients(parameter_list: Iterable[Any], hcg: Any = None) -> None:
    """Sums the gradients of parameters over all processes: of one process they are the sums.

    Raises NotImplementedError when a launcher has started several.

    >>> import proa as paddle
    >>> from proa.distributed.fleet.utils.hybrid_parallel_util import fused_allreduce_gradients
    >>> fused_allreduce_gradients(paddle.nn.Linear(2, 2).parameters(), None)
    """
    require_one_process("fused_allreduce_gradients")
