"""`fluid.communicator`: what 1.x has work beside a worker's Program, to exchange with servers.

Here the Program's own operations exchange: what they send goes out, and what they receive comes in, while they run.
"""

from __future__ import annotations

from typing import Any

from ..core.lazy import listed
from ..distributed.ps import engine
from ..static.program import Program
from .transpiler.distribute_transpiler import DistributedMode

__all__ = ["Communicator"]
__dir__ = listed(__name__)

_MODES = (DistributedMode.SYNC, DistributedMode.ASYNC, DistributedMode.HALF_ASYNC, DistributedMode.GEO)


class Communicator:
    """A worker's exchange with servers: `start` before training, `stop` after it.

    `program`: a worker's, as `DistributeTranspiler` gives it; `mode`: one of DistributedMode. `kwargs` and `envs` say
    how 1.x's queues and threads work; they change nothing.

    >>> import proa.fluid as fluid
    >>> from proa.fluid.transpiler.distribute_transpiler import DistributedMode
    >>> exchange = fluid.communicator.Communicator(fluid.Program(), DistributedMode.ASYNC)
    >>> exchange.start()
    >>> exchange.is_running()
    True
    >>> exchange.stop()
    """

    def __init__(self, program: Program, mode: int = DistributedMode.ASYNC, kwargs: dict[str, Any] | None = None,
                 envs: dict[str, Any] | None = None):
        if not isinstance(program, Program):
            raise TypeError(f"Communicator(program): a Program. Received {type(program).__name__}.")
        if mode not in _MODES:
            raise ValueError(f"Communicator(mode): one of DistributedMode. Received {mode!r}.")
        self.program, self.mode = program, mode
        self._is_running = False

    def start(self) -> None:
        """Lets the worker exchange with servers."""
        engine.connect()
        self._is_running = True

    def stop(self) -> None:
        """Waits until all that was sent has arrived, and tells the servers that this worker is done."""
        if self._is_running:
            self._is_running = False
            engine.complete()

    def is_running(self) -> bool:
        """Whether it has been started, and not stopped."""
        return self._is_running
