"""filter_by_instag: of samples that have tags, those that have one of the tags asked for."""

from typing import Any

from ...core import dtype as dt
from ..array.gather import add_at
from ..core.operator import Long, operator
from ..core.spec import Spec
from ..core.trace import apply
from ..sequence.offsets import from_lengths, last_of, lengths_of, levels_of, spans, sums


def _rows_of(xp: Any, x: Any, lod: Any, is_lod: bool) -> Any:
    """The offsets of the samples: sequences, or rows."""
    return last_of("filter_by_instag(ins)", lod, len(x)) if is_lod else xp.arange(len(x) + 1)


def _filtered(xp, x, tags, wanted, lod, tag_lod, *, is_lod: bool = True, out_val_if_empty: Long = 0):
    rows, owned = _rows_of(xp, x, lod, is_lod), last_of("filter_by_instag(ins_tag)", tag_lod, len(tags))
    if rows.size != owned.size:
        raise ValueError(f"filter_by_instag(ins, ins_tag): must be equally many. Received {rows.size - 1} samples and "
                         f"the tags of {owned.size - 1}.")
    has_one = xp.isin(tags.reshape(len(tags), -1), wanted).any(1).astype("int64")
    kept = xp.nonzero(sums(xp, has_one, owned) > 0)[0]
    if not kept.size:
        return (xp.full((1, x.shape[1]), out_val_if_empty, x.dtype), xp.zeros((1, 1), "float32"),
                xp.asarray([[0, 1, 1]]), [xp.asarray([0, 1])])
    lengths = lengths_of(rows)[kept]
    offsets = from_lengths(xp, lengths)
    return (x[spans(xp, rows[kept], lengths)], xp.ones((kept.size, 1), "float32"),
            xp.stack([offsets[:-1], rows[kept], lengths], 1), [offsets])


def _infer(x, tags, wanted, lod, tag_lod, *, is_lod=True, out_val_if_empty=0):
    if x.rank != 2 or tags.dtype is not dt.int64 or wanted.dtype is not dt.int64:
        raise ValueError(f"filter_by_instag(ins, ins_tag, filter_tag): ins must be [rows, size], and tags int64. "
                         f"Received ins of shape {list(x.shape)}, tags of {tags.dtype.name} and {wanted.dtype.name}.")
    levels_of("filter_by_instag(ins_tag)", tag_lod)
    if is_lod:
        levels_of("filter_by_instag(ins)", lod)
    return (Spec((-1, x.shape[1]), x.dtype), Spec((-1, 1), dt.float32), Spec((-1, 3), dt.int64),
            [Spec((-1,), dt.int64)])


def _put_back(xp, g, x, weight, places):
    """The rows that were kept, where they stood in x."""
    result = xp.zeros(x.shape, g.dtype)
    if weight.any():
        add_at(xp, result, spans(xp, places[:, 1], places[:, 2]), g)
    return result


def _taken(xp, x, weight, places):
    return x[spans(xp, places[:, 1], places[:, 2])] if weight.any() else xp.zeros((1, x.shape[1]), x.dtype)


put_filtered_op = operator(
    "put_filtered", "G, Ins, LossWeight, IndexMap -> Out", kernel=_put_back,
    infer=lambda g, x, weight, places: Spec(x.shape, g.dtype), only_here=True, fails="values", lod="drop",
    grad={"G": lambda g, LossWeight, IndexMap: apply(take_filtered_op, g, LossWeight, IndexMap)})
take_filtered_op = operator(
    "take_filtered", "X, LossWeight, IndexMap -> Out", kernel=_taken, only_here=True, fails="values", lod="drop",
    infer=lambda x, weight, places: Spec((-1, x.shape[1]), x.dtype),
    grad={"X": lambda g, X, LossWeight, IndexMap: apply(put_filtered_op, g, X, LossWeight, IndexMap)})
filter_by_instag_op = operator(
    "filter_by_instag", "Ins, Ins_tag, Filter_tag, lod^Ins, tag_lod^Ins_tag -> Out, LossWeight, IndexMap, out_lod^Out",
    kernel=_filtered, infer=_infer, fails="values",
    grad={"Ins": lambda g, Ins, LossWeight, IndexMap: apply(put_filtered_op, g, Ins, LossWeight, IndexMap)})
"""Samples are rows, or sequences with `is_lod`; LossWeight is 1 for each. Where none is kept: a row of
`out_val_if_empty`, which weighs 0 and passes no gradient. IndexMap: where each begins in the result and in Ins, and how
many rows it has."""
