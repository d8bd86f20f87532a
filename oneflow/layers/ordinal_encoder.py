"""Categories numbered in the order in which they come, by a table that outlives a call."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.dtype import convert_dtype
from ...ops.array.creation import assign
from ...ops.core.spec import Spec
from ...ops.core.trace import apply
from ...ops.program.py_func import py_func_op, register
from ..initializers import constant_initializer
from .parameters import layer_name, layer_variable


def _encoded(hashes: np.ndarray, table: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The numbers of hashes, the table (keys and values, one behind the other) and how many it holds, afterwards.

    A key stands in the place of its remainder, or in the next that is free. The key 0 marks a free place, so the hash 0
    has the number 0.
    """
    table, count, capacity = table.copy(), int(size[0]), len(table) // 2
    keys, values = table[::2], table[1::2]
    taken = np.nonzero(keys)[0]
    known = dict(zip(keys[taken].tolist(), values[taken].tolist(), strict=True))
    known[0] = 0
    for key in dict.fromkeys(hashes.ravel().tolist()):
        if key in known:
            continue
        if len(known) > capacity:
            raise ValueError(f"categorical_ordinal_encode(table): its {capacity} places are taken. Give a larger "
                             "capacity, some times the number of categories.")
        place = (key % 2 ** 64) % capacity
        while keys[place]:
            place = (place + 1) % capacity
        count += 1
        keys[place], values[place], known[key] = key, count, count
    numbers = np.array([known[key] for key in hashes.ravel().tolist()], hashes.dtype).reshape(hashes.shape)
    return numbers, table, np.array([count], size.dtype)


def _check(input_tensor: Any, hash_precomputed: bool) -> None:
    if hash_precomputed is not True:
        raise NotImplementedError("categorical_ordinal_encode(hash_precomputed): the input must be hashes already, as "
                                  "in OneFlow. Hash it in Python and feed the hashes.")
    if not input_tensor.dtype.is_integer:
        raise TypeError("categorical_ordinal_encode(input_tensor): must be hashes, int32 or int64. Received "
                        f"{input_tensor.dtype.name}.")


def categorical_ordinal_encode(table: Any, size: Any, input_tensor: Any, hash_precomputed: bool = True,
                               name: str | None = None) -> Any:
    """The numbers of hashes (int32 or int64, of any shape), from 1 on in the order in which they first came.

    `table` [2 * capacity] and `size` [1], which are variables, remember them; the hash 0 has the number 0. ValueError
    when the table is full. This runs in Python, on the host.
    """
    _check(input_tensor, hash_precomputed)
    if table.dtype is not input_tensor.dtype:
        raise TypeError("categorical_ordinal_encode(table): must have the input's dtype. Received "
                        f"{table.dtype.name} and {input_tensor.dtype.name}.")
    values = (input_tensor, table, size)
    specs = [Spec(tuple(value.shape), convert_dtype(value.dtype)) for value in values]
    numbers, keys, count = apply(py_func_op, list(values), forward_callable_id=register(_encoded, specs))
    assign(keys, table)
    assign(count, size)
    return numbers


def categorical_ordinal_encoder(input_tensor: Any, capacity: int, hash_precomputed: bool = True,
                                name: str | None = "CategoricalOrdinalEncoder") -> Any:
    """`categorical_ordinal_encode` with the variables NAME-Table, which has place for `capacity` hashes, and NAME-Size.

    >>> import numpy as np
    >>> import proa.oneflow as flow, proa.oneflow.typing as tp
    >>> @flow.global_function()
    ... def job(x: tp.Numpy.Placeholder((3,), dtype=flow.int64)) -> tp.Numpy:
    ...     return flow.layers.categorical_ordinal_encoder(x, capacity=16)
    >>> job(np.array([70, -5, 70])).tolist(), job(np.array([8, -5, 9])).tolist()
    ([1, 2, 1], [3, 2, 4])
    """
    _check(input_tensor, hash_precomputed)
    name = layer_name(name, "CategoricalOrdinalEncoder")
    variable = {"dtype": input_tensor.dtype, "trainable": False, "initializer": constant_initializer(0)}
    table = layer_variable(name, "Table", shape=(capacity * 2,), **variable)
    size = layer_variable(name, "Size", shape=(1,), **variable)
    return categorical_ordinal_encode(table, size, input_tensor, hash_precomputed)
