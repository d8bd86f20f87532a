"""`paddle.tensor`: the functions on tensors by an older path, and lists of tensors (`create_array`, …).

Any function of `paddle`, `paddle.linalg` or `paddle.signal` is found here too, and the forms in place (`exp_`). So it
is in `paddle.tensor.math`, `.manipulation` and the others by which packages reach single functions.
"""

from __future__ import annotations

import importlib
import importlib.util
import types
from collections.abc import Sequence
from typing import Any

from ..core.absent import refusal
from ..core.module_files import module_of
from ..ops.array.creation import assign
from ..ops.array.full import full, is_value
from ..ops.array.full import zeros as _zeros
from ..ops.core.trace import apply, current_trace
from ..ops.program.tensor_arrays import length_op
from ..static.building.tensor_arrays import ArrayVariable
from ..static.building.tensor_arrays import create_array as _program_array

__all__ = ["array_length", "array_read", "array_write", "create_array", "create_tensor", "fill_constant"]


def fill_constant(shape: Any, dtype: Any, value: Any, force_cpu: bool = False, out: Any = None,
                  name: str | None = None) -> Any:
    """A tensor of a shape, filled with a number: `paddle.full`. `out`, when given, gets the value and is returned.

    >>> import proa as paddle
    >>> paddle.tensor.fill_constant([2], "int64", 3).tolist()
    [3, 3]
    """
    result = full(shape, float(value) if isinstance(value, str) else value, dtype)
    return result if out is None else assign(result, out)


def create_tensor(dtype: Any, name: str | None = None, persistable: bool = False) -> Any:
    """A tensor without elements yet, to be assigned to; in a Program a variable of its current block."""
    trace = current_trace()
    if trace.computes:
        return _zeros([0], dtype)
    block: Any = trace.block
    return block.new_var(name, (), dtype, persistable=persistable)


def create_array(dtype: Any, initialized_list: Sequence[Any] | None = None) -> Any:
    """A list of tensors: a Python list in eager mode, a list of the Program while one is being built.

    >>> import proa as paddle
    >>> array = paddle.tensor.create_array("float32")
    >>> array = paddle.tensor.array_write(paddle.ones([2]), paddle.to_tensor(0), array)
    >>> paddle.tensor.array_length(array), paddle.tensor.array_read(array, paddle.to_tensor(0)).tolist()
    (1, [1.0, 1.0])
    """
    for value in initialized_list or ():
        if not is_value(value):
            raise TypeError(f"create_array(initialized_list): must hold tensors. Received {type(value).__name__}.")
    if current_trace().computes:
        return list(initialized_list or ())
    return _program_array(None, initialized_list)  # what is appended first says what the items are


def _is_list(what: str, array: Any) -> bool:
    if isinstance(array, list):
        return True
    if not isinstance(array, ArrayVariable):
        raise TypeError(f"{what}(array): must be what create_array gave. Received {type(array).__name__}.")
    return False


def array_write(x: Any, i: Any, array: Any = None) -> Any:
    """Sets the item at index `i`, or appends where that is the length, and gives the list (a new one for None).

    Raises IndexError for an index behind the end of a Python list.
    """
    array = create_array(x.dtype) if array is None else array
    if not _is_list("array_write", array):
        array[i] = x
        return array
    index = int(i)
    if index > len(array):
        raise IndexError(f"array_write(i): must be at most {len(array)}, the list's length. Received {index}.")
    array[index:index + 1] = [x]
    return array


def array_read(array: Any, i: Any) -> Any:
    """The item at an index."""
    return array[int(i)] if _is_list("array_read", array) else array[i]


def array_length(array: Any) -> Any:
    """The number of items: an int, or an int64 vector of one element in a Program."""
    return len(array) if _is_list("array_length", array) else apply(length_op, array)


_MODULES = ("attribute", "creation", "linalg", "logic", "manipulation", "math", "ops", "random", "search", "stat")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if not name.startswith("_"):
        for place in _PLACES:
            found = getattr(importlib.import_module(place), name, None) if _exists(place) else None
            if isinstance(found, types.FunctionType):
                return found
    module = module_of(__name__, name)
    if module is None:
        raise refusal(__name__, name)
    return module


_ROOT = __name__.removesuffix(".tensor")
_PLACES = [f"{_ROOT}{part}" for part in ("", ".linalg", ".nn.functional", ".utils.signal", ".ops.in_place")]


def _exists(place: str) -> bool:
    return importlib.util.find_spec(place) is not None
