"""Element types under OneFlow's names: `flow.float`, `flow.int32`, …; they are proa's own."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.dtype import (
    DType,
    bfloat16,
    bool_,
    complex64,
    complex128,
    convert_dtype,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)

dtype = DType
half = float16
float_ = float32
double = float64
int_ = int32
long = int64
char = int8


def dtypes() -> list[DType]:
    """The element types that a tensor can have.

    >>> import proa.oneflow as flow
    >>> flow.float32 in flow.dtypes()
    True
    """
    return [bool_, char, float16, float32, float64, int8, int16, int32, int64, uint8, bfloat16, complex64, complex128]


def convert_oneflow_dtype_to_numpy_dtype(oneflow_dtype: Any) -> np.dtype:
    """NumPy's dtype for an element type.

    >>> import proa.oneflow as flow
    >>> flow.convert_oneflow_dtype_to_numpy_dtype(flow.int32)
    dtype('int32')
    """
    return to_dtype("convert_oneflow_dtype_to_numpy_dtype(oneflow_dtype)", oneflow_dtype).dtype


def to_dtype(what: str, value: Any) -> DType:
    """The element type that an argument means; TypeError, naming the argument, for what is none."""
    if isinstance(value, DType):
        return value
    if value is float or value == "float":  # 64 bits for Python and for Paddle; flow.float has 32
        return float32
    if value is int or value == "int":
        return int32
    try:
        return convert_dtype(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{what}: must be an element type such as flow.float32. Received {value!r}.") from error
