"""`fluid.executor`: what runs Programs, and scopes."""

from __future__ import annotations

from typing import Any

from ..backend.one_number import as_number
from ..base.executor import _fetch_var, as_numpy  # noqa: F401 - code for 1.x asks for it here
from ..core.lazy import listed
from ..static.run.executor import Executor as StaticExecutor
from ..static.run.from_dataset import FetchHandler
from ..static.run.scope import Scope, global_scope, scope_guard
from ..static.run.scope import switch_scope as _switch_scope  # noqa: F401 - code for 1.x asks for it here
from .later_names import later


class Executor(StaticExecutor):
    """Runs Programs at a place.

    >>> import numpy, proa.fluid as fluid
    >>> main = fluid.Program()
    >>> with fluid.program_guard(main):
    ...     loss = fluid.layers.mean(fluid.data("x", [None]))
    >>> cost, = fluid.Executor(fluid.CPUPlace()).run(main, feed={"x": numpy.ones(3, "float32")}, fetch_list=[loss])
    >>> cost, float(cost)
    (array([1.], dtype=float32), 1.0)
    """

    def run(self, program: Any = None, feed: Any = None, fetch_list: Any = None, feed_var_name: str = "feed",
            fetch_var_name: str = "fetch", scope: Scope | None = None, return_numpy: bool = True,
            use_program_cache: bool = False, return_merged: bool = True, use_prune: bool = False) -> list[Any]:
        """As `paddle.static.Executor.run`; fetched arrays of one element are numbers to Python, as NumPy 1 had them."""
        found = super().run(program, feed, fetch_list, feed_var_name, fetch_var_name, scope, return_numpy,
                            use_program_cache, return_merged, use_prune)
        return [as_number(value) for value in found]

    def close(self) -> None:
        """Ends this Executor's work, and tells parameter servers that the trainer of this process is done."""
        from ..distributed.ps import engine

        super().close()
        engine.complete()


__all__ = ["Executor", "FetchHandler", "as_numpy", "global_scope", "scope_guard"]
__dir__ = listed(__name__)
__getattr__ = later(__name__)
