"""Checks of arguments by which code of users guards operators that it appends; nothing is checked in dynamic mode."""

from __future__ import annotations

from typing import Any

from ...core.dtype import convert_dtype
from ..ir.program import Variable
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
