"""Kinds of PyTorch's tensors that Paddle has no dtype for: wider or unsigned integers, sparse ones, quantized ones.

Each becomes a dense array of a dtype that Paddle has. Knows arrays and the forms in which PyTorch's pickles give the
parts; a part that does not fit is a ValueError.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = ["LAYOUTS", "SCHEMES", "UNSIGNED", "dense", "dequantized", "widened"]

UNSIGNED = {"uint16": "int32", "uint32": "int64", "uint64": "int64"}  # what holds their values
SCHEMES = ("per_tensor_affine", "per_channel_affine")
LAYOUTS = tuple(f"torch.sparse_{kind}" for kind in ("coo", "csr", "csc", "bsr", "bsc"))
_MOST_TIMES, _ALWAYS = 100, 1 << 24  # of the bytes that are there, and bytes


def _require(condition: bool, reason: str) -> None:
    if not condition:
        raise ValueError(reason)


def widened(array: np.ndarray) -> np.ndarray:
    """Unsigned integers in a dtype that Paddle has."""
    most = int(array.max(initial=0))
    _require(most < 2**63, f"a uint64 tensor holds {most}, and 2**63 - 1 is the largest of Paddle's whole numbers")
    return array.astype(UNSIGNED[array.dtype.name])


def dense(args: tuple) -> np.ndarray:
    """`_rebuild_sparse_tensor(layout, parts)`: zeros, and the values where they belong; several in a place add up."""
    known = len(args) == 2 and args[0] in LAYOUTS and type(args[1]) is tuple and len(args[1]) >= 3
    _require(known, "a sparse tensor has an unknown form")
    kind, parts = args[0][-3:], args[1]
    size, arrays = (parts[2], parts[:2]) if kind == "coo" else (parts[-1], parts[:3])
    known = all(isinstance(part, np.ndarray) for part in arrays) and type(size) is tuple
    _require(known and all(type(n) is int and n >= 0 for n in size), "a sparse tensor has an unknown form")
    values = arrays[-1]
    count = math.prod(size) * values.itemsize
    _require(count <= max(_ALWAYS, _MOST_TIMES * values.nbytes),
             f"a sparse tensor of shape {size} with {len(values)} values would be {count} bytes as a dense one. Save "
             "its indices() and values()")
    if kind == "coo":
        return _of_coordinates(arrays[0], values, size)
    return _of_rows(kind, arrays[0], arrays[1], values, size)


def _of_coordinates(indices: np.ndarray, values: np.ndarray, size: tuple) -> np.ndarray:
    _require(indices.ndim == 2 and indices.dtype.kind == "i" and len(indices) <= len(size) and values.shape == (
        indices.shape[1:] + size[len(indices):]), "the parts of a sparse tensor do not fit together")
    return _placed(list(indices), values, size)


def _of_rows(kind: str, starts: np.ndarray, others: np.ndarray, values: np.ndarray, size: tuple) -> np.ndarray:
    """Compressed rows, columns (`c` in second place: csc) or blocks of these (`b` in first place)."""
    own_axis, is_blocks = int(kind[1:] == "sc"), kind[0] == "b"
    block = values.shape[1:] if is_blocks else (1, 1)
    fits = starts.ndim == others.ndim == 1 and len(size) == len(block) == 2 and values.ndim == 1 + 2 * is_blocks
    fits = fits and starts.dtype.kind == others.dtype.kind == "i" and len(others) == len(values) and 0 not in block
    _require(fits, "a sparse tensor has batches, or its parts do not fit together")
    grid = [length // part for length, part in zip(size, block, strict=True)]
    _require([many * part for many, part in zip(grid, block, strict=True)] == list(size),
             "blocks do not divide a sparse tensor")
    counts = np.diff(starts)
    fits = len(starts) == grid[own_axis] + 1 and starts[0] == 0 and starts[-1] == len(others)
    _require(fits and bool((counts >= 0).all()), "the parts of a sparse tensor do not fit together")
    own = np.repeat(np.arange(grid[own_axis]), counts)
    indices = [others, own] if own_axis else [own, others]
    found = _placed(indices, values.reshape(-1, *block), (*grid, *block))
    return np.ascontiguousarray(found.transpose(0, 2, 1, 3).reshape(size))


def _placed(indices: list[np.ndarray], values: np.ndarray, size: tuple) -> np.ndarray:
    inside = all(not part.size or 0 <= part.min() and part.max() < length
                 for part, length in zip(indices, size, strict=False))
    _require(inside, "a sparse tensor has values beyond its shape")
    made = np.zeros(size, values.dtype)
    np.add.at(made, tuple(indices), values)
    return made


def dequantized(numbers: np.ndarray, scheme: Any) -> np.ndarray:
    """(numbers - zero point) * scale, in float32: the scheme is `(name, scale, zero point[, axis])`."""
    known = type(scheme) is tuple and len(scheme) in (3, 4) and getattr(scheme[0], "name", "")[6:] in SCHEMES
    _require(known, "a tensor is quantized in an unknown way")
    scale, zero = (np.asarray(part, np.float64) for part in scheme[1:3])
    if len(scheme) == 4:
        axis, length = scheme[3], np.size(scale)
        fits = type(axis) is int and 0 <= axis < numbers.ndim and scale.shape == zero.shape == (length,)
        _require(fits and numbers.shape[axis] == length, "the scales of a quantized tensor do not fit it")
        shape = [length if n == axis else 1 for n in range(numbers.ndim)]
        scale, zero = scale.reshape(shape), zero.reshape(shape)
    return ((numbers.astype(np.float64) - zero) * scale).astype(np.float32)
