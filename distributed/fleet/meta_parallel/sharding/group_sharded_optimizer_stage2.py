"""GroupShardedOptimizerStage2, by which packages recognize what `group_sharded_parallel` gives."""

from typing import Any

from .....optimizer import Optimizer
from ....environment import refuse_alone

__all__ = ["GroupShardedOptimizerStage2"]


class GroupShardedOptimizerStage2(Optimizer):
    """An optimizer whose state and gradients are divided: NotImplementedError, as there is one process."""

    def __init__(self, *args: Any, **kwargs: Any):
        refuse_alone("GroupShardedOptimizerStage2", "the optimizer as it is")
