"""What a script asks of fleet where parameter servers train with workers."""

from __future__ import annotations

import copy
import warnings
from typing import Any

from .base.distributed_strategy import DistributedStrategy
from .roles import AskedOfRoles
from .servers import Servers

__all__ = ["AskedOfServers", "ServedOptimizer"]


class ServedOptimizer:
    """An optimizer whose `minimize` divides the Program among servers and workers; for the rest it is the other one."""

    def __init__(self, of: AskedOfServers, optimizer: Any):
        self._fleet, self.user_defined_optimizer = of, optimizer

    def minimize(self, loss: Any, startup_program: Any = None, parameter_list: Any = None,
                 no_grad_set: Any = None) -> Any:
        """Appends the backward pass and the updates, and divides the Program."""
        return self._fleet.minimize(loss, startup_program, parameter_list, no_grad_set)

    def __getattr__(self, name: str) -> Any:
        if name == "user_defined_optimizer":
            raise AttributeError(name)
        return getattr(self.user_defined_optimizer, name)


class AskedOfServers(AskedOfRoles):
    """A worker trains, and a server serves, once `minimize` has divided the Program; see `Servers`."""

    def __init__(self) -> None:
        super().__init__()
        self._user_defined_strategy = DistributedStrategy()
        self._servers: Servers | None = None
        self._optimizer: Any = None

    def _served(self, optimizer: Any, strategy: DistributedStrategy | None) -> ServedOptimizer:
        if strategy is not None:
            self._user_defined_strategy = copy.deepcopy(strategy)
        self._optimizer = optimizer
        return ServedOptimizer(self, optimizer)

    def minimize(self, loss: Any, startup_program: Any = None, parameter_list: Any = None,
                 no_grad_set: Any = None) -> Any:
        """Appends the backward pass and the updates of the optimizer that `distributed_optimizer` was given.

        Where there are servers, the Program is divided: the loss's and the startup Program are then this worker's.

        >>> import proa as paddle
        >>> from proa.distributed import fleet
        >>> _ = fleet.init(is_collective=True)
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     loss = paddle.static.nn.fc(paddle.static.data("x", [None, 2]), 1).mean()
        ...     _ = fleet.distributed_optimizer(paddle.optimizer.SGD(0.1))
        ...     _ = fleet.minimize(loss)
        >>> paddle.disable_static()
        >>> [op.type for op in main.global_block().ops].count("sgd")
        2
        """
        if self._optimizer is None:
            raise RuntimeError("fleet.minimize(loss): call fleet.distributed_optimizer(optimizer, strategy) first.")
        if self._servers is None:
            return self._optimizer.minimize(loss, startup_program, parameter_list, no_grad_set)
        return self._servers.minimize(self._optimizer, self._user_defined_strategy, loss, startup_program,
                                      parameter_list, no_grad_set)

    def init_worker(self, scopes: Any = None) -> None:
        """Lets a worker exchange with servers and with other workers; without servers there is nothing to do.

        >>> from proa.distributed import fleet
        >>> _ = fleet.init(is_collective=True)
        >>> fleet.init_worker()  # no servers: nothing to do
        """
        if self._servers is not None:
            self._servers.init_worker()

    def stop_worker(self) -> None:
        """Ends training: servers end when all workers have said it.

        >>> from proa.distributed import fleet
        >>> _ = fleet.init(is_collective=True)
        >>> fleet.stop_worker()
        """
        if self._servers is not None:
            self._servers.stop_worker()

    def init_server(self, *args: Any, **kwargs: Any) -> None:
        """Gives a server's parameters their first values, or those of a folder: `init_server(dirname)`.

        >>> import proa as paddle
        >>> from proa.distributed import fleet
        >>> def run(main, startup, batches):  # what every process of the job does, after fleet.minimize(loss)
        ...     exe = paddle.static.Executor()
        ...     if fleet.is_server():
        ...         fleet.init_server()
        ...         fleet.run_server()  # until all workers have stopped
        ...     else:
        ...         exe.run(startup)
        ...         fleet.init_worker()
        ...         for feed in batches:
        ...             exe.run(main, feed=feed)
        ...         fleet.stop_worker()
        """
        self._here("init_server", lambda servers: servers.init_server(*args, **kwargs))

    def run_server(self) -> None:
        """Serves until all workers are done.

        >>> import proa as paddle
        >>> from proa.distributed import fleet
        >>> def run(main, startup, batches):  # what every process of the job does, after fleet.minimize(loss)
        ...     exe = paddle.static.Executor()
        ...     if fleet.is_server():
        ...         fleet.init_server()
        ...         fleet.run_server()  # until all workers have stopped
        ...     else:
        ...         exe.run(startup)
        ...         fleet.init_worker()
        ...         for feed in batches:
        ...             exe.run(main, feed=feed)
        ...         fleet.stop_worker()
        """
        self._here("run_server", lambda servers: servers.run_server())

    def _here(self, method: str, do: Any) -> None:
        if self._servers is None:
            warnings.warn(f"fleet.{method}() does nothing: the launcher tells of no servers.", stacklevel=3)
        else:
            do(self._servers)

    def _need(self, method: str, instead: str) -> Servers:
        if self._servers is None:
            raise RuntimeError(f"fleet.{method}: the launcher tells of no servers. Use {instead}.")
        return self._servers

    def shrink(self, threshold: int | None = None) -> None:
        """Has servers remove the rows of tables that no update has changed since more than `threshold` calls of this.

        All workers call it, after each day's files, say: with 0, or None, a row goes when it was not updated since the
        call before. Raises RuntimeError without servers.

        >>> from proa.distributed import fleet
        >>> _ = fleet.init(is_collective=True)
        >>> fleet.shrink(threshold=7)  # without servers
        Traceback (most recent call last):
            ...
        RuntimeError: fleet.shrink: the launcher tells of no servers. Use tables as they are: their rows are all...
        """
        self._need("shrink", "tables as they are: their rows are all there").shrink(threshold)

    def save_persistables(self, executor: Any, dirname: str, main_program: Any = None, mode: int = 0) -> None:
        """Writes all values that are kept between runs, those of servers among them. One worker does it.

        `mode` changes nothing. Raises RuntimeError without servers.

        >>> import proa as paddle
        >>> from proa.distributed import fleet
        >>> _ = fleet.init(is_collective=True)
        >>> fleet.save_persistables(paddle.static.Executor(), "kept")  # without servers
        Traceback (most recent call last):
            ...
        RuntimeError: fleet.save_persistables: the launcher tells of no servers. Use paddle.static.save.
        """
        self._need("save_persistables", "paddle.static.save").save_persistables(executor, dirname, main_program)

    def save_inference_model(self, executor: Any, dirname: str, feeded_var_names: Any, target_vars: Any,
                             main_program: Any = None, export_for_deployment: bool = True, mode: int = 0) -> None:
        """Writes the Program that gives `target_vars`, as it was before it was divided, and its parameters.

        One worker does it. `mode` changes nothing. Raises RuntimeError without servers.

        >>> import proa as paddle
        >>> from proa.distributed import fleet
        >>> _ = fleet.init(is_collective=True)
        >>> fleet.save_inference_model(paddle.static.Executor(), "model", ["x"], [])  # without servers
        Traceback (most recent call last):
            ...
        RuntimeError: fleet.save_inference_model: the launcher tells of no servers. Use...
        """
        self._need("save_inference_model", "paddle.static.save_inference_model").save_inference_model(
            executor, dirname, feeded_var_names, target_vars, main_program, export_for_deployment)
