"""The fleet of processes that train one Program together, as one of them sees it."""

from __future__ import annotations

import warnings
from typing import Any

from .....distributed.fs_wrapper import LocalFS
from .....distributed.initialization import connect_launched
from .... import io
from ....executor import Executor
from ....framework import Program
from ..base.fleet_base import Fleet, Mode
from ..base.role_maker import RoleMakerBase
from . import checkpoints
from .checkpoints import TrainStatus
from .optimizer import CollectiveOptimizer
from .programs import prepared


class Collective(Fleet):
    """The processes that a launcher has started, each with its part of the data and a whole copy of the parameters.

    `init` connects them. `distributed_optimizer(optimizer, strategy).minimize(loss)` makes `main_program`, which an
    Executor runs: there gradients are the means of those of all processes.
    """

    def __init__(self) -> None:
        super().__init__(Mode.COLLECTIVE)

    @property
    def startup_program(self) -> Any:
        """The Program that gives values to begin with, which connects the processes."""
        return prepared.startup_program

    @property
    def main_program(self) -> Any:
        """What an Executor runs, once `minimize` has made it."""
        return prepared.main_program

    @property
    def _origin_program(self) -> Any:
        return prepared.origin

    @property
    def _transpiled_program(self) -> Any:
        return prepared.transpiled

    def init(self, role_maker: RoleMakerBase | None = None) -> None:
        """Finds out which process this one is, and connects all that a launcher has started."""
        super().init(role_maker)
        connect_launched()

    def init_worker(self) -> None:
        """Nothing, with a warning: there are no servers to wait for."""
        _warn("init_worker")

    def run_worker(self, main_programs: Any = None, scopes: Any = None) -> None:
        """Nothing, with a warning: an Executor runs `main_program`."""
        _warn("run_worker")

    def init_server(self, model_dir: str | None = None) -> None:
        """Nothing, with a warning: there are no servers."""
        _warn("init_server")

    def run_server(self) -> None:
        """Nothing, with a warning: there are no servers."""
        _warn("run_server")

    def stop_worker(self) -> None:
        """Nothing, with a warning: processes end when their scripts do."""
        _warn("stop_worker")

    def distributed_optimizer(self, optimizer: Any, strategy: Any = None) -> Any:
        """An optimizer whose `minimize` prepares the Program for all processes; see `CollectiveOptimizer`."""
        self._optimizer = CollectiveOptimizer(optimizer, strategy)
        return self._optimizer

    def save_inference_model(self, executor: Any, dirname: str, feeded_var_names: Any = None, target_vars: Any = None,
                             main_program: Any = None, export_for_deployment: bool = True) -> None:
        """Writes a model for inference, as `fluid.io.save_inference_model`; one process is enough."""
        io.save_inference_model(dirname, feeded_var_names, target_vars, _executor(executor, "save_inference_model"),
                                self._program(main_program, "save_inference_model"), None, None, export_for_deployment)

    def save_persistables(self, executor: Any, dirname: str, main_program: Any = None,
                          filename: str | None = None) -> None:
        """Writes all values that are kept between runs; one process is enough, and any number may load them."""
        io.save_persistables(_executor(executor, "save_persistables"), dirname,
                             self._program(main_program, "save_persistables"), filename=filename)

    def save_checkpoint(self, executor: Any, path: str, train_status: TrainStatus, main_program: Any = None,
                        fs: Any = None, local_cache_path: str = ".cache", remain_all_checkpoint: bool = True) -> int:
        """Writes a checkpoint, a folder with a number: the values of the Program and `train_status`. Gives the number.

        One process does it: `if fleet.is_first_worker()`. Without `remain_all_checkpoint` older ones are removed. `fs`:
        the file system of the path; without one this machine's.
        """
        files = fs or LocalFS()
        program = self._transpiled_program if main_program is None else main_program
        number = checkpoints.save(_executor(executor, "save_checkpoint"), path, train_status,
                                  self._program(program, "save_checkpoint"), files, local_cache_path)
        if not remain_all_checkpoint:
            self.clean_redundant_check_points(path, files)
        return number

    def load_checkpoint(self, executor: Any, path: str, trainer_id: int, main_program: Any = None, fs: Any = None,
                        local_cache_path: str = ".cache", ignore_empty: bool = True) -> TrainStatus | None:
        """Reads the last checkpoint of a folder, in each process, and gives how far it came; None where there is none.

        Without `ignore_empty` that is a ValueError. There may be more or fewer processes than when it was written.
        """
        program = self._transpiled_program if main_program is None else main_program
        found = checkpoints.load(_executor(executor, "load_checkpoint"), path, trainer_id,
                                 self._program(program, "load_checkpoint"), fs or LocalFS(), local_cache_path)
        if found is None and not ignore_empty:
            raise ValueError(f"load_checkpoint(path): {path} has no checkpoint. Call save_checkpoint, or leave "
                             "ignore_empty=True to begin anew.")
        return found

    def clean_redundant_check_points(self, root_path: str, fs: Any = None, checkpoint_num: int = 1) -> None:
        """Removes all checkpoints but the last `checkpoint_num`."""
        checkpoints.remove_older(root_path, fs or LocalFS(), checkpoint_num)

    save_check_point, load_check_point = save_checkpoint, load_checkpoint

    def _program(self, given: Any, method: str) -> Program:
        program = self._origin_program if given is None else given
        if not isinstance(program, Program):
            raise TypeError(f"fleet.{method}(main_program): must be a Program. Received {type(program).__name__}. "
                            "distributed_optimizer(…).minimize(loss) makes it known, or give one.")
        return program


def _executor(given: Any, method: str) -> Any:
    if not isinstance(given, Executor):
        raise TypeError(f"fleet.{method}(executor): must be a fluid.Executor. Received {type(given).__name__}.")
    return given


def _warn(method: str) -> None:
    warnings.warn(f"fleet.{method}() does nothing: processes that exchange gradients with each other have no servers. "
                  "Leave it out.", stacklevel=3)


fleet = Collective()
