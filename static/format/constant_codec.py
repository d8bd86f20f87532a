"""Constants in operators: files keep the values of `assign_value` and `set_value` in one attribute an element type.

Here they are one attribute `values`: an array for `assign_value`, a list of numbers for `set_value`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import backend
from ...core.dtype import DType
from .attributes import DoubleList, FloatList, IntList, LongList, ScalarList

CONSTANTS = frozenset(("assign_value", "set_value"))

_FIELDS: dict[str, type] = {
    "bool_values": IntList, "fp32_values": FloatList, "fp64_values": DoubleList, "int32_values": IntList,
    "int64_values": LongList,
}
_FIELD_OF = {
    "bool": "bool_values", "uint8": "int32_values", "int8": "int32_values", "int16": "int32_values",
    "int32": "int32_values", "int64": "int64_values", "float16": "fp32_values", "bfloat16": "fp32_values",
    "float32": "fp32_values",
    "float64": "fp64_values",
}
_SOURCES = ("values", *_FIELDS, "fp16_values")  # the last of set_value before Paddle 2.5


def write_values(op_type: str, attrs: dict[str, Any]) -> dict[str, Any]:
    """The attributes as files have them."""
    rest = {name: value for name, value in attrs.items() if name != "values"}
    values = attrs.get("values")
    if op_type == "set_value":
        return rest | {"values": ScalarList(_numbers(values))}
    dtype = attrs["dtype"]
    field = _FIELD_OF.get(dtype.name)
    empty = {name: mark() for name, mark in _FIELDS.items()}
    if field is None:
        return rest | empty | {"values": ScalarList(_numbers(values))}
    plain = _numbers(np.asarray(backend.to_numpy(values) if backend.is_array(values) else values, dtype.dtype))
    return rest | empty | {field: _FIELDS[field](map(int, plain) if field == "bool_values" else plain)}


def _numbers(values: Any) -> list[Any]:
    if values is None:
        return []
    array = backend.to_numpy(values) if backend.is_array(values) else np.asarray(values)
    if array.dtype.name == "bfloat16":
        array = array.astype(np.float32)
    return array.reshape(-1).tolist()


def read_values(op_type: str, attrs: dict[str, Any]) -> dict[str, Any]:
    """The attributes as operators take them; ValueError when there are not as many values as the shape has."""
    rest = {name: value for name, value in attrs.items() if name not in _SOURCES}
    found = [value for name in _SOURCES if (value := attrs.get(name))]
    if not all(isinstance(value, list) for value in found):
        raise ValueError("the values should be a list")
    values = list(found[0]) if found else []
    if op_type == "set_value":
        return rest | {"values": values}
    return rest | {"values": _constant(values, attrs.get("shape"), attrs.get("dtype"))}


def _constant(values: list[Any], shape: Any, dtype: Any) -> np.ndarray:
    if not isinstance(dtype, DType) or not isinstance(shape, list):
        raise ValueError("a constant needs the attributes shape and dtype")
    count = 1
    for size in shape:
        count *= size
    if count != len(values) or any(size < 0 for size in shape):
        raise ValueError(f"a constant of shape {shape} does not have {len(values)} values")
    return np.asarray(values).astype(dtype.dtype).reshape(shape)
