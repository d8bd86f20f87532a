"""`fleet.base.fleet_base`: what all of 1.x's fleets have, of servers and of collectives."""

from __future__ import annotations

from typing import Any

from .....core.place import CPUPlace
from .....distributed.fleet.base.role_maker import file_shard
from .....static.run.executor import Executor
from ....optimizer import Optimizer
from .mode import Mode
from .role_maker import RoleMakerBase

__all__ = ["DistributedOptimizer", "Fleet", "Mode"]


class Fleet:
    """The processes of a job, as one of them sees it: `init` says which it is, by a role maker."""

    def __init__(self, mode: int):
        self._mode = mode
        self._is_initialized = False
        self._optimizer: Any = None
        self._given_role: RoleMakerBase | None = None
        self._executor: Executor | None = None

    def init(self, role_maker: RoleMakerBase | None = None) -> None:
        """Finds out which process of the job this one is. TypeError for another object than a role maker."""
        if not isinstance(role_maker, RoleMakerBase):
            raise TypeError("fleet.init(role_maker): a role maker, such as role_maker.PaddleCloudRoleMaker(). Received "
                            f"{type(role_maker).__name__}.")
        role_maker.generate_role()
        self._executor = Executor(CPUPlace())
        self._given_role, self._is_initialized = role_maker, True

    @property
    def _role_maker(self) -> RoleMakerBase:
        if self._given_role is None:
            raise RuntimeError("fleet: call fleet.init(role_maker) first; role_maker.PaddleCloudRoleMaker() reads the "
                               "launcher's variables.")
        return self._given_role

    def is_first_worker(self) -> bool:
        """Whether this process is worker 0."""
        return self._role_maker.is_first_worker()

    def is_worker(self) -> bool:
        """Whether this process trains."""
        return self._role_maker.is_worker()

    def is_server(self) -> bool:
        """Whether this process keeps parameters."""
        return self._role_maker.is_server()

    def worker_index(self) -> int:
        """This worker's number."""
        return self._role_maker.worker_index()

    def worker_num(self) -> int:
        """The number of workers."""
        return self._role_maker.worker_num()

    def worker_endpoints(self, to_string: bool = False) -> Any:
        """The workers' endpoints, where the launcher says them; by commas with `to_string`."""
        found = self._role_maker.get_trainer_endpoints()
        return ",".join(found) if to_string else found

    def server_index(self) -> int:
        """This server's number."""
        return self._role_maker.server_index()

    def server_num(self) -> int:
        """The number of servers."""
        return len(self._role_maker.get_pserver_endpoints())

    def server_endpoints(self, to_string: bool = False) -> Any:
        """The servers' endpoints; by commas with `to_string`."""
        found = self._role_maker.get_pserver_endpoints()
        return ",".join(found) if to_string else found

    def split_files(self, files: list[str]) -> list[str]:
        """This worker's share of a list of files: neighbours, as many for each, the first ones having one more."""
        return file_shard(files, self.worker_index(), self.worker_num(), "fleet.split_files")

    def all_reduce_worker(self, input: Any, output: Any) -> None:
        """Writes the sum of all workers' arrays into `output`."""
        self._role_maker.all_reduce_worker(input, output)

    def barrier_worker(self) -> None:
        """Waits until all workers have come here."""
        self._role_maker.barrier_worker()

    def init_worker(self) -> None:
        """Begins a worker."""
        raise self._refusal("init_worker")

    def init_server(self, model_dir: str | None = None) -> None:
        """Gives a server's parameters their first values, or those of a folder."""
        raise self._refusal("init_server")

    def run_server(self) -> None:
        """Serves until all workers are done."""
        raise self._refusal("run_server")

    def stop_worker(self) -> None:
        """Ends a worker."""
        raise self._refusal("stop_worker")

    def distributed_optimizer(self, optimizer: Any, strategy: Any = None) -> Any:
        """An optimizer whose `minimize` prepares the Program for the job."""
        raise self._refusal("distributed_optimizer")

    def save_inference_model(self, executor: Any, dirname: str, feeded_var_names: Any, target_vars: Any,
                             main_program: Any = None, export_for_deployment: bool = True) -> None:
        """Writes a model for inference."""
        raise self._refusal("save_inference_model")

    def save_persistables(self, executor: Any, dirname: str, main_program: Any = None) -> None:
        """Writes all values that are kept between runs."""
        raise self._refusal("save_persistables")

    def _refusal(self, method: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__}.{method}: is not there. Use fleet of "
                                   "fluid.incubate.fleet.parameter_server.distribute_transpiler or of "
                                   "fluid.incubate.fleet.collective.")


class DistributedOptimizer:
    """An optimizer around another one. TypeError for another object than an optimizer.

    `strategy`: how the processes of the job work together.
    """

    def __init__(self, optimizer: Any, strategy: Any = None):
        if not isinstance(optimizer, Optimizer) and not hasattr(optimizer, "minimize"):
            raise TypeError("DistributedOptimizer(optimizer): an optimizer of fluid.optimizer. Received "
                            f"{type(optimizer).__name__}.")
        self._optimizer, self._strategy = optimizer, strategy

    def backward(self, loss: Any, startup_program: Any = None, parameter_list: Any = None, no_grad_set: Any = None,
                 callbacks: Any = None) -> Any:
        """Appends the backward pass; pairs of parameters and gradients."""
        return self._optimizer.backward(loss, startup_program, parameter_list, no_grad_set, callbacks)

    def apply_gradients(self, params_grads: Any) -> Any:
        """Appends the updates."""
        return self._optimizer.apply_gradients(params_grads)

    def minimize(self, losses: Any, scopes: Any = None, startup_programs: Any = None, parameter_list: Any = None,
                 no_grad_set: Any = None) -> Any:
        """Appends the backward pass and the updates, and prepares the Program for the job."""
        raise NotImplementedError(f"{type(self).__name__}.minimize: is not there. fleet.distributed_optimizer makes an "
                                  "optimizer of a job.")
