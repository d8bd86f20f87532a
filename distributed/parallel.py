"""DataParallel: a network that several processes train together, each on its part of a batch."""

from __future__ import annotations

from typing import Any

from ..nn import Layer
from . import parallel_helper
from .collectives import broadcast
from .environment import ParallelEnv
from .groups import Group
from .replica import Replica

__all__ = ["DataParallel", "ParallelEnv", "parallel_helper"]


def sync_params_buffers(model: Layer, comm_group: Group | None = None, src_rank: int = 0,
                        is_model_parallel: bool = False, fuse_params: bool = True) -> None:
    """Gives every process the parameters and buffers that the Layer has in process `src_rank`.

    With `is_model_parallel` parameters that are divided among processes (`is_distributed`) keep each its own values.
    `fuse_params` is without effect.
    """
    for value in [*model.parameters(), *model.buffers()]:
        if not (is_model_parallel and getattr(value, "is_distributed", False)):
            broadcast(value.detach(), src_rank, comm_group)


class DataParallel(Replica):
    """A Layer around `layers` whose gradients are, after each `backward()`, the means of those of all processes.

    Every process makes it of the same network: parameters and buffers become those of the group's first process, and
    buffers do so before each call in training, so that the copies stay equal. Gradients are exchanged in buckets of
    `comm_buffer_size` MB, the first of `last_comm_buffer_size`, while the backward pass goes on; those of
    `Embedding(sparse=True)` as the rows that were looked up. `find_unused_parameters`: a pass may leave out parameters.
    In one process it does what `layers` do. Raises RuntimeError where the processes' networks differ; with
    `FLAGS_check_parameters_between_ranks` also where parameters do so later. `paddle.DataParallel`; gradients in
    buckets are Li et al., PyTorch Distributed (VLDB 2020).

    >>> import proa as paddle
    >>> net = paddle.DataParallel(paddle.nn.Linear(2, 3))
    >>> net(paddle.ones([1, 2])).shape, sorted(net.state_dict())
    ([1, 3], ['bias', 'weight'])
    """

    def __init__(self, layers: Layer, strategy: Any = None, comm_buffer_size: int = 25,
                 last_comm_buffer_size: int = 1, find_unused_parameters: bool = False, group: Group | None = None):
        super().__init__(layers, group)
        self.find_unused_parameters = find_unused_parameters
        self._exchange_gradients(comm_buffer_size, last_comm_buffer_size, find_unused_parameters)

    def scale_loss(self, loss: Any) -> Any:
        """The loss: gradients are means already."""
        return loss

    def apply_collective_grads(self) -> None:
        """Nothing: gradients are exchanged in `backward()`."""
