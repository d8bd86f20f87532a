"""What a process asks of the world it trains in: here the world is one process, whose rank is 0.

A launcher's numbers are told as they are, and what several processes would need is refused. Code written for several
processes asks these first and then leaves out what would be exchanged, so that it runs.
"""

from __future__ import annotations

import os
import warnings
from typing import Any, NoReturn

__all__ = ["ParallelEnv", "get_rank", "get_world_size", "init_parallel_env", "is_available", "is_initialized",
           "refuse_alone", "require_one_process"]


def get_rank(group: Any = None) -> int:
    """The number of this process among those that train together: 0, or what a launcher says in PADDLE_TRAINER_ID.

    >>> import proa as paddle
    >>> paddle.distributed.get_rank(), paddle.distributed.get_world_size()
    (0, 1)
    """
    return int(os.environ.get("PADDLE_TRAINER_ID") or 0)


def get_world_size(group: Any = None) -> int:
    """How many processes train together: 1, or what a launcher says in PADDLE_TRAINERS_NUM."""
    return int(os.environ.get("PADDLE_TRAINERS_NUM") or 1)


def is_available() -> bool:
    """True: `paddle.distributed` is part of this package."""
    return True


def is_initialized() -> bool:
    """Whether processes are connected: False, as in Paddle after `init_parallel_env` of a single process."""
    return False


def require_one_process(function: str) -> None:
    """Raises NotImplementedError, in the name of `function`, where a launcher has started several processes."""
    if get_world_size() != 1:
        raise NotImplementedError(
            f"{function}: training by several processes is not supported, and PADDLE_TRAINERS_NUM={get_world_size()}. "
            f"Start one process, without a launcher."
        )


def refuse_alone(what: str, instead: str) -> NoReturn:
    """Raises NotImplementedError for what divides work among processes, naming what one process uses instead."""
    raise NotImplementedError(f"{what} divides work among several processes, and there is one. Use {instead}.")


def init_parallel_env() -> None:
    """Connects the processes that a launcher has started: of a single one there is nothing to connect, with a warning.

    Raises NotImplementedError where there are several.
    """
    require_one_process("init_parallel_env()")
    warnings.warn("init_parallel_env() does nothing: there is one process.", stacklevel=2)


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
        """The number of the device that this process was given: 0."""
        return 0

    @property
    def device_type(self) -> str:
        """The kind of device that a launcher chose: none."""
        return ""

    @property
    def current_endpoint(self) -> str:
        """The address of this process: none."""
        return ""

    @property
    def trainer_endpoints(self) -> list[str]:
        """The addresses of all processes."""
        return [""]

    @property
    def nrings(self) -> int:
        """The number of rings of communication: 1."""
        return 1

    local_rank = rank
    nranks = world_size
    dev_id = device_id
