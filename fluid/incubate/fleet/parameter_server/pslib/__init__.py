"""`parameter_server.pslib`: servers of Baidu's library PSLib, which is closed. Everything here says so, and what does
the same: the servers that the transpiler makes."""

from __future__ import annotations

from typing import Any, NoReturn

from ...base.fleet_base import DistributedOptimizer, Fleet, Mode

__all__ = ["FLEET_GLOBAL_DICT", "DownpourOptimizer", "PSLib", "fleet", "fleet_embedding"]

FLEET_GLOBAL_DICT: dict[str, Any] = {"enable": False, "emb_to_table": {}, "emb_to_accessor": {}, "emb_to_size": {}}


def refuse(what: str) -> NoReturn:
    """Raises NotImplementedError in the name of what was asked for."""
    raise NotImplementedError(
        f"{what}: PSLib is a library of Baidu's that is not published. Use `from "
        "paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet`, with "
        "fluid.layers.embedding(is_sparse=True, is_distributed=True) for tables that live on servers alone.")


class PSLib(Fleet):
    """Raises NotImplementedError when it is begun, `init`: PSLib is not published."""

    def __init__(self) -> None:
        super().__init__(Mode.PSLIB)

    def init(self, role_maker: Any = None) -> None:
        """Raises NotImplementedError."""
        refuse("pslib.fleet.init")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *arguments, **named: refuse(f"pslib.fleet.{name}")

    def _refusal(self, method: str) -> NotImplementedError:
        refuse(f"pslib.fleet.{method}")


class DownpourOptimizer(DistributedOptimizer):
    """Raises NotImplementedError: it is for PSLib, which is not published."""

    def __init__(self, optimizer: Any, strategy: Any = None):
        refuse("pslib.DownpourOptimizer")


class fleet_embedding:
    """Raises NotImplementedError: it is for PSLib, which is not published."""

    def __init__(self, click_name: str, scale_sparse_grad: bool = True):
        refuse("pslib.fleet_embedding")


fleet = PSLib()
