"""beam_search: one step of a search that keeps the best beginnings of sentences; beam_search_decode: the sentences.

Rows are beginnings that are still searched: LoD says which of them belong to one source, and, level by level further
in, which of them go on from one row of the step before.
"""

from typing import Any

import numpy as np

from ...backend.arrays import to_numpy
from ...core.dtype import int32, int64
from ..core.operator import operator
from ..core.spec import Spec
from ..program.tensor_arrays import ArraySpec
from .offsets import levels_of


def _bounds(scores: Any, lod: list, level: int) -> np.ndarray:
    """The rows at which sources begin and end."""
    if not 0 <= level < len(lod):
        raise ValueError(f"beam_search(level): must be a level of the scores' LoD, which has {len(lod)}. "
                         f"Received {level}.")
    bounds = to_numpy(lod[level])
    for inner in lod[level + 1:]:
        bounds = to_numpy(inner)[bounds]
    if bounds[-1] != len(scores):
        raise ValueError(f"beam_search(scores): the offsets of the LoD must end with the number of rows, "
                         f"{len(scores)}. Received {bounds.tolist()}.")
    return bounds


def _candidates(ids: Any, scores: np.ndarray, before: np.ndarray, before_scores: np.ndarray, end_id: int,
                is_accumulated: bool) -> tuple[np.ndarray, ...]:
    """The rows, words and scores of all that may go on; a sentence that has ended only by its end."""
    rows, width = scores.shape
    words = np.broadcast_to(np.arange(width), scores.shape) if ids is None else to_numpy(ids).reshape(scores.shape)
    total = scores if is_accumulated else before_scores[:, None] + np.log(scores)
    ended = before == end_id
    goes_on = np.broadcast_to(~ended[:, None], scores.shape).copy()
    goes_on[ended, :1] = True
    words = np.where(ended[:, None], end_id, words)[goes_on]
    total = np.where(ended[:, None], before_scores[:, None], total)[goes_on]
    return np.repeat(np.arange(rows), goes_on.sum(1)), words, total


def _beam_search(xp, pre_ids, pre_scores, ids, scores, lod, *, level: int = 0, beam_size: int = 1, end_id: int = 0,
                 is_accumulated: bool = True):
    bounds = _bounds(scores, lod, level)
    before = to_numpy(pre_ids).reshape(-1)
    values = to_numpy(scores).reshape(len(before), -1)
    row, word, score = _candidates(ids, values, before, to_numpy(pre_scores).reshape(-1), end_id, is_accumulated)
    source = np.searchsorted(bounds, row, side="right") - 1
    order = np.lexsort((-row, -score, source))  # of equal scores the later row's
    row, word, score, source = row[order], word[order], score[order], source[order]
    rank = np.arange(len(row)) - np.searchsorted(source, source)
    best = rank < beam_size
    goes_on = np.zeros(len(bounds) - 1, bool)
    np.logical_or.at(goes_on, source[best], ~((word[best] == end_id) & (before[row[best]] == end_id)))
    best &= goes_on[source]
    row, word, score = row[best], word[best], score[best]
    order = np.argsort(row, kind="stable")
    row, word, score = row[order], word[order], score[order]
    inner = np.append(0, np.cumsum(np.bincount(row, minlength=len(before))))
    made = [xp.asarray(bounds.astype("int64")), xp.asarray(inner.astype("int64"))]
    return (xp.asarray(word.astype(pre_ids.dtype).reshape(-1, 1)), xp.asarray(score.reshape(-1, 1)),
            xp.asarray(row.astype("int32")), made, [level.copy() for level in made])


def _infer_search(pre_ids, pre_scores, ids, scores, lod, *, level=0, beam_size=1, end_id=0, is_accumulated=True):
    levels_of("beam_search(scores)", lod or [])
    if beam_size < 1:
        raise ValueError(f"beam_search(beam_size): must be at least 1. Received {beam_size}.")
    offsets = [Spec((-1,), int64)] * 2
    return Spec((-1, 1), pre_ids.dtype), Spec((-1, 1), pre_scores.dtype), Spec((-1,), int32), offsets, offsets


beam_search_op = operator(
    "beam_search",
    "pre_ids, pre_scores, ids?, scores, lod^scores -> selected_ids, selected_scores, parent_idx?, "
    "ids_lod^selected_ids, scores_lod^selected_scores", kernel=_beam_search, infer=_infer_search, fails="values",
    lod="drop")
"""The words that the best beginnings go on with, [M, 1], what these score, and which rows they come from, [M]."""


# sentences from steps

class _Sources:
    """What is gathered, from the last step back: of each source its sentences, the last word first."""

    def __init__(self, count: int, end_id: int):
        self.words: list[list[list[int]]] = [[] for _ in range(count)]
        self.scores: list[list[list[float]]] = [[] for _ in range(count)]
        self.rows: list[list[int]] = [[] for _ in range(count)]  # of the step before, one for each sentence
        self.end_id = end_id

    def take(self, ids: list[int], scores: list[float], outer: list[int], inner: list[int]) -> None:
        """One step's rows with their offsets."""
        origin = np.repeat(np.arange(len(inner) - 1), np.diff(inner)).tolist()
        for source, rows in enumerate(self.rows):
            if not rows:  # it has ended here
                begin, end = inner[outer[source]], inner[outer[source + 1]]
                self.words[source] = [[ids[n]] for n in range(begin, end)]
                self.scores[source] = [[scores[n]] for n in range(begin, end)]
                self.rows[source] = origin[begin:end]
                continue
            for sentence, row in enumerate(rows):
                if ids[row] != self.end_id or not self.words[source][sentence]:  # an end is said once
                    self.words[source][sentence].append(ids[row])
                    self.scores[source][sentence].append(scores[row])
                rows[sentence] = origin[row]

    def sentences(self) -> tuple[list[int], list[float], list[int], list[int]]:
        """Words and scores of all sentences, the best of each source first; their offsets, level by level."""
        words: list[int] = []
        scores: list[float] = []
        outer, inner = [0], [0]
        for own, own_scores in zip(self.words, self.scores, strict=True):
            for n in sorted(range(len(own)), key=lambda n: -own_scores[n][0]):
                words += own[n][::-1]
                scores += own_scores[n][::-1]
                inner.append(len(words))
            outer.append(len(inner) - 1)
        return words, scores, outer, inner


def _decode(xp, ids, scores, lod, *, beam_size: int = 1, end_id: int = 0):
    if not len(ids) or len(ids) != len(scores):
        raise ValueError(f"beam_search_decode(ids, scores): must hold the same steps, one at least. Received "
                         f"{len(ids)} and {len(scores)}.")
    if len(lod) != 2:
        raise ValueError(f"beam_search_decode(ids): its items must have the two levels of LoD that beam_search gives "
                         f"them. Received {len(lod)}.")
    outer, inner = ([to_numpy(offsets) for offsets in level] for level in lod)
    found = _Sources(len(outer[0]) - 1, end_id)
    steps = list(zip(ids, scores, outer, inner, strict=True))
    for words, values, level_0, level_1 in reversed(steps):
        found.take(*(to_numpy(a).reshape(-1).tolist() for a in (words, values, level_0, level_1)))
    words, values, *levels = found.sentences()
    made = [xp.asarray(level, "int64") for level in levels]
    dtype = next(iter(scores)).dtype
    return xp.asarray(words, "int64"), xp.asarray(values, dtype), made, [level.copy() for level in made]


def _infer_decode(ids, scores, lod, *, beam_size=1, end_id=0):
    if not isinstance(ids, ArraySpec) or not isinstance(scores, ArraySpec):
        raise TypeError("beam_search_decode(ids, scores): must be lists of a Program (create_array, array_write) with "
                        "a step's results of beam_search each.")
    offsets = [Spec((-1,), int64)] * 2
    return Spec((-1,), int64), Spec((-1,), scores.dtype), offsets, offsets


beam_search_decode_op = operator(
    "beam_search_decode",
    "Ids, Scores, lod^Ids -> SentenceIds, SentenceScores, ids_lod^SentenceIds, scores_lod^SentenceScores",
    kernel=_decode, infer=_infer_decode, fails="values", lists=True, lod="drop")
"""The words of all sentences with their scores, [words] each: the sources' sentences, the best first."""
