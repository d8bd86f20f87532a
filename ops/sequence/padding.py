"""Sequences beside each other, padded to one length, and packed again: sequence_pad, sequence_unpad."""

from __future__ import annotations

from typing import Any

from ...backend.devices import host_values
from ...core.dtype import int64
from ..core.facts import free
from ..core.operator import Longs, operator
from ..core.spec import Spec
from ..core.trace import apply
from .offsets import from_lengths, last_of, lengths_of, levels_of, offset_specs, spans


def _pad(xp, x, pad_value, lod, *, padded_length: int = -1):
    offsets = last_of("sequence_pad(x)", lod, len(x))
    lengths = lengths_of(offsets)
    longest = int(lengths.max()) if lengths.size else 0
    if padded_length < 0:
        padded_length = longest
    elif longest > padded_length:
        raise ValueError(f"sequence_pad(maxlen): must not be less than the longest sequence, {longest} rows. Received "
                         f"{padded_length}.")
    if pad_value.size != 1 and pad_value.shape != x.shape[1:]:
        raise ValueError(f"sequence_pad(pad_value): must be one number, or have the shape of a row, "
                         f"{list(x.shape[1:])}. Received {list(pad_value.shape)}.")
    out = xp.empty((lengths.size * padded_length, *x.shape[1:]), x.dtype)
    out[...] = pad_value.reshape(()) if pad_value.size == 1 else pad_value
    out[_places(xp, lengths, padded_length)] = x
    return out.reshape(lengths.size, padded_length, *x.shape[1:]), lengths


def _places(xp: Any, lengths: Any, size: int) -> Any:
    """Where the rows of sequences stand among those that are padded to a size."""
    return spans(xp, xp.arange(lengths.size) * size, lengths)


def _infer_pad(x, pad_value, lod, *, padded_length=-1):
    levels_of("sequence_pad(x)", lod, 1, 1)
    if x.rank < 2:
        raise ValueError(f"sequence_pad(x): must have rows of one dimension at least. Received {list(x.shape)}.")
    count = lod[0].shape[0] - 1 if lod[0].shape[0] > 0 else -1
    return Spec((count, padded_length, *x.shape[1:]), x.dtype), Spec((count,), int64)


sequence_pad_op = operator(
    "sequence_pad", "X, PadValue, lod^X -> Out, Length", kernel=_pad, infer=_infer_pad,
    grad={"X": lambda g, Length: apply(sequence_unpad_op, g, Length)[0]}, narrow=True, cost=free, fails="values",
    lod="drop")


def _unpad(xp, x, length):
    lengths = length.reshape(-1).astype("int64")
    if lengths.size != len(x) or (lengths.size and not 0 <= int(lengths.min()) <= int(lengths.max()) <= x.shape[1]):
        raise ValueError(f"sequence_unpad(length): must have an item from 0 to {x.shape[1]} for each of the {len(x)} "
                         f"padded sequences. Received {host_values(lengths)}.")
    rows = x.reshape(len(x) * x.shape[1], *(x.shape[2:] or (1,)))
    return rows[_places(xp, lengths, x.shape[1])], [from_lengths(xp, lengths)]


def _infer_unpad(x, length):
    if x.rank < 2:
        raise ValueError(f"sequence_unpad(x): must be padded sequences, [count, longest, …]. Received {list(x.shape)}.")
    if length.rank != 1 or (x.shape[0] != length.shape[0] and -1 not in (x.shape[0], length.shape[0])):
        raise ValueError(f"sequence_unpad(length): must be [{x.shape[0]}], a length for each of the padded sequences. "
                         f"Received {list(length.shape)}.")
    return Spec((-1, *(x.shape[2:] or (1,))), x.dtype), offset_specs(1)


def _unpad_gradient(xp, g, length, like=None, *, shape: Longs = ()):
    out = xp.zeros(shape if like is None else like.shape, g.dtype)
    out.reshape(-1, *g.shape[1:])[_places(xp, length.reshape(-1).astype("int64"), out.shape[1])] = g
    return out


def _padded(g: Any, Length: Any, X_shape: Any) -> Any:
    known = isinstance(X_shape, tuple)
    return apply(padded_with_zeros_op, g, Length, None if known else X_shape, shape=list(X_shape) if known else [])


padded_with_zeros_op = operator(
    "padded_with_zeros", "X, Length, Like? -> Out", kernel=_unpad_gradient,
    infer=lambda g, length, like=None, *, shape=(): Spec(tuple(shape) if like is None else like.shape, g.dtype),
    grad={"X": lambda g, Length: apply(sequence_unpad_op, g, Length)[0]}, moves=True, only_here=True, fails="values",
    lod="drop")
"""The gradient of what was packed."""

sequence_unpad_op = operator(
    "sequence_unpad", "X, Length -> Out, out_lod^Out", kernel=_unpad, infer=_infer_unpad, grad={"X": _padded},
    moves=True, fails="values")
