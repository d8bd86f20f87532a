"""`fluid.layers.utils`: nested structures, and arguments as lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...common_ops_import import convert_dtype
from ...ops.array.full import is_value
from ...static.building.argument_checks import check_dtype, check_type, check_variable_and_dtype
from ...utils.structures import assert_same_structure, flatten, is_sequence, map_structure, pack_sequence_as


def convert_to_list(value: Any, n: int, name: str, dtype: type = int) -> list[Any]:
    """n numbers, from one of them or from n; ValueError otherwise.

    >>> import proa.fluid as fluid
    >>> fluid.layers.utils.convert_to_list(3, 2, "filter_size")
    [3, 3]
    """
    if isinstance(value, dtype):
        return [value] * n
    try:
        found = list(value)
    except TypeError:
        raise ValueError(f"{name}: must be {dtype.__name__} or {n} of them. Received {value!r}.") from None
    if len(found) != n:
        raise ValueError(f"{name}: must be {dtype.__name__} or {n} of them. Received {value!r}.")
    for item in found:
        if not isinstance(item, dtype):
            raise ValueError(f"{name}: each must be of type {dtype.__name__}. Received {item!r}.")
    return found




def _contain_var(items: Sequence[Any]) -> bool:
    """Whether a value is among them."""
    return any(is_value(item) for item in items)


def _is_symmetric_padding(padding: Sequence[int], data_dim: int) -> bool:
    """Whether as much is put before each dimension as behind it."""
    return list(padding[:2 * data_dim:2]) == list(padding[1:2 * data_dim:2])


__all__ = ["assert_same_structure", "check_dtype", "check_type", "check_variable_and_dtype", "convert_dtype",
           "convert_to_list", "flatten", "is_sequence", "map_structure", "pack_sequence_as"]
