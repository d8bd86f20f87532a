"""Rows or sequences by a mask, and put together again: split_lod_tensor, merge_lod_tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from .offsets import checked, copies, from_lengths, lengths_of, offset_specs, taken


def _flags(xp: Any, mask: Any, count: int, what: str) -> Any:
    flags = mask.reshape(-1).astype(bool)
    if flags.size != count:
        raise ValueError(f"{what}(mask): must have an item for each of the {count} sequences (or rows, without a LoD). "
                         f"Received {flags.size}.")
    return flags


def _split(xp, x, mask, lod, *, level: int = 0):
    if lod:
        checked("split_lod_tensor(input)", lod[-1], len(x))
    lod = lod[level:]
    flags = _flags(xp, mask, lod[0].size - 1 if lod else len(x), "split_lod_tensor")
    parts = []
    for chosen in (flags, ~flags):
        made, rows = taken(xp, lod, xp.flatnonzero(chosen))
        parts.append((x[rows], made))
    return parts[0][0], parts[1][0], parts[0][1], parts[1][1]


def _infer_split(x, mask, lod, *, level=0):
    if not 0 <= level < max(len(lod), 1):
        raise ValueError(f"split_lod_tensor(level): must be one of the {len(lod)} levels of input. Received {level}.")
    part = Spec((-1, *x.shape[1:]), x.dtype)
    offsets = offset_specs(len(lod) - level if lod else 0)
    return part, part, offsets, offsets


def _where_none(part: Any, lod: list[Any], other: Any, xp: Any) -> tuple[Any, list[Any]]:
    """A part and its LoD; no rows where the block that gives it did not run, as no row entered it."""
    return (other[:0], [xp.zeros(1, "int64") for _ in lod]) if part is None else (part, lod)


def _merge(xp, x, mask, true, false, lod, true_lod, false_lod, *, level: int = 0):
    (true, true_lod), (false, false_lod) = (_where_none(true, true_lod, false, xp),
                                            _where_none(false, false_lod, true, xp))
    if len(true_lod) != len(false_lod):
        raise ValueError(f"merge_lod_tensor(in_true, in_false): must have equally many levels of LoD. Received "
                         f"{len(true_lod)} and {len(false_lod)}.")
    joined = [from_lengths(xp, xp.concatenate([lengths_of(a), lengths_of(b)]))
              for a, b in zip(true_lod, false_lod, strict=True)]
    of_true = true_lod[0].size - 1 if joined else len(true)
    of_false = false_lod[0].size - 1 if joined else len(false)
    flags = _flags(xp, mask, of_true + of_false, "merge_lod_tensor")
    if int(flags.sum()) != of_true:
        raise ValueError(f"merge_lod_tensor(in_true, mask): in_true must have as many sequences (or rows) as the mask "
                         f"has true. Received {of_true} and {int(flags.sum())}.")
    items = xp.where(flags, xp.cumsum(flags) - 1, of_true + xp.cumsum(~flags) - 1)
    if of_true and of_false and true.shape[1:] != false.shape[1:]:
        raise ValueError(f"merge_lod_tensor(in_true, in_false): shapes must agree behind the first dimension where "
                         f"both have rows. Received {list(true.shape)} and {list(false.shape)}.")
    made, rows = taken(xp, joined, items)
    both = true if not of_false else false if not of_true else xp.concatenate([true, false])
    return both[rows], [*copies(lod[:level]), *made]


def _infer_merge(x, mask, true, false, lod, true_lod, false_lod, *, level=0):
    # Of a mask of one row only one part has rows, and the other may be of any shape; the declared one is in_true's.
    return Spec((-1, *true.shape[1:]), true.dtype), offset_specs(min(level, len(lod)) + len(true_lod))


def _split_gradient(d_OutTrue: Any, d_OutFalse: Any, Mask: Any, lod: Any, level: int,
                    true_lod: Sequence[Any], false_lod: Sequence[Any]) -> Any:
    return apply(merge_lod_tensor_op, None, Mask, d_OutTrue, d_OutFalse, lod, true_lod, false_lod, level=level)[0]


split_lod_tensor_op = operator(
    "split_lod_tensor", "X, Mask, lod^X -> OutTrue, OutFalse, true_lod^OutTrue, false_lod^OutFalse", kernel=_split,
    infer=_infer_split, grad={"X": _split_gradient}, moves=True, fails="values")

merge_lod_tensor_op = operator(
    "merge_lod_tensor",
    "X?, Mask, InTrue, InFalse, lod^X, true_lod^InTrue, false_lod^InFalse -> Out, out_lod^Out", kernel=_merge,
    infer=_infer_merge,
    grad={"InTrue, InFalse": lambda g, Mask, out_lod, level: apply(
        split_lod_tensor_op, g, Mask, out_lod, level=level)[:2]}, moves=True, fails="values")
