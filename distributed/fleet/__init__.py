"""What there is of `paddle.distributed.fleet`: training by many processes, workers alone or with parameter servers.

Models that are divided among processes (`meta_parallel`, `utils.sequence_parallel_utils`) are whole here; what needs
other processes says so.
"""

from ...core.absent import asked_of
from ...io.multi_slot.data_generator import MultiSlotDataGenerator, MultiSlotStringDataGenerator
from ...io.multi_slot.dataset import DatasetBase, FileInstantDataset, InMemoryDataset, QueueDataset
from . import base, data_generator, dataset, layers, meta_optimizers, meta_parallel, metrics, model, recompute, utils
from .base.distributed_strategy import DistributedStrategy
from .base.role_maker import PaddleCloudRoleMaker, Role, UserDefinedRoleMaker
from .base.topology import CommunicateTopology, HybridCommunicateGroup
from .base.util_factory import UtilBase
from .fleet import (
    Fleet,
    all_reduce,
    barrier_worker,
    distributed_model,
    distributed_optimizer,
    distributed_scaler,
    fleet,
    get_hybrid_communicate_group,
    init,
    init_server,
    init_worker,
    is_first_worker,
    is_server,
    is_worker,
    local_rank,
    minimize,
    node_num,
    nranks,
    rank,
    rank_in_node,
    run_server,
    save_inference_model,
    save_persistables,
    server_endpoints,
    server_index,
    server_num,
    shrink,
    stop_worker,
    util,
    worker_endpoints,
    worker_index,
    worker_num,
    world_size,
)
from .numbers import get_log_level_code, get_log_level_name, local_device_ids, set_log_level, world_device_ids

__all__ = ["CommunicateTopology", "DatasetBase", "DistributedStrategy", "FileInstantDataset", "Fleet",
           "HybridCommunicateGroup", "InMemoryDataset", "MultiSlotDataGenerator", "MultiSlotStringDataGenerator",
           "PaddleCloudRoleMaker", "QueueDataset", "Role", "UserDefinedRoleMaker", "UtilBase", "all_reduce",
           "barrier_worker", "distributed_model", "distributed_optimizer", "distributed_scaler", "fleet",
           "get_hybrid_communicate_group", "get_log_level_code", "get_log_level_name", "init", "init_server",
           "init_worker", "is_first_worker", "is_server", "is_worker", "local_device_ids", "local_rank", "minimize",
           "node_num", "nranks", "rank", "rank_in_node", "run_server", "save_inference_model",
           "save_persistables", "server_endpoints", "server_index", "server_num", "set_log_level", "shrink",
           "stop_worker", "util", "worker_endpoints", "worker_index", "worker_num", "world_device_ids", "world_size"]
__getattr__ = asked_of(__name__)
