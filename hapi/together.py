"""What a Model does differently in each of several processes: a part of the data, the whole's metrics, one that tells.

A launcher has started them; in a process alone nothing here changes anything.
"""

from __future__ import annotations

import contextlib
from typing import Any

from ..core import launched
from ..distributed import DataParallel, ReduceOp, all_gather, all_reduce, init_parallel_env, is_initialized
from ..io import DistributedBatchSampler
from ..nn import Layer
from ..ops.array.concat_split import concat


def tells() -> bool:
    """Whether this process prints and writes files: the first one."""
    return launched.rank() == 0


def prepare_distributed_context(place: Any = None) -> None:
    """Where a launcher has started several processes, lets them find each other; `place` is as in Paddle."""
    if launched.size() > 1 and not is_initialized():
        init_parallel_env()


class Together:
    """The processes that train a network together, each by its part of every batch."""

    def __init__(self, network: Layer):
        self.size, self._network = launched.size(), network
        self._replica: DataParallel | None = None
        self._left: int | None = None
        self.taken = 0  # samples of all processes in the batch that was gathered last
        prepare_distributed_context()

    def network(self) -> Layer:
        """The network to call: from the first call on gradients are the means of all processes'."""
        if self.size == 1:
            return self._network
        if self._replica is None:
            self._replica = DataParallel(self._network)
        return self._replica

    def alone(self, update: bool) -> contextlib.AbstractContextManager:
        """Within it a backward pass whose gradients are not for a step yet exchanges nothing."""
        if update or self._replica is None:
            return contextlib.nullcontext()
        return self._replica.no_sync()

    def begin(self, loader: Any) -> None:
        """Before a pass over data: how many samples there are that are not there to fill up the last batch."""
        divided = isinstance(getattr(loader, "batch_sampler", None), DistributedBatchSampler)
        self._left, self.taken = len(loader.dataset) if self.size > 1 and divided else None, 0

    def gathered(self, values: list[Any]) -> list[Any]:
        """All processes' parts of a batch one behind the other, without what fills it up."""
        if self._left is None or not values:
            return values
        wholes = []
        for value in values:
            parts: list[Any] = []
            all_gather(parts, value.detach())
            wholes.append(concat(parts))
        kept = min(self._left, wholes[0].shape[0])
        self._left, self.taken = self._left - kept, kept
        return [whole[:kept] for whole in wholes]

    def mean(self, losses: list[Any]) -> list[Any]:
        """The means of all processes' losses."""
        if self._left is None:
            return losses
        found = [loss.detach() for loss in losses]
        for loss in found:
            all_reduce(loss, ReduceOp.AVG)
        return found


def _all_gather(x: Any) -> Any:
    """The parts of x of all processes, one behind the other."""
    parts: list[Any] = []
    all_gather(parts, x)
    return concat(parts)
