"""Sequences by their lengths, step by step: lod_rank_table, lod_tensor_to_array and back, shrink_rnn_memory.

A rank table is [n, 2] of int64: the number and the length of each sequence, the longest first, those of one length in
their order. It has the offsets of the levels above its sequences' as its LoD. A list by it has an item a step: the rows
(or inner sequences) that the sequences which are long enough have there, in the table's order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...backend.devices import host_values
from ...core.dtype import int64
from ..array.gather import gather_op
from ..core.facts import free
from ..core.operator import Longs, operator
from ..core.spec import Spec
from ..core.trace import apply
from ..program.tensor_arrays import ArraySpec, ArrayValue, GradientArraySpec
from .offsets import checked, copies, from_lengths, lengths_of, levels_of, offset_specs, taken


class RankTableSpec(Spec):
    """What is known of a rank table."""

    __slots__ = ()


RANK_TABLE = RankTableSpec((-1, 2), int64)


def _rank_table(xp, x, lod, *, level: int = 0):
    lengths = lengths_of(lod[level])
    order = xp.argsort(-lengths, kind="stable") if xp.__name__ == "numpy" else _stable_order(xp, lengths)
    return xp.stack([order, lengths[order]], 1), copies(lod[:level])


def _stable_order(xp: Any, lengths: Any) -> Any:
    return xp.lexsort(xp.stack([xp.arange(lengths.size), -lengths]))


def _infer_table(x, lod, *, level=0):
    if levels_of("lod_rank_table(x)", lod) <= level or level < 0:
        raise ValueError(f"lod_rank_table(level): must be one of the {len(lod)} levels of x, from 0. Received {level}.")
    return RANK_TABLE, offset_specs(level)


lod_rank_table_op = operator("lod_rank_table", "X, lod^X -> Out, out_lod^Out", kernel=_rank_table,
                             infer=_infer_table, cost=free)

max_sequence_len_op = operator(
    "max_sequence_len", "RankTable -> Out", infer=lambda table: Spec((1,), int64), cost=free, lod="drop",
    kernel=lambda xp, table: table[:1, 1].copy() if len(table) else xp.zeros(1, "int64"))


# A list with an item a step

def _steps_of(xp: Any, table: Any) -> tuple[Any, Any]:
    """(steps, sequences): which are there, and the offsets of steps in all rows, step by step."""
    longest = int(table[0, 1]) if len(table) else 0
    there = xp.arange(longest)[:, None] < table[:, 1]
    return there, from_lengths(xp, there.sum(1))


def _sequences(what: str, lod: Sequence[Any], table: Any, level: int) -> Any:
    if level >= len(lod) or lod[level].size != len(table) + 1:
        count = [o.size - 1 for o in lod[level:level + 1]]
        raise ValueError(f"{what}: must have as many sequences as the rank table. Received {count} and {len(table)}.")
    return lod[level]


def _to_array(xp, x, table, lod, table_lod):
    level = len(table_lod)
    starts = _sequences("lod_tensor_to_array(x, table)", lod, table, level)[table[:, 0]]
    checked("lod_tensor_to_array(x)", lod[-1], len(x))
    there, offsets = _steps_of(xp, table)
    items = (starts + xp.arange(len(there))[:, None])[there]
    inner, rows = taken(xp, lod[level + 1:], items)
    ends = host_values(offsets)
    kept = []
    for of_level in inner:
        kept.append(ArrayValue(of_level[a:b + 1] - of_level[a] for a, b in zip(ends, ends[1:], strict=False)))
        ends = host_values(of_level[xp.asarray(ends)])
    found = x[rows]
    return ArrayValue(found[a:b] for a, b in zip(ends, ends[1:], strict=False)), kept


def _infer_to_array(x, table, lod, table_lod):
    levels_of("lod_tensor_to_array(x)", lod, len(table_lod) + 1)
    inner = len(lod) - len(table_lod) - 1
    return ArraySpec((-1, *x.shape[1:]), x.dtype), [ArraySpec((-1,), int64)] * inner


def _together(xp: Any, table: Any, parts: Sequence[Any], lods: Sequence[Sequence[Any]]) -> tuple[Any, list[Any]]:
    """The steps' rows as those of sequences in their order, and their offsets within the table's."""
    there, offsets = _steps_of(xp, table)
    place = xp.cumsum(there.ravel()).reshape(there.shape) - 1
    order = xp.empty(len(table), "int64")
    order[table[:, 0]] = xp.arange(len(table))
    items = place.T[order][there.T[order]]
    joined = [from_lengths(xp, xp.concatenate([lengths_of(o) for o in level])) for level in lods]
    inner, rows = taken(xp, joined, items)
    return xp.concatenate(parts)[rows], [from_lengths(xp, table[order, 1]), *inner]


def _from_array(xp, array, table, table_lod, array_lod):
    parts = list(array)
    steps = int(table[0, 1]) if len(table) else 0
    if len(parts) < max(steps, 1) or any(part is None for part in parts[:steps]):
        raise ValueError(f"array_to_lod_tensor(x, table): the list must have an item for each of the {steps} steps. "
                         f"Received {sum(part is not None for part in parts)}.")
    if not steps:
        return parts[0][:0], [*copies(table_lod), xp.zeros(len(table) + 1, "int64")]
    made, lod = _together(xp, table, parts[:steps], [list(level)[:steps] for level in array_lod])
    return made, [*copies(table_lod), *lod]


def _infer_from_array(array, table, table_lod, array_lod):
    return Spec((-1, *array.shape[1:]), array.dtype), offset_specs(len(table_lod) + 1 + len(array_lod))


def _gradient_rows(xp, array, table, like, lod, table_lod):
    """The gradient of rows that are the items of a list; zeros where the list's gradient has none."""
    there, offsets = _steps_of(xp, table)
    level = len(table_lod or [])
    inner = lod[level + 1:]
    starts = lod[level][table[:, 0]]
    ends = offsets
    items = (starts + xp.arange(len(there))[:, None])[there]
    for of_level in inner:
        lengths = of_level[items + 1] - of_level[items]
        made = from_lengths(xp, lengths)
        ends = made[ends]
        items = taken(xp, [of_level], items)[1]
    out = xp.zeros_like(like)
    bounds = host_values(ends)
    for n, (a, b) in enumerate(zip(bounds, bounds[1:], strict=False)):
        if array.get(n) is not None:
            out[items[a:b]] = array.get(n)
    return out


def _gradient_array(xp, x, table, lod, table_lod):
    return _to_array(xp, x, table, lod, table_lod or [])[0]


lod_tensor_to_array_op = operator(
    "lod_tensor_to_array", "X, RankTable, lod^X, table_lod^RankTable -> Out, out_lod^Out", kernel=_to_array,
    infer=_infer_to_array,
    grad={"X": lambda g, RankTable, X, lod, table_lod: apply(gradient_rows_op, g, RankTable, X, lod, table_lod)},
    moves=True, fails="values", lists=True, lod="drop")

array_to_lod_tensor_op = operator(
    "array_to_lod_tensor", "X, RankTable, table_lod^RankTable, array_lod^X -> Out, out_lod^Out",
    kernel=_from_array, infer=_infer_from_array,
    grad={"X": lambda g, RankTable, out_lod, table_lod: apply(gradient_array_op, g, RankTable, out_lod, table_lod)},
    moves=True, fails="values", lists=True)

gradient_rows_op = operator(
    "rank_gradient_rows", "X, RankTable, Like, lod*, table_lod* -> Out", kernel=_gradient_rows,
    infer=lambda array, table, like, *_: like,
    grad={"X": lambda g, RankTable, lod, table_lod: apply(gradient_array_op, g, RankTable, lod, table_lod)},
    moves=True, only_here=True, lists=True)

gradient_array_op = operator(
    "rank_gradient_array", "X, RankTable, lod*, table_lod* -> Out", kernel=_gradient_array,
    infer=lambda x, *_: GradientArraySpec((-1, *x.shape[1:]), x.dtype),
    grad={"X": lambda g, RankTable, X, lod, table_lod: apply(gradient_rows_op, g, RankTable, X, lod, table_lod)},
    moves=True, only_here=True, lists=True, lod="drop")


# In the table's order

def _ranked_rows(xp, table, lod, *, back: bool = False):
    rows = taken(xp, lod or [], table[:, 0])[1]
    return xp.argsort(rows) if back else rows


ranked_rows_op = operator(
    "ranked_rows", "RankTable, lod* -> Rows", kernel=_ranked_rows, infer=lambda *_, back=False: Spec((-1,), int64),
    only_here=True, lod="drop", fails="values")
"""The rows of sequences in the order of a rank table; `back`: the places to which these are moved."""


def _reorder(xp, x, table, lod):
    rows = checked("reorder_lod_tensor_by_rank(x)", lod[-1], len(x)).size - 1 if lod else len(x)
    count = lod[0].size - 1 if lod else rows
    if count != len(table):
        raise ValueError(f"reorder_lod_tensor_by_rank(x, rank_table): x must have as many sequences, or rows without a "
                         f"LoD, as the table. Received {count} and {len(table)}.")
    made, order = taken(xp, lod, table[:, 0])
    return x[order], made


reorder_lod_tensor_by_rank_op = operator(
    "reorder_lod_tensor_by_rank", "X, RankTable, lod^X -> Out, out_lod^Out", kernel=_reorder,
    infer=lambda x, table, lod: (x, offset_specs(len(lod))),
    grad={"X": lambda g, RankTable, lod: apply(gather_op, g, apply(ranked_rows_op, RankTable, lod, back=True), None,
                                               axis=0)}, moves=True, fails="values")


# What the sequences that go on had before

def _shrink(xp, x, table, i, lod):
    count = int((table[:, 1] > int(i.reshape(-1)[0])).sum())
    if not lod:
        return x[:count], []
    made, last = [], count
    for offsets in lod:
        made.append(offsets[:last + 1].copy())
        last = int(offsets[last])
    return x[:last], made


def _widen(xp, g, table, i, like, lod, *, shape: Longs = ()):
    out = xp.zeros(shape if like is None else like.shape, g.dtype)
    out[:len(g)] = g
    return out


def _widened(g: Any, RankTable: Any, I: Any, X_shape: Any, lod: Any) -> Any:  # noqa: E741
    known = isinstance(X_shape, tuple)
    return apply(widen_op, g, RankTable, I, None if known else X_shape, lod, shape=list(X_shape) if known else [])


widen_op = operator(
    "unshrunk_rnn_memory", "G, RankTable, I, Like?, lod* -> XGrad", kernel=_widen,
    infer=lambda g, table, i, like, lod, *, shape=(): Spec(tuple(shape) if like is None else like.shape, g.dtype),
    grad={"G": lambda g, RankTable, I, lod: apply(shrink_rnn_memory_op, g, RankTable, I, lod)[0]},  # noqa: E741
    moves=True, only_here=True, lod="drop")

shrink_rnn_memory_op = operator(
    "shrink_rnn_memory", "X, RankTable, I, lod^X -> Out~X, out_lod^Out", kernel=_shrink,
    infer=lambda x, table, i, lod: (Spec((-1, *x.shape[1:]), x.dtype), offset_specs(len(lod))),
    grad={"X": _widened}, moves=True)
