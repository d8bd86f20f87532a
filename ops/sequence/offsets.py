"""Offsets of sequences whose rows lie one behind the other (LoD): which rows are whose, and which are taken.

Offsets [0, 3, 3, 5] are three sequences: of rows 0 to 2, of none, and of rows 3 and 4. Those of several levels are a
list, the outermost first: each level's sequences are made of the items of the next one, the last one's of rows. All
functions take and give arrays of int64 of a namespace, and none goes through the sequences one by one in Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend.repeats import repeat
from ...core.dtype import int64
from ..core.spec import Spec

_FEW = 64  # offsets that are looked at faster one by one


class MissingLodError(ValueError):
    """An input that must be sequences has too few levels of offsets."""


def levels_of(what: str, lod: Sequence[Any] | None, least: int = 1, most: int | None = None) -> int:
    """How many levels there are. ValueError, naming the argument `what`, where an operator cannot do with so many."""
    lod = lod or ()  # None for eager values, which have none
    if len(lod) < least:
        raise MissingLodError(
            f"{what}: must be sequences (have a LoD of {least} level{'s' if least > 1 else ''} at least). Received "
            f"{len(lod)} levels. Declare it with lod_level={least}, and feed a LoDTensor "
            "(fluid.create_lod_tensor).")
    if most is not None and len(lod) > most:
        raise ValueError(f"{what}: must have a LoD of {most} level{'s' if most > 1 else ''} at most. Received "
                         f"{len(lod)} levels.")
    return len(lod)


def last_of(what: str, lod: Sequence[Any] | None, rows: int) -> Any:
    """The last level's offsets. ValueError where there are none, or where they do not end with the number of rows."""
    levels_of(what, lod)
    return checked(what, (lod or ())[-1], rows)


def checked(what: str, offsets: Any, rows: int) -> Any:
    """The offsets. ValueError unless they rise from 0 to `rows`, of which a level of offsets or an array has so many.

    Loops read and write the rows that offsets tell, and look at them no more.
    """
    if offsets.size > _FEW or not isinstance(offsets, np.ndarray):
        rises = offsets.size > 0 and int(offsets[0]) == 0 and not bool((offsets[1:] < offsets[:-1]).any())
    else:
        known = offsets.tolist()
        rises = bool(known) and known[0] == 0 and known == sorted(known)
        if rises and known[-1] == rows:
            return offsets
    if not offsets.size or int(offsets[-1]) != rows:
        last = int(offsets[-1]) if offsets.size else None
        raise ValueError(f"{what}: its offsets must end with the number of its rows. Received offsets that end with "
                         f"{last}, and {rows} rows.")
    if not rises:
        raise ValueError(f"{what}: its offsets must begin with 0 and rise. Received {offsets.tolist()[:20]}.")
    return offsets


def offset_specs(levels: int) -> list[Spec]:
    """The specs of so many new offset vectors."""
    return [Spec((-1,), int64)] * levels


def lengths_of(offsets: Any) -> Any:
    """How long each sequence is."""
    return offsets[1:] - offsets[:-1]


def from_lengths(xp: Any, lengths: Any) -> Any:
    """The offsets of sequences of these lengths."""
    offsets = xp.zeros(lengths.size + 1, "int64")
    xp.cumsum(lengths, out=offsets[1:])
    return offsets


def repeated(xp: Any, x: Any, lengths: Any, offsets: Any = None) -> Any:
    """x [n, ...] with each item as often as `lengths` says; `offsets`: those of the lengths, where they are known."""
    if xp is np:
        return repeat(np, "sequences (lengths)", x, lengths)
    offsets = from_lengths(xp, lengths) if offsets is None else offsets
    return x[xp.searchsorted(offsets[1:], xp.arange(int(offsets[-1])), side="right")]


def owners(xp: Any, offsets: Any) -> Any:
    """For each row the number of the sequence that it is of."""
    return repeated(xp, xp.arange(offsets.size - 1), lengths_of(offsets), offsets)


def places_in(xp: Any, offsets: Any) -> Any:
    """For each row its place in its sequence, from 0."""
    return xp.arange(int(offsets[-1])) - repeated(xp, offsets[:-1], lengths_of(offsets), offsets)


def spans(xp: Any, starts: Any, lengths: Any) -> Any:
    """The rows from each start on, as many as its length says, one span behind the other."""
    offsets = from_lengths(xp, lengths)
    return xp.arange(int(offsets[-1])) + repeated(xp, starts - offsets[:-1], lengths, offsets)


def taken(xp: Any, lod: Sequence[Any], items: Any) -> tuple[list[Any], Any]:
    """The outermost level's sequences with the numbers `items`: (their offsets, level by level, their rows).

    Without a level the items are rows.
    """
    made = []
    for offsets in lod:
        lengths = offsets[items + 1] - offsets[items]
        made.append(from_lengths(xp, lengths))
        items = spans(xp, offsets[items], lengths)
    return made, items


def in_rows(lod: Sequence[Any]) -> Any:
    """The offsets, in rows, of the outermost level's sequences."""
    offsets = lod[0]
    for inner in lod[1:]:
        offsets = inner[offsets]
    return offsets


def copies(lod: Sequence[Any]) -> list[Any]:
    """The same offsets in memory of their own."""
    return [offsets.copy() for offsets in lod]


def without_last(lods: tuple, attrs: dict[str, Any]) -> list[Any]:
    """The LoD of a result with a row for each of the last level's sequences of the first input."""
    return list(lods[0] or [])[:-1]


def sums(xp: Any, x: Any, offsets: Any) -> Any:
    """The sum of the rows of each sequence; zeros for an empty one."""
    return _reduced(xp, "add", x, offsets, 0)


def maxima(xp: Any, x: Any, offsets: Any, of_none: Any = 0) -> Any:
    """The maxima of the rows of each sequence; `of_none` for an empty one."""
    return _reduced(xp, "maximum", x, offsets, of_none)


def _reduced(xp: Any, name: str, x: Any, offsets: Any, of_none: Any) -> Any:
    """`reduceat` gives an item for an empty sequence, so only those that are not empty are asked for."""
    starts, filled = offsets[:-1], lengths_of(offsets) > 0
    if xp is not np:
        return _reduced_padded(xp, name, x, offsets, of_none)
    function = getattr(np, name)
    if filled.all():
        return function.reduceat(x, starts, 0, x.dtype) if starts.size else np.empty((0, *x.shape[1:]), x.dtype)
    out = np.full((starts.size, *x.shape[1:]), of_none, x.dtype)
    if filled.any():
        out[filled] = function.reduceat(x, starts[filled], 0, x.dtype)
    return out


def _reduced_padded(xp: Any, name: str, x: Any, offsets: Any, of_none: Any) -> Any:
    """By rows that are padded to the greatest length: devices reduce regular arrays at once."""
    lengths = lengths_of(offsets)
    longest = int(lengths.max()) if lengths.size else 0
    steps = xp.arange(longest)
    there = steps < lengths[:, None]
    rows = xp.where(there, offsets[:-1, None] + steps, 0)
    there = there.reshape(*there.shape, *[1] * (x.ndim - 1))
    if not longest:
        return xp.full((lengths.size, *x.shape[1:]), of_none, x.dtype)
    if name == "add":
        return xp.where(there, x[rows], xp.zeros((), x.dtype)).sum(1, dtype=x.dtype)
    least = -xp.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    found = xp.where(there, x[rows], xp.asarray(least, x.dtype)).max(1)
    empty = (lengths == 0).reshape(-1, *[1] * (x.ndim - 1))
    return xp.where(empty, xp.asarray(of_none, x.dtype), found)
