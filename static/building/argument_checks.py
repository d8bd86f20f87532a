"""Checks of arguments: check_type, check_dtype, check_shape…, with which users' code guards operators that it appends.

Nothing is checked in dynamic mode.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.dtype import convert_dtype
from ...ops.core.trace import current_trace
from ..ir.variable import Variable
from .mode import in_dynamic_mode


def check_type(input: Any, input_name: str, expected_type: Any, op_name: str, extra_message: str = "") -> None:
    """Raises TypeError where `input` is of another type than expected, while a Program is built."""
    if in_dynamic_mode() or isinstance(input, expected_type):
        return
    wanted = expected_type if isinstance(expected_type, tuple) else (expected_type,)
    raise TypeError(f"{op_name}({input_name}): must be {' or '.join(t.__name__ for t in wanted)}. "
                    f"Received {type(input).__name__}. {extra_message}".rstrip())


def check_dtype(input_dtype: Any, input_name: str, expected_dtype: Any, op_name: str, extra_message: str = "") -> None:
    """Raises TypeError where a dtype is none of those expected, by name, while a Program is built."""
    if in_dynamic_mode():
        return
    wanted = [expected_dtype] if isinstance(expected_dtype, str) else list(expected_dtype)
    found = convert_dtype(input_dtype).name
    if found not in wanted:
        raise TypeError(f"{op_name}({input_name}): its dtype must be {' or '.join(wanted)}. "
                        f"Received {found}. {extra_message}".rstrip())


def check_variable_and_dtype(input: Any, input_name: str, expected_dtype: Any, op_name: str,
                             extra_message: str = "") -> None:
    """Raises TypeError where `input` is no Variable, or of another dtype than expected, while a Program is built.

    >>> import proa as paddle
    >>> paddle.common_ops_import.check_variable_and_dtype(paddle.ones([1]), "x", ["int64"], "f")  # dynamic mode
    """
    check_type(input, input_name, Variable, op_name, extra_message)
    if not in_dynamic_mode():
        check_dtype(input.dtype, input_name, expected_dtype, op_name, extra_message)


def check_shape(shape: Any, op_name: str, expected_shape_type: Any = (list, tuple, Variable),
                expected_element_type: Any = (int, Variable),
                expected_tensor_dtype: Any = ("int32", "int64")) -> None:
    """Raises TypeError unless `shape`, an argument of `op_name`, and its elements have the types expected.

    In eager mode nothing is checked.

    >>> import proa as paddle
    >>> paddle.check_shape([2, 3], "zeros")
    """
    if current_trace().computes:
        return
    _check_type(shape, "shape", expected_shape_type, op_name)
    if isinstance(shape, Variable):
        _check_dtype(shape, "shape", expected_tensor_dtype, op_name)
        return
    for item in shape if expected_element_type is not None else ():
        _check_type(int(item) if isinstance(item, np.integer) else item, "element of shape", expected_element_type,
                    op_name)
        if isinstance(item, Variable):
            _check_dtype(item, "element of shape", expected_tensor_dtype, op_name)


def _check_type(value: Any, name: str, expected: Any, op_name: str) -> None:
    if not isinstance(value, expected):
        raise TypeError(f"{op_name}({name}): must be of type {expected}. Received {type(value).__name__}.")


def _check_dtype(value: Variable, name: str, expected: Any, op_name: str) -> None:
    if expected is not None and value.dtype.name not in expected:
        raise TypeError(f"{op_name}({name}): must have dtype {' or '.join(expected)}. Received {value.dtype.name}.")
