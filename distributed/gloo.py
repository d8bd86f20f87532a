"""Barriers of processes of the host, under the names of what Paddle uses for them; here it is MPI."""

from __future__ import annotations

from ..core import launched
from . import collectives
from .environment import is_initialized
from .initialization import init_parallel_env

__all__ = ["gloo_barrier", "gloo_init_parallel_env", "gloo_release"]


def gloo_init_parallel_env(rank_id: int, rank_num: int, server_endpoint: str) -> None:
    """Connects the processes that a launcher has started, as `init_parallel_env` does; nothing for one process.

    `server_endpoint` is not used. Raises RuntimeError where the launcher's numbers are others.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> dist.gloo_init_parallel_env(rank_id=0, rank_num=1, server_endpoint="127.0.0.1:8080")
    >>> dist.gloo_barrier()
    >>> dist.gloo_release()
    """
    if (rank_id, rank_num) != (launched.rank(), launched.size()):
        raise RuntimeError(f"gloo_init_parallel_env(rank_id, rank_num): a launcher says that this is process "
                           f"{launched.rank()} of {launched.size()}. Received {rank_id} of {rank_num}. Start the "
                           f"processes with python -m proa.distributed.launch, paddle.distributed.spawn or mpiexec.")
    if rank_num > 1 and not is_initialized():
        init_parallel_env()


def gloo_barrier() -> None:
    """Waits until all processes have come here.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> dist.gloo_init_parallel_env(0, 1, "127.0.0.1:8080")
    >>> dist.gloo_barrier()
    """
    collectives.barrier()


def gloo_release() -> None:
    """Nothing: the connection ends with the process.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> dist.gloo_release()
    """
