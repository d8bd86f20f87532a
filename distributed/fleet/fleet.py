"""Fleet: what a script asks to train by many processes, among which the batches are divided."""

from __future__ import annotations

import copy
from typing import Any

from ..collectives import barrier
from ..environment import ParallelEnv, get_rank, get_world_size, is_initialized
from ..initialization import init_parallel_env
from ..parallel import DataParallel
from .base import topology
from .base.distributed_strategy import DistributedStrategy
from .base.topology import CommunicateTopology, HybridCommunicateGroup

__all__ = ["Fleet", "barrier_worker", "distributed_model", "distributed_optimizer", "distributed_scaler", "fleet",
           "get_hybrid_communicate_group", "init", "is_first_worker", "is_server", "is_worker", "stop_worker",
           "worker_endpoints", "worker_index", "worker_num"]

_AXES = {"dp": "data", "pp": "pipe", "sharding": "sharding", "sep": "sep", "mp": "model"}


class _RoleMaker:
    """What a launcher says of this process."""

    _is_collective = True

    def _worker_index(self) -> int:
        return get_rank()

    def _worker_num(self) -> int:
        return get_world_size()

    def _is_first_worker(self) -> bool:
        return get_rank() == 0

    def _barrier(self, comm_world: Any = None) -> None:
        barrier()


class Fleet:
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
        self._user_defined_strategy = DistributedStrategy()
        self._role_maker: Any = _RoleMaker()
        self._is_collective = False

    def init(self, role_maker: Any = None, is_collective: bool = False, strategy: DistributedStrategy | None = None,
             log_level: int | str = "INFO") -> Fleet:
        """Connects the processes and arranges them: all of them along the data, each with a whole model.

        `dp_degree` of the strategy's `hybrid_configs` is the number of processes (or -1), the other degrees are 1 (or
        -1). Raises NotImplementedError where a degree asks for more, and for parameter servers.
        """
        self._user_defined_strategy = strategy or DistributedStrategy()
        hybrid, size = self._user_defined_strategy.hybrid_configs, get_world_size()
        several = {name: hybrid.get(name, 1) for name in (f"{axis}_degree" for axis in _AXES)
                   if hybrid.get(name, 1) not in ((1, -1, size) if name == "dp_degree" else (1, -1))}
        if several:
            raise NotImplementedError(f"fleet.init(strategy): the batch alone is divided, among {size} "
                                      f"{'process' if size == 1 else 'processes'}; hybrid_configs asks for {several}. "
                                      f"Set these degrees to 1.")
        if role_maker is not None and not getattr(role_maker, "_is_collective", is_collective):
            raise NotImplementedError("fleet.init(role_maker): parameter servers are not supported. Call "
                                      "fleet.init(is_collective=True).")
        if size > 1 and not is_initialized():
            init_parallel_env()
        self._is_collective = is_collective
        order = [_AXES[axis] for axis in self._user_defined_strategy.hybrid_parallel_order]
        self._hcg = HybridCommunicateGroup(
            CommunicateTopology(order, [size if axis == "data" else 1 for axis in order]))
        topology._HYBRID_PARALLEL_GROUP.hcg = self._hcg
        return self

    def get_hybrid_communicate_group(self) -> HybridCommunicateGroup:
        """The groups that `init` made; AttributeError before it, which code that may run without it catches."""
        if "_hcg" not in vars(self):
            raise AttributeError("'Fleet' object has no attribute '_hcg': call fleet.init(is_collective=True) first.")
        return self._hcg

    def distributed_model(self, model: Any) -> Any:
        """A DataParallel of the model, as the strategy says; of a process alone the model."""
        strategy = self._user_defined_strategy
        return model if get_world_size() == 1 else DataParallel(
            model, comm_buffer_size=strategy.fuse_grad_size_in_MB,
            find_unused_parameters=strategy.find_unused_parameters)

    def distributed_optimizer(self, optimizer: Any, strategy: DistributedStrategy | None = None) -> Any:
        """The optimizer."""
        if strategy is not None:
            self._user_defined_strategy = copy.deepcopy(strategy)
        return optimizer

    def distributed_scaler(self, scaler: Any) -> Any:
        """The GradScaler."""
        return scaler

    def worker_index(self) -> int:
        """The number of this process."""
        return get_rank()

    def worker_num(self) -> int:
        """The number of processes."""
        return get_world_size()

    def is_first_worker(self) -> bool:
        """Whether this is process 0."""
        return get_rank() == 0

    def is_worker(self) -> bool:
        """True: each process trains."""
        return True

    def is_server(self) -> bool:
        """False: no process only keeps parameters."""
        return False

    def worker_endpoints(self, to_string: bool = False) -> Any:
        """The addresses of all processes, as a launcher says them."""
        found = ParallelEnv().trainer_endpoints
        return ",".join(found) if to_string else found

    def barrier_worker(self) -> None:
        """Waits until every process has come here."""
        barrier()

    def stop_worker(self) -> None:
        """Ends training: processes end when their scripts do."""


fleet = Fleet()
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
barrier_worker = fleet.barrier_worker
stop_worker = fleet.stop_worker
