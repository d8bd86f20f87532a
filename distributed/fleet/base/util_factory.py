"""`fleet.util`: what workers exchange and divide beside training."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..utils.fs import FS
from .role_maker import RoleMakerBase, file_shard

__all__ = ["UtilBase"]


class UtilBase:
    """Exchanges among the workers of a job, and shares of its files. `paddle.distributed.fleet.UtilBase`.

    >>> from proa.distributed import fleet
    >>> _ = fleet.init(is_collective=True)
    >>> fleet.util.get_file_shard(["part-0", "part-1"]), fleet.util.all_gather(3)
    (['part-0', 'part-1'], [3])
    """

    def __init__(self) -> None:
        self.role_maker: RoleMakerBase | None = None
        self.dist_strategy: Any = None
        self.fs_client: FS | None = None

    def _set_strategy(self, dist_strategy: Any) -> None:
        self.dist_strategy = dist_strategy

    def _set_role_maker(self, role_maker: RoleMakerBase) -> None:
        self.role_maker = role_maker

    def _set_file_system(self, fs_client: FS) -> None:
        if not isinstance(fs_client, FS):
            raise TypeError("fleet.util._set_file_system(fs_client): LocalFS or HDFSClient. Received "
                            f"{type(fs_client).__name__}.")
        self.fs_client = fs_client

    def _role(self) -> RoleMakerBase:
        if self.role_maker is None:
            raise RuntimeError("fleet.util: call fleet.init() first.")
        return self.role_maker

    def all_reduce(self, input: Any, mode: str = "sum", comm_world: str = "worker") -> np.ndarray:
        """The "sum", "max" or "min" of all workers' arrays, element by element."""
        return self._role()._all_reduce(input, mode, comm_world)

    def barrier(self, comm_world: str = "worker") -> None:
        """Waits until all workers have come here."""
        self._role()._barrier(comm_world)

    def all_gather(self, input: Any, comm_world: str = "worker") -> list[Any]:
        """The workers' values, in the order of their numbers."""
        return self._role()._all_gather(input, comm_world)

    def get_file_shard(self, files: list[str]) -> list[str]:
        """This worker's share of a list of files: neighbours, as many for each, the first ones having one more."""
        return file_shard(files, self._role()._worker_index(), self._role()._worker_num(), "get_file_shard")

    def get_heter_file_shard(self, files: list[str]) -> list[str]:
        """As `get_file_shard`: all workers are of one kind."""
        return self.get_file_shard(files)

    def print_on_rank(self, message: Any, rank_id: int) -> None:
        """Prints a message in one worker."""
        if self._role()._worker_index() == rank_id:
            print(message)
