"""What a process asks of the world it trains in: its rank, how many processes there are, whether they are connected.

A launcher starts them: this package's own, MPI's or Slurm's. Code written for several processes runs in one as well:
the world is then one process, whose rank is 0, and nothing is exchanged.
"""

from __future__ import annotations

import os
from typing import Any, NoReturn

from ..core import launched
from . import engine

__all__ = ["ParallelEnv", "get_rank", "get_world_size", "is_available", "is_initialized",
           "refuse_alone", "require_connection", "require_one_process"]

def get_rank(group: Any = None) -> int:
    """The number of this process among those that train together, or in `group`, -1 where it is not one of it.

    >>> import proa as paddle
    >>> paddle.distributed.get_rank(), paddle.distributed.get_world_size()
    (0, 1)
    """
    if group is not None:
        return group.rank
    return engine.communicator(0).rank if engine.is_connected() else launched.rank()


def get_world_size(group: Any = None) -> int:
    """How many processes train together, or are in `group`.

    >>> import proa as paddle
    >>> paddle.distributed.get_world_size()  # one process, with no other
    1
    """
    if group is not None:
        return group.world_size
    return engine.communicator(0).size if engine.is_connected() else launched.size()


def is_available() -> bool:
    """True: `paddle.distributed` is part of this package.

    >>> import proa as paddle
    >>> paddle.distributed.is_available()  # one process, with no other
    True
    """
    return True


def is_initialized() -> bool:
    """Whether processes are connected: False, as in Paddle, after `init_parallel_env` of a single process.

    >>> import proa as paddle
    >>> paddle.distributed.is_initialized()  # one process, with no other
    False
    """
    return engine.is_connected()


def require_connection(function: str) -> None:
    """Raises RuntimeError, in the name of `function`, where a launcher has started processes that are not connected."""
    if not engine.is_connected() and get_world_size() != 1:
        raise RuntimeError(f"{function}: a launcher has started {get_world_size()} processes, which are not connected "
                           f"yet. Call paddle.distributed.init_parallel_env() first.")


def require_one_process(function: str) -> None:
    """Raises NotImplementedError, in the name of `function`, where a launcher has started several processes."""
    if get_world_size() != 1:
        raise NotImplementedError(f"{function}: is not supported in several processes, and there are "
                                  f"{get_world_size()}. Leave it out, or start one process, without a launcher.")


def refuse_alone(what: str, instead: str) -> NoReturn:
    """Raises NotImplementedError for what divides work among processes, naming what one process uses instead."""
    raise NotImplementedError(f"{what} divides work among several processes, and there is one. Use {instead}.")


class ParallelEnv:
    """The numbers of this process and of its world, as attributes that can only be read.

    >>> import proa as paddle
    >>> env = paddle.distributed.ParallelEnv()
    >>> env.rank, env.world_size, env.trainer_endpoints
    (0, 1, [''])
    """

    @property
    def rank(self) -> int:
        """The number of this process."""
        return get_rank()

    @property
    def world_size(self) -> int:
        """The number of processes."""
        return get_world_size()

    @property
    def device_id(self) -> int:
        """The number of this process's device: what a launcher says in FLAGS_selected_gpus, else its local rank."""
        return launched.device()

    @property
    def device_type(self) -> str:
        """The kind of device that a launcher chose: none."""
        return ""

    @property
    def current_endpoint(self) -> str:
        """The address of this process, as a launcher says it."""
        return os.environ.get("PADDLE_CURRENT_ENDPOINT", "")

    @property
    def trainer_endpoints(self) -> list[str]:
        """The addresses of all processes, as a launcher says them."""
        return os.environ.get("PADDLE_TRAINER_ENDPOINTS", "").split(",")

    @property
    def nrings(self) -> int:
        """The number of rings of communication: 1."""
        return 1

    nranks = world_size
    local_rank = rank  # as in Paddle: of all processes, so that `local_rank == 0` is one; see fleet.local_rank
    dev_id = device_id
