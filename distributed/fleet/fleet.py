"""Fleet: what a script asks to train by many processes, for one, which it leaves models and optimizers to."""

from __future__ import annotations

import copy
from typing import Any

from ..environment import get_rank, get_world_size, require_one_process
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
        require_one_process("barrier")


class Fleet:
    """Training by many processes, of which there is one: models, optimizers and scalers stay as they are.

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
        """Arranges the processes as the degrees in the strategy's `hybrid_configs` say: they must be 1 (or -1).

        Raises NotImplementedError where a launcher has started several processes or a degree asks for them, and for
        parameter servers.
        """
        require_one_process("fleet.init")
        self._user_defined_strategy = strategy or DistributedStrategy()
        hybrid = self._user_defined_strategy.hybrid_configs
        several = {name: hybrid.get(name, 1) for name in (f"{axis}_degree" for axis in _AXES)
                   if hybrid.get(name, 1) not in (1, -1)}
        if several:
            raise NotImplementedError(f"fleet.init(strategy): hybrid_configs asks for several processes, and there is "
                                      f"one: {several}. Set these degrees to 1.")
        if role_maker is not None and not getattr(role_maker, "_is_collective", is_collective):
            raise NotImplementedError("fleet.init(role_maker): parameter servers are not supported. Call "
                                      "fleet.init(is_collective=True).")
        self._is_collective = is_collective
        order = [_AXES[axis] for axis in self._user_defined_strategy.hybrid_parallel_order]
        self._hcg = HybridCommunicateGroup(CommunicateTopology(order, [1] * len(order)))
        topology._HYBRID_PARALLEL_GROUP.hcg = self._hcg
        return self

    def get_hybrid_communicate_group(self) -> HybridCommunicateGroup:
        """The groups that `init` made; AttributeError before it, which code that may run without it catches."""
        if "_hcg" not in vars(self):
            raise AttributeError("'Fleet' object has no attribute '_hcg': call fleet.init(is_collective=True) first.")
        return self._hcg

    def distributed_model(self, model: Any) -> Any:
        """The model."""
        return model

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
        """The addresses of all processes: none is known."""
        return "" if to_string else [""]

    def barrier_worker(self) -> None:
        """Waits until every process has come here."""
        require_one_process("barrier_worker")

    def stop_worker(self) -> None:
        """Ends the exchange with others, of whom there are none."""


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
