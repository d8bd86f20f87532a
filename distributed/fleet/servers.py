"""Servers: what fleet asks of training with parameter servers; who makes it, the transpiler, stands above (`fluid`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ...core.lazy import require
from .base.role_maker import RoleMakerBase

__all__ = ["Servers", "servers_for"]


class Servers:
    """The servers and workers of a job, of which this process is one. A subclass says how."""

    made_by: ClassVar[Callable[[RoleMakerBase], Servers] | None] = None

    def minimize(self, optimizer: Any, strategy: Any, loss: Any, startup_program: Any, parameter_list: Any,
                 no_grad_set: Any) -> Any:
        """Appends the backward pass and the updates, and divides the Program among servers and workers."""
        raise NotImplementedError(type(self).__name__)

    def init_server(self, dirname: str | None = None, var_names: Any = None) -> None:
        """Gives a server's parameters their first values, or those of a folder."""
        raise NotImplementedError(type(self).__name__)

    def run_server(self) -> None:
        """Serves until all workers are done."""
        raise NotImplementedError(type(self).__name__)

    def init_worker(self) -> None:
        """Lets the worker exchange with the servers and with other workers."""
        raise NotImplementedError(type(self).__name__)

    def stop_worker(self) -> None:
        """Says that this worker is done."""
        raise NotImplementedError(type(self).__name__)

    def shrink(self, threshold: int | None = None) -> None:
        """Has servers remove the rows of tables that rest."""
        raise NotImplementedError(type(self).__name__)

    def save_persistables(self, executor: Any, dirname: str, main_program: Any = None) -> None:
        """Writes all values that are kept between runs, those of servers among them."""
        raise NotImplementedError(type(self).__name__)

    def save_inference_model(self, executor: Any, dirname: str, feeded_var_names: Any, target_vars: Any,
                             main_program: Any = None, export_for_deployment: bool = True) -> None:
        """Writes a model for inference."""
        raise NotImplementedError(type(self).__name__)


def servers_for(role: RoleMakerBase) -> Servers:
    """The servers of the job that a role maker tells of."""
    require("parameter servers")
    assert Servers.made_by is not None
    return Servers.made_by(role)
