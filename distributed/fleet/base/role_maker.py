"""`fleet.base.role_maker`: what a script holds of its process's part, a worker's or a server's, and of the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....core import launched
from ...environment import ParallelEnv, get_rank, get_world_size
from .meeting import Alone, ByCollectives, Meeting
from .roles import Assignment, Role, checked_endpoints, from_environment

__all__ = ["PaddleCloudRoleMaker", "Role", "RoleMakerBase", "UserDefinedRoleMaker"]


class RoleMakerBase:
    """A process's part. Subclasses say it in `_assigned`; it is asked for once, when it is first needed."""

    _is_collective = False
    _meeting: Meeting | None = None

    def __init__(self) -> None:
        self._role_is_generated = False
        self._part: Assignment | None = None

    def _assigned(self) -> Assignment:
        raise NotImplementedError(f"{type(self).__name__}: a role maker has a method _assigned. Use "
                                  "PaddleCloudRoleMaker or UserDefinedRoleMaker.")

    def _generate_role(self) -> None:
        self._assignment()

    def _assignment(self) -> Assignment:
        if self._part is None or self._is_collective:  # connecting may give another number
            self._part, self._role_is_generated = self._assigned(), True
        return self._part

    def _role_id(self) -> int:
        return self._assignment().index

    _worker_index = _server_index = _role_id

    def _is_worker(self) -> bool:
        return self._assignment().role == Role.WORKER

    def _is_server(self) -> bool:
        return self._assignment().role == Role.SERVER

    def _is_first_worker(self) -> bool:
        return self._is_worker() and self._role_id() == 0

    def _is_heter_worker(self) -> bool:
        return False

    _is_coordinator = _is_heter_worker

    def _worker_num(self) -> int:
        return self._assignment().worker_num

    def _server_num(self) -> int:
        return len(self._assignment().server_endpoints)

    def _heter_worker_num(self) -> int:
        return 0

    def _node_num(self) -> int:
        return len({endpoint.rpartition(":")[0] for endpoint in self._get_trainer_endpoints()}) or 1

    _get_node_num = _node_num

    def _get_trainer_endpoints(self) -> list[str]:
        return self._assignment().worker_endpoints

    def _get_pserver_endpoints(self) -> list[str]:
        return self._assignment().server_endpoints

    def _get_local_rank(self) -> int:
        return launched.local_rank()

    def _is_non_distributed(self) -> bool:
        return not self._is_collective and not self._get_pserver_endpoints()

    def _meet(self, meeting: Meeting) -> None:
        """From now on workers exchange by this."""
        self._meeting = meeting

    def _met(self, what: str, comm_world: str) -> Meeting:
        if comm_world not in ("worker", "server", "all"):
            raise ValueError(f"{what}(comm_world): worker, server or all. Received {comm_world!r}.")
        if comm_world != "worker" and self._get_pserver_endpoints():
            raise NotImplementedError(f"{what}(comm_world={comm_world!r}): workers alone exchange values, through the "
                                      "first server. Use comm_world='worker' in workers.")
        if self._meeting is None:
            if self._worker_num() > 1 and not self._is_collective:
                raise RuntimeError(f"{what}: the {self._worker_num()} workers meet through the servers. Call "
                                   "fleet.init_worker() first." if self._is_worker() else
                                   f"{what}: is the workers'. This process is a server.")
            self._meeting = ByCollectives() if self._worker_num() > 1 else Alone()
        return self._meeting

    def _barrier(self, comm_world: str = "worker") -> None:
        self._met("barrier", comm_world).barrier()

    def _all_gather(self, input: Any, comm_world: str = "worker") -> list[Any]:
        return self._met("all_gather", comm_world).all_gather(input)

    def _all_reduce(self, input: Any, mode: str = "sum", comm_world: str = "worker") -> np.ndarray:
        return self._met("all_reduce", comm_world).all_reduce(input, mode)

    def to_string(self) -> str:
        """The part, as text."""
        part = self._assignment()
        return (f"role: {part.role}, current_id: {part.index}, worker_num: {part.worker_num}, worker_endpoints: "
                f"{part.worker_endpoints}, server_endpoints: {part.server_endpoints}")


class PaddleCloudRoleMaker(RoleMakerBase):
    """The part that the launcher's environment variables say. `paddle.distributed.fleet.PaddleCloudRoleMaker`.

    With `is_collective` all processes are workers. Without, and without variables that name servers, this process is
    one worker alone. Other arguments say how Paddle's processes would find each other; they change nothing.

    >>> from proa.distributed import fleet
    >>> role = fleet.PaddleCloudRoleMaker()
    >>> role._is_worker(), role._worker_num(), role._server_num()
    (True, 1, 0)
    """

    def __init__(self, is_collective: bool = False, **kwargs: Any):
        super().__init__()
        self._is_collective, self._kwargs = is_collective, kwargs

    def _assigned(self) -> Assignment:
        if self._is_collective:
            return Assignment(Role.WORKER, get_rank(), get_world_size(), [], ParallelEnv().trainer_endpoints)
        return from_environment() or Assignment(Role.WORKER, 0, 1, [], [])

    def _get_trainer_endpoint(self) -> str:
        part = self._assignment()
        if part.role != Role.WORKER or part.index >= len(part.worker_endpoints):
            raise RuntimeError(f"this process has no worker's endpoint. It is {self.to_string()}.")
        return part.worker_endpoints[part.index]


class UserDefinedRoleMaker(PaddleCloudRoleMaker):
    """The part that the arguments say. `paddle.distributed.fleet.UserDefinedRoleMaker`.

    `current_id`: which one this process is of those of its `role`; `worker_num`, or a list of `worker_endpoints`;
    `server_endpoints`. Raises TypeError and ValueError where these make no sense.

    >>> from proa.distributed import fleet
    >>> role = fleet.UserDefinedRoleMaker(current_id=0, role=fleet.Role.SERVER, worker_num=2,
    ...                                   server_endpoints=["127.0.0.1:36011", "127.0.0.1:36012"])
    >>> role._is_server(), role._worker_num(), role._server_num()
    (True, 2, 2)
    """

    def __init__(self, is_collective: bool = False, init_gloo: bool = False, **kwargs: Any):
        super().__init__(is_collective, init_gloo=init_gloo, **kwargs)

    def _assigned(self) -> Assignment:
        given, what = self._kwargs, "UserDefinedRoleMaker"
        workers = checked_endpoints(given["worker_endpoints"], f"{what}(worker_endpoints)") \
            if given.get("worker_endpoints") or self._is_collective and "worker_endpoints" in given else []
        if self._is_collective:
            count = len(workers) or launched.size()
            return Assignment(Role.WORKER, _index(given.get("current_id"), count, what), count, [], workers)
        servers = checked_endpoints(_needed(given, "server_endpoints", what), f"{what}(server_endpoints)")
        return user_defined(_needed(given, "current_id", what), _needed(given, "role", what),
                            given.get("worker_num", 0) or len(workers), servers, workers, what)


def user_defined(index: Any, role: Any, worker_num: Any, servers: list[str], workers: list[str],
                 what: str) -> Assignment:
    """What arguments say of a part, checked; `what` are they of."""
    if role not in (Role.WORKER, Role.SERVER):
        raise TypeError(f"{what}(role): Role.WORKER or Role.SERVER. Received {role!r}.")
    if isinstance(worker_num, bool) or not isinstance(worker_num, int):
        raise TypeError(f"{what}(worker_num): a whole number. Received {worker_num!r}.")
    if worker_num < 1:
        raise ValueError(f"{what}(worker_num): at least 1. Received {worker_num}.")
    return Assignment(role, _index(index, len(servers) if role == Role.SERVER else worker_num, what), worker_num,
                      servers, workers)


def _index(index: Any, count: int, what: str) -> int:
    if isinstance(index, bool) or not isinstance(index, int):
        raise TypeError(f"{what}(current_id): a whole number. Received {index!r}.")
    if not 0 <= index < count:
        raise ValueError(f"{what}(current_id): must be in [0, {count}), there being so many processes of that role. "
                         f"Received {index}.")
    return index


def _needed(given: dict[str, Any], name: str, what: str) -> Any:
    if name not in given:
        raise ValueError(f"{what}({name}): is needed. Received {', '.join(sorted(given))}.")
    return given[name]


def file_shard(files: Sequence[str], index: int, count: int, what: str) -> list[str]:
    """The files of one of `count` workers: neighbours, as many for each, the first ones having one more.

    >>> file_shard(["a", "b", "c", "d", "e"], 0, 2, "split_files")
    ['a', 'b', 'c']
    """
    if not isinstance(files, list):
        raise TypeError(f"{what}(files): a list of files. Received {files!r}.")
    size, more = divmod(len(files), count)
    begin = index * size + min(index, more)
    return files[begin:begin + size + (index < more)]
