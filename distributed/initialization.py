"""init_parallel_env: connects the processes that a launcher has started."""

from __future__ import annotations

import warnings
from typing import Any

from ..core import launched
from . import engine
from .environment import get_world_size
from .groups import _get_global_group


def connect_launched() -> None:
    """Connects the processes that a launcher has started, where it has started several; once."""
    if launched.size() > 1 and not engine.is_connected():
        engine.connect(launched.size())


def init_parallel_env() -> Any:
    """Connects the processes that a launcher has started, and gives the group of all of them.

    Of a single process there is nothing to connect, with a warning. From here on an exception that ends one process
    ends all of them, with its traceback. Raises ImportError without mpi4py, RuntimeError where the launcher's numbers
    and MPI's differ. `paddle.distributed.init_parallel_env`.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> if dist.get_world_size() > 1:  # started by the launcher
    ...     group = dist.init_parallel_env()
    ...     net = paddle.DataParallel(paddle.nn.Linear(2, 1))
    """
    wanted = get_world_size()
    if wanted == 1:
        warnings.warn("init_parallel_env() does nothing: there is one process.", stacklevel=2)
        return None
    engine.connect(wanted)
    return _get_global_group()
