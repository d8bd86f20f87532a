"""What older code checks its arguments with: `check_shape`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ops.core.trace import current_trace
from ..ir.program import Variable


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
