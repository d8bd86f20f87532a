"""`paddle.base.executor`: what runs Programs, and scopes, by the path of older code."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.dtype import convert_dtype
from ..core.errors import WrongKindError
from ..core.place import Place
from ..static.building.mode import default_main_program, default_startup_program
from ..static.ir.operation import Operation as Operator
from ..static.ir.variable import Variable
from ..static.program import Program
from ..static.run.executor import Executor
from ..static.run.from_dataset import FetchHandler
from ..static.run.lod_tensor import LoDTensor
from ..static.run.scope import Scope, global_scope, scope_guard


def as_numpy(tensor: Any, copy: bool = False) -> Any:
    """What was fetched with `return_numpy=False` as an array, or a list of arrays.

    >>> import numpy, proa as paddle
    >>> from proa.base.executor import as_numpy
    >>> as_numpy([numpy.ones(2)])[0].tolist()
    [1.0, 1.0]
    """
    return [as_numpy(item) for item in tensor] if isinstance(tensor, (list, tuple)) else np.array(tensor)


def _as_lodtensor(data: Any, place: Place, dtype: Any = None) -> LoDTensor:
    """An array, or a list or number in this dtype, as a LoDTensor; TypeError for a list without a dtype."""
    if isinstance(data, (list, tuple)) or np.isscalar(data):
        if dtype is None:
            raise WrongKindError("_as_lodtensor(data, place, dtype): a list or number needs a dtype. Received None.")
        data = np.array(data, convert_dtype(dtype).dtype)
    elif not isinstance(data, (np.ndarray, LoDTensor)):
        raise TypeError(f"_as_lodtensor(data): must be an array, a list or a number. Received {data!r}.")
    tensor = LoDTensor()
    tensor.set(data, place)
    return tensor


def _to_name_str(var: Any) -> str:
    """The name of a variable; a name as it is. TypeError for anything else."""
    if not isinstance(var, str) and not hasattr(var, "name"):
        raise TypeError(f"_to_name_str(var): must be a Variable or a name. Received {var!r}.")
    return var if isinstance(var, str) else var.name


def _fetch_var(name: str, scope: Scope | None = None, return_numpy: bool = True) -> Any:
    """The value that a scope holds under a name; ValueError where it holds none."""
    found = (scope or global_scope()).find_var(name)
    if found is None or found.array is None:
        raise ValueError(f"_fetch_var(name): the scope holds no value of {name!r}. Only persistable variables are kept "
                         "behind a run; fetch others.")
    return as_numpy(found.get_tensor()) if return_numpy else found.get_tensor()


__all__ = ["Executor", "FetchHandler", "Operator", "Program", "Variable", "as_numpy", "default_main_program",
           "default_startup_program", "global_scope", "scope_guard"]
