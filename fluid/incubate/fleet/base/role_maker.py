"""`fleet.base.role_maker`: what a script of 1.x holds of its process's part, a worker's or a server's."""

from __future__ import annotations

import os
import socket
from typing import Any

import numpy as np

from .....distributed.collectives import all_gather_object
from .....distributed.environment import get_rank, get_world_size
from .....distributed.fleet.base.meeting import Alone, ByCollectives, Meeting
from .....distributed.fleet.base.role_maker import user_defined
from .....distributed.fleet.base.roles import Assignment, Role, checked_endpoints, from_environment
from .....distributed.groups import new_group
from .....distributed.initialization import init_parallel_env

__all__ = ["GeneralRoleMaker", "MPISymetricRoleMaker", "PaddleCloudRoleMaker", "Role", "RoleMakerBase",
           "UserDefinedCollectiveRoleMaker", "UserDefinedRoleMaker"]


class RoleMakerBase:
    """A process's part. Subclasses say it in `_assigned`, which `generate_role` asks once."""

    _is_collective = False
    _meeting: Meeting | None = None

    def __init__(self) -> None:
        self._role_is_generated = False
        self._part: Assignment | None = None

    def _assigned(self) -> Assignment:
        raise NotImplementedError(f"{type(self).__name__}: a role maker says its part. Use PaddleCloudRoleMaker or "
                                  "UserDefinedRoleMaker.")

    def generate_role(self) -> None:
        """Finds out what this process's part is."""
        self._assignment()

    def _assignment(self) -> Assignment:
        if self._part is None:
            self._part, self._role_is_generated = self._assigned(), True
        return self._part

    def is_worker(self) -> bool:
        """Whether this process trains."""
        return self._assignment().role == Role.WORKER

    def is_server(self) -> bool:
        """Whether this process keeps parameters."""
        return self._assignment().role == Role.SERVER

    def is_first_worker(self) -> bool:
        """Whether this process is worker 0."""
        return self.is_worker() and self.worker_index() == 0

    def worker_index(self) -> int:
        """This process's number among those of its role."""
        return self._assignment().index

    server_index = worker_index

    def worker_num(self) -> int:
        """The number of workers."""
        return self._assignment().worker_num

    def server_num(self) -> int:
        """The number of servers."""
        return len(self.get_pserver_endpoints())

    def get_trainer_endpoints(self) -> list[str]:
        """The workers' endpoints, where the launcher says them."""
        return self._assignment().worker_endpoints

    def get_pserver_endpoints(self) -> list[str]:
        """The servers' endpoints."""
        return self._assignment().server_endpoints

    def get_local_endpoint(self) -> str:
        """This process's endpoint; RuntimeError where the launcher does not say it."""
        part = self._assignment()
        found = part.server_endpoints if part.role == Role.SERVER else part.worker_endpoints
        if part.index >= len(found):
            raise RuntimeError(f"get_local_endpoint(): the launcher says no endpoint of this process. {self}.")
        return found[part.index]

    def to_string(self) -> str:
        """The part, as text."""
        part = self._assignment()
        return (f"role: {part.role}, current_id: {part.index}, worker_endpoints: {part.worker_endpoints}, "
                f"server_endpoints: {part.server_endpoints}")

    __str__ = to_string

    def _meet(self, meeting: Meeting) -> None:
        """From now on workers exchange by this."""
        self._meeting = meeting

    def _met(self, what: str) -> Meeting:
        if not self.is_worker():
            raise RuntimeError(f"{what}: is the workers'. This process is server {self.server_index()}.")
        if self._meeting is None:
            if self.worker_num() > 1 and not self._is_collective:
                raise RuntimeError(f"{what}: the {self.worker_num()} workers meet through the servers. Call "
                                   "fleet.init_worker() first.")
            self._meeting = ByCollectives() if self.worker_num() > 1 else Alone()
        return self._meeting

    def all_gather(self, input: Any) -> list[Any]:
        """The workers' values, in the order of their numbers."""
        return self._met("all_gather").all_gather(input)

    def all_reduce_worker(self, input: Any, output: Any, mode: str = "sum") -> None:
        """Writes into `output`, an array or a list, what all workers' arrays give: their "sum", "max" or "min"."""
        reduced = self._met("all_reduce_worker").all_reduce(np.asarray(input), mode)
        output[:] = reduced.tolist() if isinstance(output, list) else reduced

    def barrier_worker(self) -> None:
        """Waits until all workers have come here."""
        self._met("barrier_worker").barrier()

    def barrier_all(self) -> None:
        """Waits until all workers have come here: servers wait for workers all the time."""
        self._met("barrier_all").barrier()


class PaddleCloudRoleMaker(RoleMakerBase):
    """The part that a launcher's environment variables say: `PADDLE_PSERVERS_IP_PORT_LIST`, `TRAINING_ROLE`, …

    With `is_collective` all processes are workers. Raises ValueError for variables that are missing or make no sense.

    >>> from proa.fluid.incubate.fleet.base import role_maker
    >>> role_maker.PaddleCloudRoleMaker(is_collective=True).worker_num()
    1
    """

    def __init__(self, is_collective: bool = False):
        super().__init__()
        self._is_collective = is_collective

    def _assigned(self) -> Assignment:
        if self._is_collective:
            return _collective()
        found = from_environment()
        if found is None:
            raise ValueError(f"{type(self).__name__}: no environment variable PADDLE_PSERVERS_IP_PORT_LIST names "
                             "servers. Start the script with `python -m proa.distributed.launch_ps --server_num 2 "
                             "--worker_num 2`, or use PaddleCloudRoleMaker(is_collective=True).")
        return found


class GeneralRoleMaker(PaddleCloudRoleMaker):
    """As PaddleCloudRoleMaker; `PADDLE_TRAINER_ENDPOINTS` may count the workers, `PADDLE_PSERVER_ID` number a server.

    Arguments say how 1.x's processes find each other, by files or http; they change nothing: workers meet through the
    first server.
    """

    def __init__(self, **kwargs: Any):
        super().__init__()
        self._kwargs = kwargs


class UserDefinedRoleMaker(RoleMakerBase):
    """The part that the arguments say. Raises TypeError and ValueError where they make no sense.

    >>> from proa.fluid.incubate.fleet.base.role_maker import Role, UserDefinedRoleMaker
    >>> role = UserDefinedRoleMaker(0, Role.SERVER, worker_num=2, server_endpoints=["127.0.0.1:6174"])
    >>> role.is_server(), role.worker_num(), role.get_pserver_endpoints()
    (True, 2, ['127.0.0.1:6174'])
    """

    def __init__(self, current_id: int = 0, role: int = Role.WORKER, worker_num: int = 0,
                 server_endpoints: list[str] | None = None):
        super().__init__()
        what = "UserDefinedRoleMaker"
        servers = checked_endpoints(server_endpoints, f"{what}(server_endpoints)")  # type: ignore[arg-type]
        self._part = user_defined(current_id, role, worker_num, servers, [], what)


class UserDefinedCollectiveRoleMaker(RoleMakerBase):
    """One of several workers, with no servers: which one, of which endpoints."""

    _is_collective = True

    def __init__(self, current_id: int = 0, worker_endpoints: list[str] | None = None):
        super().__init__()
        what = "UserDefinedCollectiveRoleMaker"
        workers = checked_endpoints(worker_endpoints, f"{what}(worker_endpoints)")  # type: ignore[arg-type]
        part = user_defined(current_id, Role.WORKER, len(workers), [], workers, what)
        self._part = part


class MPISymetricRoleMaker(RoleMakerBase):
    """Of the processes that mpiexec has started every other one is a server, from the first on, the rest are workers.

    Servers listen on free ports of the addresses that their machines' names stand for. Raises RuntimeError for an odd
    number of processes.
    """

    def _assigned(self) -> Assignment:
        rank, size = get_rank(), get_world_size()
        if size % 2:
            raise RuntimeError(f"MPISymetricRoleMaker: a server for each worker, so an even number of processes. Start "
                               f"the script with mpiexec -n 2 or more. There {'is' if size == 1 else 'are'} {size}.")
        init_parallel_env()
        servers, workers = new_group(list(range(0, size, 2))), new_group(list(range(1, size, 2)))
        endpoints: list[str] = []
        all_gather_object(endpoints, _free_endpoint())
        role = Role.WORKER if rank % 2 else Role.SERVER
        self._meeting = ByCollectives(workers if rank % 2 else servers)
        return Assignment(role, rank // 2, size // 2, endpoints[::2], endpoints[1::2])


def _collective() -> Assignment:
    count = get_world_size()
    workers = [endpoint for endpoint in os.environ.get("PADDLE_TRAINER_ENDPOINTS", "").split(",") if endpoint]
    return Assignment(Role.WORKER, get_rank(), count, [], workers)


def _free_endpoint() -> str:
    """An address of this machine with a port that nobody listens on."""
    host = socket.gethostbyname(socket.gethostname())
    with socket.create_server((host, 0)) as server:
        return f"{host}:{server.getsockname()[1]}"
