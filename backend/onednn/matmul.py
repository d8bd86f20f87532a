"""Products of matrices and of batches of them, with what may follow a product in the same pass.

Two float32 matrices are multiplied without preparation (`products.py`); batches, and products with a bias or an
epilogue, by a primitive. Operands may lie in any order: a transpose is a matter of strides. Functions give
NotImplemented for what they leave to NumPy.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..loops.kernel import Due
from .descriptors import Description, dense_strides, element_strides, strided, type_number
from .library import Library, Unimplemented
from .linear import PackedMatrix, linear
from .primitives import BIAS, DST, SRC, WEIGHTS, Attributes, Plan, Primitive, best, post_operation
from .products import multiply
from .routine import Routine, address_of, are_as_long, memoised

LARGE = 2**18
"""Products of at most this many multiplications stay with NumPy, whose own threads then sleep."""

_EARLY = 2**23  # multiplications of a product that NumPy computes as long as no code was made
_OF_AN_ELEMENT = 32  # multiplications that count as an element of a loop
_LEAST_PART = 4  # rows

_LONG = 2**15
"""Numbers in a sum of products with one vector from which on oneDNN loses digits: it adds them all to a few sums."""

_BATCH = 2**23
"""So do batches of matrices of which each product is so small, up to this many in all: oneDNN's code for them, made for
all cases together at the first one, takes 30 to 45 ms of making, and is no faster."""

_FLOAT32 = np.dtype(np.float32)


def matmul(x: np.ndarray, y: Any, out: np.ndarray | None = None, bias: np.ndarray | None = None,
           epilogue: str | None = None, residual: np.ndarray | None = None) -> Any:
    """epilogue(x @ y + bias + residual), of matrices or batches of them whose leading dimensions broadcast.

    `bias` has the size of the last dimension, `residual` the shape of the result; `epilogue` is one of `EPILOGUES`;
    `out` may lie in any order, unless both are matrices: then it is C-contiguous. `y` may be a PackedMatrix.
    """
    if type(y) is PackedMatrix:
        result = linear(x, y, out, bias, epilogue, residual)
        if result is NotImplemented:
            plain = y.unpacked()
            result = linear(x, plain, out, bias, epilogue, residual)
        return matmul(x, plain, out, bias, epilogue, residual) if result is NotImplemented else result
    if x.dtype != y.dtype or x.ndim < 2 or y.ndim < 2 or x.shape[-1] != y.shape[-2]:
        return NotImplemented
    if x.ndim == 2 and y.ndim == 2 and bias is None and epilogue is None and residual is None and x.dtype is _FLOAT32:
        return multiply(x, y, out) if x.size and y.size else NotImplemented
    if not are_as_long(x.dtype, y.shape[-1], bias):
        return NotImplemented
    key = ("matmul", x.shape, x.strides, x.dtype.char, y.shape, y.strides, bias is None, epilogue,
           None if residual is None else residual.strides, None if out is None else out.strides)
    routine = memoised(key, _product, x, y, bias, epilogue, residual, out)
    if routine is None:
        return _otherwise(x, y, out, bias, epilogue, residual)
    if residual is not None and (residual.shape != routine.result or residual.dtype != x.dtype):
        return NotImplemented
    if out is None:
        out = np.empty(routine.result, x.dtype)
    addresses = [address_of(x), address_of(y)]
    if bias is not None:
        bias = np.ascontiguousarray(bias)
        addresses.append(address_of(bias))
    if residual is not None:
        addresses.append(address_of(residual))
    routine(*addresses, address_of(out))
    return out


_due = Due()


def early_product(x: np.ndarray, y: np.ndarray) -> Any:
    """x @ y of float32 matrices by NumPy, until oneDNN's function is worth its making; NotImplemented from then on.

    At its first product oneDNN makes code for all, which takes as long as a thousand products of 2^19 multiplications.
    Up to so many in all, small ones are computed in parts that NumPy's BLAS leaves to one thread.
    """
    if y.ndim != 2 or x.ndim < 2 or x.dtype is not _FLOAT32 or y.dtype is not _FLOAT32 or x.shape[-1] != y.shape[0]:
        return NotImplemented
    k, n = y.shape
    work = x.size * n
    if not LARGE < work <= _EARLY or k * n * _LEAST_PART > LARGE or _due.is_due(work // _OF_AN_ELEMENT):
        return NotImplemented
    rows = x.reshape(-1, k)
    out = np.empty((len(rows), n), np.float32)
    parts = -(-len(rows) // (LARGE // (k * n)))
    for part in range(parts):
        place = slice(len(rows) * part // parts, len(rows) * (part + 1) // parts)
        np.matmul(rows[place], y, out=out[place])
    return out.reshape(*x.shape[:-1], n)


def large_product(x: np.ndarray, y: np.ndarray) -> Any:
    """x @ y as NumPy's matmul computes it, vectors included, where it is large; NotImplemented otherwise."""
    if x.dtype is not _FLOAT32 or y.dtype is not _FLOAT32:
        return _large_of_half(x, y)
    if y.ndim == 1:
        if x.size <= LARGE or x.ndim == 1:
            return NotImplemented
        result = large_product(x, y[:, None])
        return result if result is NotImplemented else result[..., 0]
    if x.ndim == 1:
        if y.size <= LARGE:
            return NotImplemented
        result = large_product(x[None], y)
        return result if result is NotImplemented else result[..., 0, :]
    if x.ndim == 2 and y.ndim == 2:
        m, k = x.shape
        if m * k * y.shape[1] <= LARGE or k != y.shape[0] or k >= _LONG and 1 in (m, y.shape[1]):
            return NotImplemented
        return multiply(x, y)
    if y.ndim == 2 and x.shape[-1] == y.shape[0]:
        if x.size * y.shape[1] <= LARGE:
            return NotImplemented
        return multiply(x.reshape(-1, x.shape[-1]), y).reshape(*x.shape[:-1], y.shape[1])
    size = max(x.size * y.shape[-1], y.size * x.shape[-2])
    is_small = x.shape[-2] * x.shape[-1] * y.shape[-1] <= LARGE and size <= _BATCH
    return NotImplemented if is_small or size <= LARGE else matmul(x, y)


def _large_of_half(x: np.ndarray, y: np.ndarray) -> Any:
    """Products of 16-bit numbers are computed, and summed, in 32 bits."""
    if x.dtype != y.dtype or x.itemsize != 2 or x.dtype.name not in ("float16", "bfloat16"):
        return NotImplemented
    result = large_product(x.astype(_FLOAT32), y.astype(_FLOAT32))
    return result if result is NotImplemented else result.astype(x.dtype)


def _otherwise(x: np.ndarray, y: np.ndarray, out: Any, *extras: Any) -> Any:
    """What oneDNN declines, once more with C-contiguous operands; else NotImplemented."""
    if x.size and y.size and not (x.flags.c_contiguous and y.flags.c_contiguous):
        return matmul(np.ascontiguousarray(x), np.ascontiguousarray(y), out, *extras)
    return NotImplemented


def _described(library: Library, array: np.ndarray, number: int, rank: int) -> Description:
    steps = element_strides(array)
    if steps is None:
        raise Unimplemented("strides")
    missing = rank - array.ndim
    return strided(library, (1,) * missing + array.shape, [math.prod(array.shape)] * missing + steps, number)


def _product(library: Library, x: np.ndarray, y: np.ndarray, bias: Any, epilogue: str | None, residual: Any,
             out: np.ndarray | None) -> Routine:
    number, rank = type_number(x.dtype), max(x.ndim, y.ndim)
    if number is None or x.dtype.kind == "i" or not (x.size and y.size):
        raise Unimplemented(str(x.dtype))
    try:
        batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    except ValueError as error:
        raise Unimplemented("batches") from error
    shape = (*batch, x.shape[-2], y.shape[-1])
    routine = Routine(library, f"product of {list(x.shape)} and {list(y.shape)}", 2 * math.prod(shape) * x.shape[-1])
    routine.result = shape
    left, right = _described(library, x, number, rank), _described(library, y, number, rank)
    if out is None:
        target = strided(library, shape, dense_strides(shape), number)
    else:
        target = _described(library, out, number, rank)
    operands, row = {SRC: routine.external(left), WEIGHTS: routine.external(right)}, None
    if bias is not None:
        row = strided(library, [1] * (rank - 1) + [shape[-1]], [shape[-1]] * (rank - 1) + [1], number)
        operands[BIAS] = routine.external(row)
    added = None
    if residual is not None:
        added = _described(library, residual, number, rank)
        operands[post_operation(0)] = routine.external(added)
    attributes = Attributes(library, added, epilogue)
    operands[DST] = routine.external(target)
    routine.step(Primitive(library, best([
        lambda: Plan(library, "matmul", library.engine, left, right, row, target, attributes)])), operands)
    return routine
