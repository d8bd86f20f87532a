"""`fluid.ParallelExecutor`: an Executor and a CompiledProgram `with_data_parallel` in one."""

from __future__ import annotations

import copy
from typing import Any

from ..core.lazy import listed
from ..distributed.initialization import connect_launched
from ..static.run.compiled_program import CompiledProgram
from ..static.run.executor import Executor
from ..static.run.scope import Scope, global_scope
from ..static.run.strategies import BuildStrategy, ExecutionStrategy
from .framework import CPUPlace, CUDAPlace, Program, default_main_program

__all__ = ["ParallelExecutor"]
__dir__ = listed(__name__)


class ParallelExecutor:
    """Runs a Program on all CUDA devices or, by the environment variable CPU_NUM, on so many CPU places.

    `share_vars_from`: another ParallelExecutor whose devices' own values this one uses too. `num_trainers`: as many
    processes, which a launcher has started, train together: each computes the gradients of what it is fed, and updates
    by the mean of all. The first run gives all of them the values of the first.

    >>> import numpy, proa.fluid as fluid
    >>> main, startup = fluid.Program(), fluid.Program()
    >>> with fluid.program_guard(main, startup):
    ...     y = fluid.layers.fc(fluid.data("x", [None, 3]), 2)
    >>> with fluid.scope_guard(fluid.Scope()):
    ...     _ = fluid.Executor(fluid.CPUPlace()).run(startup)
    ...     exe = fluid.ParallelExecutor(use_cuda=False, main_program=main)
    ...     exe.run([y.name], feed={"x": numpy.ones((4, 3), "float32")})[0].shape
    (4, 2)
    """

    def __init__(self, use_cuda: bool, loss_name: str | None = None, main_program: Program | None = None,
                 share_vars_from: ParallelExecutor | None = None, exec_strategy: ExecutionStrategy | None = None,
                 build_strategy: BuildStrategy | None = None, num_trainers: int = 1, trainer_id: int = 0,
                 scope: Scope | None = None):
        if num_trainers > 1:
            connect_launched()
            build_strategy = copy.copy(build_strategy) or BuildStrategy()
            build_strategy.num_trainers, build_strategy.trainer_id = num_trainers, trainer_id
        if share_vars_from is not None and not isinstance(share_vars_from, ParallelExecutor):
            raise TypeError("ParallelExecutor(share_vars_from): must be a ParallelExecutor. "
                            f"Received {type(share_vars_from).__name__}.")
        self._scope = scope or global_scope()
        self._executor = Executor(CUDAPlace(0) if use_cuda else CPUPlace())
        shared = None if share_vars_from is None else share_vars_from._program
        self._program: CompiledProgram = CompiledProgram(main_program or default_main_program()).with_data_parallel(
            loss_name, build_strategy, exec_strategy, shared)
        self._program.devices_of(self._executor)

    def run(self, fetch_list: Any, feed: Any = None, feed_dict: Any = None, return_numpy: bool = True) -> list[Any]:
        """One step: `feed` is a dict whose values are divided by rows, or a list with a dict for each device.

        Gives the fetched values of all devices, one behind the other. `feed_dict` is an older name of `feed`.
        """
        return self._executor.run(self._program, feed_dict if feed is None else feed, fetch_list, scope=self._scope,
                                  return_numpy=return_numpy)

    @property
    def device_count(self) -> int:
        """On how many devices it runs."""
        return len(self._program.devices_of(self._executor).places)

    def drop_local_exe_scopes(self) -> None:
        """Nothing: what a step computes and does not give is dropped when it ends."""
