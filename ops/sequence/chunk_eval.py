"""chunk_eval: precision, recall and F1 of chunks, the named entities say, that tags mark.

A tag is type · (number of positions) + position; what is beyond all types lies outside of chunks. A scheme has the
positions begin, inside, end and single, or some of them.
"""

from typing import Any, NamedTuple

import numpy as np

from ...backend.arrays import to_numpy
from ...core import dtype as dt
from ..core.operator import Ints, operator
from ..core.spec import Spec
from .offsets import last_of, levels_of


class Scheme(NamedTuple):
    """How many positions there are, and which number each of them has; -1 where there is none."""

    positions: int
    begin: int = -1
    inside: int = -1
    end: int = -1
    single: int = -1


SCHEMES = {"IOB": Scheme(2, 0, 1), "IOE": Scheme(2, -1, 0, 1), "IOBES": Scheme(4, 0, 1, 2, 3), "plain": Scheme(1)}


class Chunks(NamedTuple):
    """By row: whether a chunk begins there, its type, and the row behind its last."""

    begins: np.ndarray
    types: np.ndarray
    ends: np.ndarray


def chunks_of(tags: np.ndarray, firsts: np.ndarray, scheme: Scheme, types: int, excluded: Any = ()) -> Chunks:
    """The chunks of packed tags, of sequences that begin at `firsts`."""
    kind, position = tags // scheme.positions, tags % scheme.positions
    inside = kind < types
    is_first = np.zeros(len(tags), bool)
    is_first[firsts] = True
    joined = np.zeros(len(tags), bool)  # with the row before
    before, now = position[:-1], position[1:]
    goes_on = inside[1:] & (kind[1:] == kind[:-1]) & ~is_first[1:]
    if scheme.positions > 1:
        goes_on &= (now != scheme.begin) & (now != scheme.single) & (before != scheme.end) & (before != scheme.single)
    joined[1:] = goes_on
    begins = inside & ~joined
    stops = np.where(joined, len(tags), np.arange(len(tags)))  # rows that the chunk before them does not reach
    behind = np.append(stops, len(tags))[1:]
    ends = np.minimum.accumulate(behind[::-1])[::-1]
    return Chunks(begins & ~np.isin(kind, list(excluded)), kind, ends)


def _chunk_eval(xp, found, label, lod, length=None, *, num_chunk_types: int, chunk_scheme: str = "IOB",
                excluded_chunk_types: Ints = ()):
    scheme = SCHEMES[chunk_scheme]
    if length is None:
        offsets = to_numpy(last_of("chunk_eval(input)", lod, len(found)))
        tags, truth = to_numpy(found).reshape(-1), to_numpy(label).reshape(-1)
    else:
        lengths = to_numpy(length).reshape(-1).astype("int64")
        size = found.shape[1]
        if lengths.size and (lengths.min() < 0 or lengths.max() > size):
            raise ValueError(f"chunk_eval(seq_length): must lie in [0, {size}]. Received {lengths.tolist()}.")
        kept = np.arange(size) < lengths[:, None]
        tags, truth = (to_numpy(a).reshape(-1, size)[kept] for a in (found, label))
        offsets = np.append(0, lengths.cumsum())
    highest = num_chunk_types * scheme.positions
    for name, values in (("input", tags), ("label", truth)):
        if values.size and (values.min() < 0 or values.max() > highest):
            raise ValueError(f"chunk_eval({name}): tags must lie in [0, {highest}], {num_chunk_types} types of "
                             f"{scheme.positions} positions and one for what is outside. "
                             f"Received {int(values.min())} to {int(values.max())}.")
    firsts = offsets[:-1][np.diff(offsets) > 0]
    own, true = (chunks_of(t, firsts, scheme, num_chunk_types, excluded_chunk_types) for t in (tags, truth))
    right = own.begins & true.begins & (own.types == true.types) & (own.ends == true.ends)
    counts = [int(a.sum()) for a in (own.begins, true.begins, right)]
    inferred, labelled, correct = counts
    precision = correct / inferred if inferred else 0.0
    recall = correct / labelled if labelled else 0.0
    f1 = 2 * precision * recall / (precision + recall) if correct else 0.0
    return (*(xp.asarray([v], "float32") for v in (precision, recall, f1)),
            *(xp.asarray([n], "int64") for n in counts))


def _infer(found, label, lod, length=None, *, num_chunk_types, chunk_scheme="IOB", excluded_chunk_types=()):
    if chunk_scheme not in SCHEMES:
        raise ValueError(f"chunk_eval(chunk_scheme): must be one of {', '.join(SCHEMES)}. Received {chunk_scheme!r}.")
    if length is None:
        levels_of("chunk_eval(input)", lod or [])
    return (*[Spec((1,), dt.float32)] * 3, *[Spec((1,), dt.int64)] * 3)


chunk_eval_op = operator(
    "chunk_eval",
    "Inference, Label, lod^Inference, SeqLength? -> Precision, Recall, F1-Score, NumInferChunks, NumLabelChunks, "
    "NumCorrectChunks", kernel=_chunk_eval, infer=_infer, fails="values", lod="drop")
"""Precision, recall and F1, and how many chunks are found, in the labels, and right; [1] each."""
