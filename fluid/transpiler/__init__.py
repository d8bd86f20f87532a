"""`fluid.transpiler`: Programs made from Programs, those of trainers and servers among them."""

from __future__ import annotations

from typing import Any

from ...core.lazy import listed
from .distribute_transpiler import DistributeTranspiler, DistributeTranspilerConfig
from .geo_sgd_transpiler import GeoSgdTranspiler
from .ps_dispatcher import HashName, RoundRobin


def memory_optimize(input_program: Any, skip_opt_set: Any = None, print_log: bool = False, level: int = 0,
                    skip_grads: bool = True) -> None:
    """Changes nothing, as in Paddle since 1.6: memory is freed after the last use of each value.

    >>> import proa.fluid as fluid
    >>> fluid.memory_optimize(fluid.default_main_program())
    """


def release_memory(input_program: Any, skip_opt_set: Any = None) -> None:
    """Changes nothing, as `memory_optimize`."""


__all__ = ["DistributeTranspiler", "DistributeTranspilerConfig", "GeoSgdTranspiler", "HashName", "RoundRobin",
           "memory_optimize", "release_memory"]
__dir__ = listed(__name__)
