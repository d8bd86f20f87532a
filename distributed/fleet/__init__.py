"""What there is of `paddle.distributed.fleet`: training by many processes, for one.

Models that are divided among processes (`meta_parallel`, `utils.sequence_parallel_utils`) are whole here; what needs
other processes says so.
"""

from ...io.multi_slot.data_generator import MultiSlotDataGenerator, MultiSlotStringDataGenerator
from ...io.multi_slot.dataset import DatasetBase, FileInstantDataset, InMemoryDataset, QueueDataset
from . import base, layers, meta_parallel, utils
from .base.distributed_strategy import DistributedStrategy
from .base.role_maker import PaddleCloudRoleMaker, Role, UserDefinedRoleMaker
from .base.topology import CommunicateTopology, HybridCommunicateGroup
from .fleet import (
    Fleet,
    barrier_worker,
    distributed_model,
    distributed_optimizer,
    distributed_scaler,
    fleet,
    get_hybrid_communicate_group,
    init,
    is_first_worker,
    is_server,
    is_worker,
    stop_worker,
    worker_endpoints,
    worker_index,
    worker_num,
)
from .recomputation import recompute

__all__ = ["CommunicateTopology", "DatasetBase", "DistributedStrategy", "FileInstantDataset", "Fleet",
           "HybridCommunicateGroup", "InMemoryDataset", "MultiSlotDataGenerator", "MultiSlotStringDataGenerator",
           "PaddleCloudRoleMaker", "QueueDataset", "Role", "UserDefinedRoleMaker", "barrier_worker", "base",
           "distributed_model", "distributed_optimizer", "distributed_scaler", "fleet", "get_hybrid_communicate_group",
           "init", "is_first_worker", "is_server", "is_worker", "layers", "meta_parallel", "recompute", "stop_worker",
           "utils", "worker_endpoints", "worker_index", "worker_num"]
