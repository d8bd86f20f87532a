"""`fluid.incubate.fleet.collective`: training by processes that exchange gradients with each other, as 1.8 has it."""

from .checkpoints import TrainStatus
from .collective_fleet import Collective, fleet
from .optimizer import (
    CollectiveOpBasedOptimizer,
    CollectiveOptimizer,
    DistFCConfig,
    DistributedStrategy,
    LambConfig,
)

__all__ = ["Collective", "CollectiveOpBasedOptimizer", "CollectiveOptimizer", "DistFCConfig", "DistributedStrategy",
           "LambConfig", "TrainStatus", "fleet"]
