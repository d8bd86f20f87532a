"""What Paddle's fleet does by libraries that are not here: each method says so."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["Refused"]


def _refuse(method: str, what: str, instead: str) -> NoReturn:
    raise NotImplementedError(f"fleet.{method}: {what}. {instead}.")


class Refused:
    """The methods, each of which raises NotImplementedError."""

    def init_coordinator(self, scopes: Any = None) -> NoReturn:
        """Raises NotImplementedError: federated learning is not supported."""
        _refuse("init_coordinator", "federated learning is not supported", "Every process is a worker or a server")

    def make_fl_strategy(self) -> NoReturn:
        """Raises NotImplementedError: federated learning is not supported."""
        _refuse("make_fl_strategy", "federated learning is not supported", "Every process is a worker or a server")

    def get_fl_client(self) -> NoReturn:
        """Raises NotImplementedError: federated learning is not supported."""
        _refuse("get_fl_client", "federated learning is not supported", "Every process is a worker or a server")

    def load_inference_model(self, path: str, mode: int) -> NoReturn:
        """Raises NotImplementedError: servers load when they begin."""
        _refuse("load_inference_model", "servers load when they begin", "Call fleet.init_server(path) in servers")

    def load_model(self, path: str, mode: int) -> NoReturn:
        """Raises NotImplementedError: servers load when they begin."""
        _refuse("load_model", "servers load when they begin", "Call fleet.init_server(path) in servers")

    def load_one_table(self, table_id: int, path: str, mode: int) -> NoReturn:
        """Raises NotImplementedError: servers load when they begin."""
        _refuse("load_one_table", "servers load when they begin", "Call fleet.init_server(path) in servers")

    def save_one_table(self, table_id: int, path: str, mode: int) -> NoReturn:
        """Raises NotImplementedError: tables have names, not numbers, and are saved together."""
        _refuse("save_one_table", "tables are saved together", "Call fleet.save_persistables(exe, dirname)")

    def save_dense_params(self, executor: Any, dirname: str, scope: Any, program: Any,
                          var_names: Any = None) -> NoReturn:
        """Raises NotImplementedError: a worker's own values are saved by paddle.static."""
        _refuse("save_dense_params", "a worker's own values are saved by paddle.static",
                "Call paddle.static.save_vars(executor, dirname, program, vars)")

    def save_cache_model(self, dirname: str, **configs: Any) -> NoReturn:
        """Raises NotImplementedError: rows are not cached by how often they come."""
        _refuse("save_cache_model", "rows are not cached by how often they come",
                "Call fleet.save_persistables(exe, dirname)")

    def save_cache_table(self, table_id: int, pass_id: int, mem_cache_key_threshold: int = 4000000000) -> NoReturn:
        """Raises NotImplementedError: rows are not cached by how often they come."""
        _refuse("save_cache_table", "rows are not cached by how often they come",
                "Call fleet.save_persistables(exe, dirname)")

    def check_save_pre_patch_done(self) -> NoReturn:
        """Raises NotImplementedError: models are not saved as patches."""
        _refuse("check_save_pre_patch_done", "models are not saved as patches",
                "fleet.save_persistables returns when all is saved")

    def collective_perf(self, comm_type: str, round: int = 50, size_and_time: Any = None) -> NoReturn:
        """Raises NotImplementedError: exchanges are not measured by fleet."""
        _refuse("collective_perf", "exchanges are not measured by fleet",
                "Run python -m benchmarks of the repository, which measures them")
