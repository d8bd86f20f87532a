"""Optimizers whose state is divided among processes: they refuse to be made for one."""

from typing import Any

from ....environment import refuse_alone

__all__ = ["DygraphShardingOptimizer", "DygraphShardingOptimizerV2"]


class DygraphShardingOptimizer:
    """An optimizer whose state is divided by parameters: NotImplementedError, as there is one process."""

    def __init__(self, optimizer: Any, hcg: Any):
        refuse_alone(type(self).__name__, "the optimizer as it is")


class DygraphShardingOptimizerV2(DygraphShardingOptimizer):
    """An optimizer whose state is divided by elements: NotImplementedError, as there is one process."""
