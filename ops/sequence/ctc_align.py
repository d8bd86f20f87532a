"""ctc_align: the labels along a path of connectionist temporal classification: repetitions and blanks are left out."""

from typing import Any

from ...core import dtype as dt
from ..core.operator import operator
from ..core.spec import Spec
from .offsets import last_of, levels_of


def _kept(xp: Any, x: Any, firsts: Any, blank: int, merge_repeated: bool) -> Any:
    """Which of the values stay, given which of them begin a sequence."""
    kept = x != blank
    if merge_repeated and x.size:
        kept[1:] &= (x[1:] != x[:-1]) | firsts[1:]
    return kept


def _ctc_align(xp, x, lod, length=None, *, blank: int = 0, merge_repeated: bool = True, padding_value: int = 0):
    flat = x.reshape(-1)
    if length is None:
        offsets = last_of("ctc_greedy_decoder(input)", lod, len(x))
        firsts = xp.zeros(flat.size + 1, bool)
        firsts[offsets[:-1]] = True
        kept = _kept(xp, flat, firsts[:-1], blank, merge_repeated)
        running = xp.concatenate([xp.zeros(1, "int64"), xp.cumsum(kept, dtype="int64")])
        found = flat[kept].reshape(-1, 1)
        if not found.size:  # a tensor without a row cannot be fetched there: -1 says that nothing is left
            found = xp.full((1, 1), -1, x.dtype)
        return found, None, [running[offsets]]
    rows = x.reshape(length.size, -1)
    size = rows.shape[1]
    place = xp.arange(size)
    firsts = xp.broadcast_to(place == 0, rows.shape).reshape(-1)
    kept = _kept(xp, flat, firsts, blank, merge_repeated).reshape(rows.shape) & (place < length.reshape(-1, 1))
    target = xp.cumsum(kept, axis=1) - 1
    found = xp.full(rows.shape, padding_value, x.dtype)
    found[xp.nonzero(kept)[0], target[kept]] = rows[kept]
    return found, kept.sum(1, keepdims=True).astype("int64"), []


def _infer(x, lod, length=None, *, blank=0, merge_repeated=True, padding_value=0):
    if length is None:
        levels_of("ctc_greedy_decoder(input)", lod or [])
        return Spec((-1, 1), x.dtype), None, [Spec((-1,), dt.int64)]
    return Spec((x.shape[0], -1 if x.rank != 2 else x.shape[1]), x.dtype), Spec((x.shape[0], 1), dt.int64), []


ctc_align_op = operator(
    "ctc_align", "Input, lod^Input, InputLength? -> Output, OutputLength?, out_lod^Output", kernel=_ctc_align,
    infer=_infer, fails="values")
"""The labels, packed, or padded with how many there are; -1 alone where all sequences are empty."""
