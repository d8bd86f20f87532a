"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.distributed`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from . import auto_parallel as auto_parallel, checkpoint as checkpoint, collective as collective, communication as communication, fleet as fleet, io as io, passes as passes, rpc as rpc, sharding as sharding, utils as utils
from proa.distributed.auto_parallel.api import dtensor_from_fn as dtensor_from_fn, reshard as reshard, shard_layer as shard_layer, shard_op as shard_op, shard_optimizer as shard_optimizer, shard_tensor as shard_tensor, to_static as to_static
from proa.distributed.auto_parallel.dist_attr import DistAttr as DistAttr
from proa.distributed.auto_parallel.placement_type import Partial as Partial, Placement as Placement, ReduceType as ReduceType, Replicate as Replicate, Shard as Shard
from proa.distributed.auto_parallel.process_mesh import ProcessMesh as ProcessMesh
from proa.distributed.auto_parallel.strategy import Strategy as Strategy
from proa.distributed.checkpoint.load_state_dict import load_state_dict as load_state_dict
from proa.distributed.checkpoint.save_state_dict import save_state_dict as save_state_dict
from proa.distributed.collectives import P2POp as P2POp, all_gather as all_gather, all_gather_object as all_gather_object, all_reduce as all_reduce, alltoall as alltoall, alltoall_single as alltoall_single, barrier as barrier, batch_isend_irecv as batch_isend_irecv, broadcast as broadcast, broadcast_object_list as broadcast_object_list, gather as gather, irecv as irecv, isend as isend, recv as recv, reduce as reduce, reduce_scatter as reduce_scatter, scatter as scatter, scatter_object_list as scatter_object_list, send as send, wait as wait
from proa.distributed.communication import stream as stream
from proa.distributed.entry_attr import CountFilterEntry as CountFilterEntry, ProbabilityEntry as ProbabilityEntry, ShowClickEntry as ShowClickEntry
from proa.distributed.environment import ParallelEnv as ParallelEnv, get_rank as get_rank, get_world_size as get_world_size, is_available as is_available, is_initialized as is_initialized
from proa.distributed.fleet.base.topology import ParallelMode as ParallelMode
from proa.distributed.gloo import gloo_barrier as gloo_barrier, gloo_init_parallel_env as gloo_init_parallel_env, gloo_release as gloo_release
from proa.distributed.groups import destroy_process_group as destroy_process_group, get_backend as get_backend, get_group as get_group, new_group as new_group
from proa.distributed.initialization import init_parallel_env as init_parallel_env
from proa.distributed.launch.main import launch as launch
from proa.distributed.parallel import DataParallel as DataParallel
from proa.distributed.reduce_op import ReduceOp as ReduceOp
from proa.distributed.sharding.group_sharded import group_sharded_parallel as group_sharded_parallel, save_group_sharded_model as save_group_sharded_model
from proa.distributed.spawning import spawn as spawn
from proa.distributed.splitting import split as split
from proa.io.multi_slot.dataset import InMemoryDataset as InMemoryDataset, QueueDataset as QueueDataset

