"""`paddle.base.executor`: what runs Programs, and scopes, by the path of older code."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..static.building.mode import default_main_program, default_startup_program
from ..static.ir.operation import Operation as Operator
from ..static.ir.variable import Variable
from ..static.program import Program
from ..static.run.executor import Executor
from ..static.run.from_dataset import FetchHandler
from ..static.run.scope import global_scope, scope_guard


def as_numpy(tensor: Any, copy: bool = False) -> Any:
    """What was fetched with `return_numpy=False` as an array, or a list of arrays.

    >>> import numpy, proa as paddle
    >>> from proa.base.executor import as_numpy
    >>> as_numpy([numpy.ones(2)])[0].tolist()
    [1.0, 1.0]
    """
    return [as_numpy(item) for item in tensor] if isinstance(tensor, (list, tuple)) else np.array(tensor)


__all__ = ["Executor", "FetchHandler", "Operator", "Program", "Variable", "as_numpy", "default_main_program",
           "default_startup_program", "global_scope", "scope_guard"]
