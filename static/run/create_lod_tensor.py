"""LoDTensors of arrays and lists: `fluid.create_lod_tensor`, `paddle.base.create_lod_tensor`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.place import Place
from .lod_tensor import LoDTensor


def create_lod_tensor(data: Any, recursive_seq_lens: Sequence[Sequence[int]], place: Place | None = None) -> LoDTensor:
    """An LoDTensor of `data`, whose rows are sequences of these lengths, the outermost level first.

    `data`: an array, or an LoDTensor, which is copied; or a list of sequences, lists of numbers: each number is then a
    row of one. Raises ValueError for lengths that do not add up, or are not those of the lists; TypeError for
    something else.

    >>> import numpy as np, proa.fluid as fluid
    >>> fluid.create_lod_tensor(np.zeros([5, 3], "float32"), [[2, 3]], fluid.CPUPlace()).lod()
    [[0, 2, 5]]
    >>> fluid.create_lod_tensor([[1, 2], [3]], [[2, 1]], fluid.CPUPlace()).shape()
    [3, 1]
    """
    if isinstance(data, list):
        data = _rows(data, recursive_seq_lens)
    elif not isinstance(data, (np.ndarray, LoDTensor)):
        raise TypeError("create_lod_tensor(data): a list of sequences, an array or an LoDTensor. Received "
                        f"{type(data).__name__}.")
    made = LoDTensor()
    made.set(np.array(data), place)
    made.set_recursive_sequence_lengths(recursive_seq_lens)
    return made


def _rows(data: list[Any], lengths: Sequence[Sequence[int]]) -> np.ndarray:
    found = [len(sequence) for sequence in data]
    if [found] != [list(level) for level in lengths]:
        raise ValueError(f"create_lod_tensor(data, recursive_seq_lens): the lists have the lengths {[found]}. Received "
                         f"{list(lengths)}. For several levels give an array of the rows.")
    array = np.array([row for sequence in data for row in sequence])
    return array.reshape(*array.shape, 1)


def create_random_int_lodtensor(recursive_seq_lens: Sequence[Sequence[int]], base_shape: Sequence[int],
                                place: Place | None, low: int, high: int) -> LoDTensor:
    """An LoDTensor of int64 from `low` to `high`, both included, drawn by NumPy; `base_shape` is that of a row.

    >>> import proa.fluid as fluid
    >>> made = fluid.create_random_int_lodtensor([[2, 3]], [4], fluid.CPUPlace(), 0, 9)
    >>> made.shape(), made.lod()
    ([5, 4], [[0, 2, 5]])
    """
    if not isinstance(base_shape, (list, tuple)):
        raise TypeError(f"create_random_int_lodtensor(base_shape): a list of sizes. Received {base_shape!r}.")
    shape = [sum(recursive_seq_lens[-1]), *base_shape]
    return create_lod_tensor(np.random.randint(low, high + 1, shape).astype("int64"), recursive_seq_lens, place)



__all__ = ["create_lod_tensor", "create_random_int_lodtensor"]
