"""Models and optimizers for training with state that is divided among processes, by the names that Paddle has."""

from __future__ import annotations

from typing import Any

from ...nn import Layer
from ...optimizer import Optimizer
from ..groups import Group, group_of
from ..replica import Replica
from .optimizer import ShardedOptimizer

__all__ = ["GroupShardedOptimizerStage2", "GroupShardedStage2", "ShardedModel"]

_MEGABYTE = 1 << 20


class ShardedModel(Replica):
    """A Layer around `layer` whose gradients are, after each `backward()`, the means of those of all processes.

    `buffer_max_size`: how many elements are exchanged at once. `dp_group`: the processes that have the same part of
    the state in other groups. `sync_buffers` changes nothing: buffers are those of the first process in training.
    """

    _divides_gradients = False

    def __init__(self, layer: Layer, sharding_optimizer: ShardedOptimizer, group: Group | None = None,
                 sync_buffers: bool = False, buffer_max_size: int = 2**23, auto_refresh_trainable: bool = True,
                 device: str = "cpu", dp_group: Group | None = None):
        super().__init__(layer, group)
        owners = sharding_optimizer.partition.owners if self._divides_gradients else None
        self._exchange_gradients(4 * buffer_max_size / _MEGABYTE, 1.0, True, owners, dp_group)


class GroupShardedStage2(ShardedModel):
    """A ShardedModel where each process has the gradients of the parameters whose state it keeps, and no others.

    `paddle.distributed.fleet.meta_parallel.GroupShardedStage2`.
    """

    _divides_gradients = True


class GroupShardedOptimizerStage2(ShardedOptimizer):
    """The optimizer `optim`, whose state is divided among the processes of `group` by the parameters `params`.

    Raises NotImplementedError for `offload`.
    """

    def __init__(self, params: Any, optim: Optimizer, group: Group | None = None, offload: bool = False,
                 device: str = "cpu", pertrain_sync_models: bool = True, dp_group: Group | None = None, **kw: Any):
        if offload:
            raise NotImplementedError("group_sharded_parallel(offload=True) is not supported: arrays are the host's.")
        super().__init__(optim, group_of(type(self).__name__, group), dp_group)
