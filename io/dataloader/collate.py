"""From samples to a batch, and from the batch's arrays to Tensors and back.

A collate function runs where the samples are read, which may be a worker process: it makes NumPy arrays.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...core.dtype import from_numpy_dtype
from ...core.place import Place
from ...dygraph.eager import EAGER, EagerTrace
from ...ops.array.full import is_value
from ...ops.core.trace import current_trace

_TEXT = (str, bytes, bytearray)
_NO_TENSOR_KINDS = "OUSMm"  # objects, text and dates stay NumPy arrays


_allocate: list[Callable[[tuple[int, ...], Any], np.ndarray]] = [np.empty]  # exchanged in a worker


def allocate_by(allocate: Callable[[tuple[int, ...], Any], np.ndarray]) -> None:
    """Lets `allocate(shape, dtype)` make the arrays of batches in this process, which must be a worker's."""
    _allocate[0] = allocate


def _stack(arrays: list[np.ndarray]) -> np.ndarray:
    first = arrays[0]
    if first.ndim and all(array.shape == first.shape and array.dtype == first.dtype for array in arrays):
        stacked = _allocate[0]((len(arrays), *first.shape), first.dtype)
        for number, array in enumerate(arrays):
            stacked[number] = array
        return stacked
    try:
        return np.stack(arrays)
    except ValueError as error:
        shapes = sorted({tuple(array.shape) for array in arrays})
        raise ValueError(
            f"default_collate_fn: the arrays of a batch must have one shape. Received the shapes {shapes}. "
            "Pad or resize them in the dataset, or pass a collate_fn of your own to the DataLoader."
        ) from error


def _collate_mappings(batch: list[Any]) -> dict[Any, Any]:
    keys = set(batch[0])
    for sample in batch:
        if set(sample) != keys:
            raise KeyError(
                f"default_collate_fn: the dicts of a batch must have the same keys. Received {sorted(map(str, keys))} "
                f"and {sorted(map(str, sample))}."
            )
    return {key: default_collate_fn([sample[key] for sample in batch]) for key in batch[0]}


def _collate_sequences(batch: list[Any]) -> list[Any]:
    sizes = sorted({len(sample) for sample in batch})
    if len(sizes) > 1:
        raise ValueError(
            f"default_collate_fn: the samples of a batch must have the same number of fields. Received {sizes}."
        )
    return [default_collate_fn(list(field)) for field in zip(*batch, strict=True)]


def default_collate_fn(batch: Sequence[Any]) -> Any:
    """Puts samples of one structure together: each field of the batch holds that field of all samples.

    Arrays `[…]` are stacked to `[batch, …]`; numbers become an array `[batch]` (int64, float64, bool or the NumPy
    scalars' dtype); Tensors a Tensor; text a list; dicts and sequences are collated field by field, into a dict and
    a list. Raises ValueError for different shapes or numbers of fields, KeyError for different keys, TypeError for
    other samples. `paddle.io.dataloader.collate.default_collate_fn`.

    >>> from proa.io import default_collate_fn
    >>> default_collate_fn([(1, "a"), (2, "b")])
    [array([1, 2]), ['a', 'b']]
    """
    if len(batch) == 0:
        raise ValueError("default_collate_fn: a batch must have at least one sample. Received none.")
    sample = batch[0]
    if isinstance(sample, np.ndarray):
        return _stack(list(batch))
    if is_value(sample):
        return EAGER.constant(_stack([tensor.numpy() for tensor in batch]), None, True)
    if isinstance(sample, (numbers.Number, np.generic)):
        return np.array(batch)
    if isinstance(sample, _TEXT):
        return list(batch)
    if isinstance(sample, Mapping):
        return _collate_mappings(list(batch))
    if isinstance(sample, Sequence):
        return _collate_sequences(list(batch))
    raise TypeError(
        "default_collate_fn: a sample may be a Tensor, an array, a number, text, or a dict, list or tuple of such. "
        f"Received {type(sample).__name__}. Return one of these, or pass a collate_fn of your own to the DataLoader."
    )


def default_convert_fn(batch: Any) -> Any:
    """A single sample as the DataLoader gives it without batching: as it is, with lists for sequences.

    `paddle.io.dataloader.collate.default_convert_fn`.

    >>> from proa.io import default_convert_fn
    >>> default_convert_fn((1, {"name": "a"}))
    [1, {'name': 'a'}]
    """
    return map_leaves(lambda leaf: leaf, batch)


def map_leaves(function: Callable[[Any], Any], batch: Any) -> Any:
    """The batch with `function` applied to its leaves: mappings become dicts, tuples lists, named tuples stay."""
    if isinstance(batch, Mapping):
        return {key: map_leaves(function, value) for key, value in batch.items()}
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return type(batch)(*(map_leaves(function, value) for value in batch))
    if isinstance(batch, (list, tuple)):
        return [map_leaves(function, value) for value in batch]
    return function(batch)


def to_arrays(batch: Any) -> Any:
    """The batch with arrays for its Tensors, each contiguous, as it crosses from a worker to its parent."""

    def convert(leaf: Any) -> Any:
        if is_value(leaf):
            return leaf.numpy()
        return np.asarray(leaf, order="C") if isinstance(leaf, np.ndarray) else leaf

    return map_leaves(convert, batch)


def to_tensors(batch: Any, place: Place | None, owned: bool) -> Any:
    """The batch with Tensors for its arrays; `owned` says that nobody else holds the arrays, so none is copied.

    They are of the face whose trace computes here; where a Program is written, Tensors, which it is fed.
    """
    trace = current_trace().find(EagerTrace) or EAGER

    def convert(leaf: Any) -> Any:
        if not isinstance(leaf, np.ndarray) or leaf.dtype.kind in _NO_TENSOR_KINDS:
            return leaf
        own = from_numpy_dtype(leaf.dtype).dtype
        array = np.asarray(leaf)
        if not owned:
            array = array.astype(own, order="C")
        elif array.dtype is not own:  # of a worker: unpickled, with a dtype object that kernels would not know
            array = array.view(own)
        return trace.constant(array, place, True)

    return map_leaves(convert, batch)
