"""The dtype of floats that are given none."""

from __future__ import annotations

from typing import Any

from ..core.dtype import DType, convert_dtype, get_default_dtype_object
from ..core.dtype import set_default_dtype as _set
from .dtypes import to_dtype


def get_default_dtype() -> DType:
    """The dtype of floats that are given none.

    >>> import proa.oneflow as flow
    >>> flow.get_default_dtype().name
    'float32'
    """
    return convert_dtype(get_default_dtype_object())


def set_default_dtype(dtype: Any) -> None:
    """Sets the dtype of floats that are given none; Paddle's face has the same one."""
    _set(to_dtype("set_default_dtype(dtype)", dtype))
