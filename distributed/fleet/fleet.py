"""Fleet: what a script asks to train by many processes, among which the batches are divided."""

from __future__ import annotations

import copy
from typing import Any

from ...optimizer.gradient_merge import GradientMergeOptimizer
from ...static.building.mode import in_static_mode
from ..environment import get_world_size, is_initialized
from ..initialization import init_parallel_env
from ..parallel import DataParallel
from .base import topology
from .base.distributed_strategy import DistributedStrategy
from .base.role_maker import PaddleCloudRoleMaker, RoleMakerBase
from .base.topology import CommunicateTopology, HybridCommunicateGroup
from .meta_optimizers.dygraph_optimizer.dygraph_sharding_optimizer import DygraphShardingOptimizer
from .meta_optimizers.static_optimizer import StaticOptimizer
from .meta_parallel.wrappers import ShardingParallel
from .refused import Refused
from .servers import servers_for
from .serving import AskedOfServers

__all__ = ["Fleet", "all_reduce", "barrier_worker", "distributed_model", "distributed_optimizer", "distributed_scaler",
           "fleet", "get_hybrid_communicate_group", "init", "init_server", "init_worker", "is_first_worker",
           "is_server", "is_worker", "local_rank", "minimize", "node_num", "nranks", "rank", "rank_in_node",
           "run_server", "save_inference_model", "save_persistables", "server_endpoints", "server_index", "server_num",
           "shrink", "stop_worker", "util", "worker_endpoints", "worker_index", "worker_num", "world_size"]

_AXES = {"dp": "data", "pp": "pipe", "sharding": "sharding", "sep": "sep", "mp": "model"}


def _degrees(hybrid: Any, size: int) -> dict[str, int]:
    """How many processes there are along the axes that may have several."""
    several = {name: hybrid.get(name, 1) for name in ("pp_degree", "sep_degree", "mp_degree")
               if hybrid.get(name, 1) not in (1, -1)}
    if several:
        raise NotImplementedError(f"fleet.init(strategy): the batch and the optimizer's state are divided among "
                                  f"processes, a model is not: pipelines and divided layers are not supported. "
                                  f"hybrid_configs asks for {several}. Set these degrees to 1.")
    sharding = max(1, hybrid.get("sharding_degree", 1))
    data = hybrid.get("dp_degree", -1)
    if data in (1, -1) and size % sharding == 0:  # 1 is what scripts for one process say
        data = size // sharding
    if data * sharding != size:
        raise ValueError(f"fleet.init(strategy): dp_degree times sharding_degree must be the number of processes, "
                         f"{size}. Received dp_degree={data} and sharding_degree={sharding}.")
    return {"data": data, "sharding": sharding}


class Fleet(AskedOfServers, Refused):
    """Training by the processes that a launcher has started, each with its part of a batch.

    `distributed_model` puts a DataParallel around a model. Of a process alone all stays as it is.

    >>> import proa as paddle
    >>> from proa.distributed import fleet
    >>> _ = fleet.init(is_collective=True)
    >>> net = paddle.nn.Linear(2, 2)
    >>> fleet.distributed_model(net) is net, fleet.worker_num(), fleet.is_first_worker()
    (True, 1, True)
    """

    _hcg: HybridCommunicateGroup

    def __init__(self) -> None:
        super().__init__()
        self._is_collective = False

    def init(self, role_maker: Any = None, is_collective: bool = False, strategy: DistributedStrategy | None = None,
             log_level: int | str = "INFO") -> Fleet:
        """Connects the processes and arranges them: each has a whole model and its part of the data.

        In the strategy's `hybrid_configs`, `sharding_degree` is how many processes divide the optimizer's state, and
        `dp_degree` how many have the same part of it, or -1 for all that there are. Raises ValueError where their
        product is another number than that of processes, NotImplementedError where another degree is more than 1.

        Where a role maker, or without `is_collective` the launcher, tells of parameter servers, this process is one of
        them or a worker, and Programs are divided among these.

        >>> from proa.distributed import fleet
        >>> _ = fleet.init(is_collective=True)
        >>> fleet.worker_num(), fleet.is_first_worker()
        (1, True)
        """
        self._user_defined_strategy = strategy or DistributedStrategy()
        self._init_role(role_maker, is_collective)
        if self._servers is not None:
            return self
        degrees = _degrees(self._user_defined_strategy.hybrid_configs, size := get_world_size())
        if size > 1 and not is_initialized():
            init_parallel_env()
        self._is_collective = is_collective
        order = [_AXES[axis] for axis in self._user_defined_strategy.hybrid_parallel_order]
        self._hcg = HybridCommunicateGroup(
            CommunicateTopology(order, [degrees.get(axis, 1) for axis in order]))
        topology._HYBRID_PARALLEL_GROUP.hcg = self._hcg
        return self

    def _init_role(self, role_maker: RoleMakerBase | None, is_collective: bool) -> None:
        role = PaddleCloudRoleMaker(is_collective) if role_maker is None else role_maker
        if not isinstance(role, RoleMakerBase):
            raise TypeError("fleet.init(role_maker): of fleet.base.role_maker, such as fleet.PaddleCloudRoleMaker(). "
                            f"Received {type(role).__name__}.")
        has_servers = not role._is_collective and role._server_num() > 0
        if role_maker is None and not has_servers:  # without servers, all that a launcher has started are workers
            role = PaddleCloudRoleMaker(is_collective=True)
        self._role_maker, self._servers = role, servers_for(role) if has_servers else None
        self.util._set_role_maker(role)
        self.util._set_strategy(self._user_defined_strategy)

    def get_hybrid_communicate_group(self) -> HybridCommunicateGroup:
        """The groups that `init` made; AttributeError before it, which code that may run without it catches.

        >>> from proa.distributed import fleet
        >>> _ = fleet.init(is_collective=True)
        >>> fleet.get_hybrid_communicate_group().get_data_parallel_world_size()
        1
        """
        if "_hcg" not in vars(self):
            raise AttributeError("'Fleet' object has no attribute '_hcg': call fleet.init(is_collective=True) first.")
        return self._hcg

    def distributed_model(self, model: Any) -> Any:
        """A DataParallel of the model, as the strategy says; of a process alone the model.

        Where the optimizer's state is divided, a ShardingParallel: `distributed_optimizer` exchanges gradients then.

        >>> import proa as paddle
        >>> from proa.distributed import fleet
        >>> _ = fleet.init(is_collective=True)
        >>> net = paddle.nn.Linear(2, 1)
        >>> fleet.distributed_model(net) is net  # of a process alone
        True
        """
        strategy = self._user_defined_strategy
        if get_world_size() == 1:
            return model
        if self._divides_state():
            return ShardingParallel(model, self._hcg, strategy=strategy)
        return DataParallel(model, comm_buffer_size=strategy.fuse_grad_size_in_MB,
                            find_unused_parameters=strategy.find_unused_parameters)

    def distributed_optimizer(self, optimizer: Any, strategy: DistributedStrategy | None = None) -> Any:
        """The optimizer; with a divided state, and updating by the gradients of several steps, as the strategy says.

        While Programs are built (`paddle.enable_static()`) a StaticOptimizer, whose `minimize` has processes exchange.

        `gradient_merge`: `gradient_merge_configs` says of how many steps (`k_steps`), and whether by the mean (`avg`).
        With parameter servers its `minimize` divides the Program; `a_sync` and `a_sync_configs` say how they work.

        >>> import proa as paddle
        >>> from proa.distributed import fleet
        >>> strategy = fleet.DistributedStrategy()
        >>> strategy.gradient_merge = True
        >>> strategy.gradient_merge_configs = {"k_steps": 2, "avg": True}
        >>> _ = fleet.init(is_collective=True, strategy=strategy)
        >>> net = paddle.nn.Linear(1, 1, weight_attr=paddle.nn.initializer.Constant(1.0), bias_attr=False)
        >>> sgd = fleet.distributed_optimizer(paddle.optimizer.SGD(0.5, parameters=net.parameters()), strategy)
        >>> for x in (1.0, 3.0):  # one update, by the mean of both gradients
        ...     net(paddle.to_tensor([[x]])).backward()
        ...     sgd.step()
        ...     sgd.clear_grad()
        >>> net.weight.tolist()
        [[0.0]]
        """
        if self._servers is not None:
            return self._served(optimizer, strategy)
        if strategy is not None:
            self._user_defined_strategy = copy.deepcopy(strategy)
        if in_static_mode():
            self._optimizer = StaticOptimizer(optimizer, self._user_defined_strategy)
            return self._optimizer
        if self._divides_state():
            optimizer = DygraphShardingOptimizer(optimizer, self._hcg)
        if self._user_defined_strategy.gradient_merge:
            settings = self._user_defined_strategy.gradient_merge_configs
            optimizer = GradientMergeOptimizer(optimizer, settings.k_steps, settings.avg)
        self._optimizer = optimizer
        return optimizer

    def _divides_state(self) -> bool:
        return "_hcg" in vars(self) and self._hcg.get_sharding_parallel_world_size() > 1

    def distributed_scaler(self, scaler: Any) -> Any:
        """The GradScaler.

        >>> import proa as paddle
        >>> from proa.distributed import fleet
        >>> _ = fleet.init(is_collective=True)
        >>> scaler = fleet.distributed_scaler(paddle.amp.GradScaler())
        >>> scaler.is_enable()
        True
        """
        return scaler


fleet = Fleet()
util = fleet.util
init = fleet.init
get_hybrid_communicate_group = fleet.get_hybrid_communicate_group
distributed_model = fleet.distributed_model
distributed_optimizer = fleet.distributed_optimizer
distributed_scaler = fleet.distributed_scaler
worker_index = fleet.worker_index
worker_num = fleet.worker_num
is_first_worker = fleet.is_first_worker
is_worker = fleet.is_worker
is_server = fleet.is_server
worker_endpoints = fleet.worker_endpoints
server_num = fleet.server_num
server_index = fleet.server_index
server_endpoints = fleet.server_endpoints
node_num = fleet.node_num
local_rank = fleet.local_rank
all_reduce = fleet.all_reduce
barrier_worker = fleet.barrier_worker
minimize = fleet.minimize
init_worker = fleet.init_worker
init_server = fleet.init_server
run_server = fleet.run_server
stop_worker = fleet.stop_worker
save_persistables = fleet.save_persistables
shrink = fleet.shrink
save_inference_model = fleet.save_inference_model
rank = fleet.worker_index
rank_in_node = fleet.local_rank
nranks = world_size = fleet.worker_num
