"""What a script asks fleet about its process: worker or server, which one, and who the others are."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import numbers
from .base.role_maker import PaddleCloudRoleMaker, RoleMakerBase
from .base.util_factory import UtilBase

__all__ = ["AskedOfRoles"]


class AskedOfRoles:
    """The questions, answered by a role maker: the launcher's word, until `fleet.init` is given another one."""

    def __init__(self) -> None:
        self._role_maker: RoleMakerBase = PaddleCloudRoleMaker(is_collective=True)
        self.util = UtilBase()
        self.util._set_role_maker(self._role_maker)

    def worker_index(self) -> int:
        """The number of this process among the workers.

        >>> from proa.distributed import fleet
        >>> _ = fleet.init(is_collective=True)
        >>> fleet.rank()
        0
        """
        return self._role_maker._worker_index()

    rank = worker_index

    def worker_num(self) -> int:
        """The number of workers.

        >>> from proa.distributed import fleet
        >>> _ = fleet.init(is_collective=True)
        >>> fleet.world_size()
        1
        """
        return self._role_maker._worker_num()

    nranks = world_size = worker_num

    def is_first_worker(self) -> bool:
        """Whether this is worker 0.

        >>> from proa.distributed import fleet
        >>> _ = fleet.init(is_collective=True)
        >>> fleet.is_first_worker()
        True
        """
        return self._role_maker._is_first_worker()

    def is_worker(self) -> bool:
        """Whether this process trains.

        >>> from proa.distributed import fleet
        >>> _ = fleet.init(is_collective=True)
        >>> fleet.is_worker()
        True
        """
        return self._role_maker._is_worker()

    def is_server(self) -> bool:
        """Whether this process keeps parameters.

        >>> from proa.distributed import fleet
        >>> _ = fleet.init(is_collective=True)
        >>> fleet.is_server()
        False
        """
        return self._role_maker._is_server()

    def is_coordinator(self) -> bool:
        """False: no process coordinates others."""
        return self._role_maker._is_coordinator()

    def worker_endpoints(self, to_string: bool = False) -> Any:
        """The addresses of all workers, as a launcher says them; by commas with `to_string`.

        >>> from proa.distributed import fleet
        >>> _ = fleet.init(is_collective=True)
        >>> len(fleet.worker_endpoints())
        1
        """
        found = self._role_maker._get_trainer_endpoints()
        return ",".join(found) if to_string else found

    def server_num(self) -> int:
        """The number of servers.

        >>> from proa.distributed import fleet
        >>> _ = fleet.init(is_collective=True)
        >>> fleet.server_num()
        0
        """
        return self._role_maker._server_num()

    def server_index(self) -> int:
        """The number of this process among the servers.

        >>> from proa.distributed import fleet
        >>> _ = fleet.init(is_collective=True)
        >>> fleet.is_server() and fleet.server_index()  # asked of servers
        False
        """
        return self._role_maker._server_index()

    def server_endpoints(self, to_string: bool = False) -> Any:
        """The addresses of all servers; by commas with `to_string`.

        >>> from proa.distributed import fleet
        >>> _ = fleet.init(is_collective=True)
        >>> fleet.server_endpoints()
        []
        """
        found = self._role_maker._get_pserver_endpoints()
        return ",".join(found) if to_string else found

    def node_num(self) -> int:
        """The number of machines that workers are on.

        >>> from proa.distributed import fleet
        >>> _ = fleet.init(is_collective=True)
        >>> fleet.node_num()
        1
        """
        return self._role_maker._node_num()

    def local_rank(self) -> int:
        """The number of this process among those of its machine.

        >>> from proa.distributed import fleet
        >>> _ = fleet.init(is_collective=True)
        >>> fleet.local_rank()
        0
        """
        return self._role_maker._get_local_rank()

    rank_in_node = local_rank

    def local_device_ids(self) -> list[str]:
        """The devices of this process's machine that take part, as a launcher says them."""
        return numbers.local_device_ids()

    def world_device_ids(self) -> list[list[str]]:
        """The devices of all processes, as a launcher says them."""
        return numbers.world_device_ids()

    def all_reduce(self, input: Any, mode: str = "sum") -> np.ndarray:
        """The "sum", "max" or "min" of all workers' arrays, element by element.

        >>> from proa.distributed import fleet
        >>> _ = fleet.init(is_collective=True)
        >>> fleet.all_reduce([1.0, 2.0], mode="max").tolist()
        [1.0, 2.0]
        """
        return self._role_maker._all_reduce(input, mode)

    def barrier_worker(self) -> None:
        """Waits until every worker has come here.

        >>> from proa.distributed import fleet
        >>> _ = fleet.init(is_collective=True)
        >>> fleet.barrier_worker()
        """
        self._role_maker._barrier("worker")
