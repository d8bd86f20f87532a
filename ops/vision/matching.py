"""Boxes of an image matched with those that it should show: iou_similarity, bipartite_match, target_assign, mining.

What belongs to the images of a batch lies one behind the other, with a LoD that says where each image begins.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...backend.arrays import to_numpy
from ...core import dtype as dt
from ..core.infer import promoting
from ..core.operator import operator
from ..core.spec import Spec
from ..sequence.offsets import last_of
from ..sequence.steps import sequences_of


def bounds_of(what: str, x: Any, lod: Any) -> list[tuple[int, int]]:
    """Where the rows of each image begin and end; all are of one image where there is no LoD."""
    if not lod:
        return [(0, len(x))]
    offsets = to_numpy(last_of(what, lod, len(x))).tolist()
    return list(zip(offsets[:-1], offsets[1:], strict=True))


# iou_similarity

def _iou(xp, x, y, *, box_normalized: bool = True):
    more = 0 if box_normalized else 1
    a, b = x[:, None], y[None]
    common: Any = 1
    for n in range(2):
        side = xp.minimum(a[..., n + 2], b[..., n + 2]) - xp.maximum(a[..., n], b[..., n]) + more
        common = common * xp.maximum(side, 0)
    areas = [(z[..., 2] - z[..., 0] + more) * (z[..., 3] - z[..., 1] + more) for z in (a, b)]
    return common / (areas[0] + areas[1] - common)


def _infer_iou(x, y, **_):
    if any(z.rank != 2 or z.shape[1] not in (4, -1) for z in (x, y)):
        raise ValueError(f"iou_similarity(x, y): must have the shapes [N, 4] and [M, 4]. "
                         f"Received {list(x.shape)} and {list(y.shape)}.")
    return Spec((x.shape[0], y.shape[0]), x.dtype)


iou_similarity_op = operator("iou_similarity", "X, Y -> Out", kernel=_iou, infer=promoting(_infer_iou))
"""Intersection over union of each box of X [N, 4] with each of Y [M, 4]: [N, M], with the LoD of X."""


# bipartite_match

_LEAST = 1e-6  # what is nearer to nothing than this matches nothing


def _matched(distances: np.ndarray, per_prediction: bool, threshold: float) -> tuple[np.ndarray, np.ndarray]:
    """For each column the row that it is matched with, or -1, and how near these are.

    The nearest pair of a row and a column that are both free is matched, and the next, until no row or pair is left.
    """
    rows, columns = distances.shape
    index, near = np.full(columns, -1, "int32"), np.zeros(columns, distances.dtype)
    free = np.where(distances >= _LEAST, distances, -1.0).T.copy()  # of equal ones the first column is taken
    for _ in range(min(rows, columns)):
        at = int(free.argmax())
        column, row = divmod(at, rows)
        if free[column, row] <= 0:
            break
        index[column], near[column] = row, distances[row, column]
        free[column], free[:, row] = -1, -1
    if per_prediction and rows:
        best = distances.argmax(0)
        value = distances[best, np.arange(columns)]
        more = (index == -1) & (value >= max(threshold, _LEAST))
        index[more], near[more] = best[more], value[more]
    return index, near


def _bipartite_match(xp, distances, lod=(), *, match_type: str = "bipartite", dist_threshold: float = 0.5):
    if match_type not in ("bipartite", "per_prediction"):
        raise ValueError(f"bipartite_match(match_type): must be 'bipartite' or 'per_prediction'. "
                         f"Received {match_type!r}.")
    values = to_numpy(distances)
    found = [_matched(values[a:b], match_type == "per_prediction", dist_threshold)
             for a, b in bounds_of("bipartite_match(dist_matrix)", distances, lod)]
    shape = (len(found), values.shape[1])
    return (xp.asarray(np.array([index for index, _ in found], "int32").reshape(shape)),
            xp.asarray(np.array([near for _, near in found], values.dtype).reshape(shape)))


def _infer_match(distances, lod=(), *, match_type="bipartite", dist_threshold=0.5):
    if distances.rank != 2:
        raise ValueError(f"bipartite_match(dist_matrix): must have two dimensions. Received {list(distances.shape)}.")
    shape = (sequences_of(lod) if lod else 1, distances.shape[1])
    return Spec(shape, dt.int32), Spec(shape, distances.dtype)


bipartite_match_op = operator(
    "bipartite_match", "DistMat, lod^DistMat -> ColToRowMatchIndices, ColToRowMatchDist", kernel=_bipartite_match,
    infer=_infer_match, lod="drop", fails="values")
"""For each image and column of DistMat [rows of all images, M] the row of the image that it is matched with, or -1,
and how near these are: [N, M]. 'per_prediction' also matches free columns with their nearest row, from
`dist_threshold` on."""


# target_assign

def _target_assign(xp, x, index, negative=None, lod=(), negative_lod=(), *, mismatch_value: int = 0):
    begins = xp.asarray([a for a, _ in bounds_of("target_assign(input)", x, lod)])[:, None]
    if len(begins) != len(index):
        raise ValueError(f"target_assign(input, matched_indices): must be of as many images. Received {len(begins)} "
                         f"and {len(index)}.")
    rows = xp.where(index > -1, begins + index, 0)
    columns = xp.arange(index.shape[1])[None] % x.shape[1]
    if len(x):
        out = xp.where((index > -1)[..., None], x[rows, columns], xp.asarray(mismatch_value, x.dtype))
    else:
        out = xp.full((*index.shape, x.shape[2]), mismatch_value, x.dtype)
    weight = (index > -1).astype("float32")[..., None]
    if negative is not None:
        for n, (a, b) in enumerate(bounds_of("target_assign(negative_indices)", negative, negative_lod)):
            at = negative[a:b].reshape(-1)
            out[n, at], weight[n, at] = mismatch_value, 1.0
    return out, weight


def _infer_assign(x, index, negative=None, lod=(), negative_lod=(), *, mismatch_value=0):
    if x.rank != 3 or index.rank != 2:
        raise ValueError(f"target_assign(input, matched_indices): must have the shapes [rows, P, K] and [N, M]. "
                         f"Received {list(x.shape)} and {list(index.shape)}.")
    return Spec((*index.shape, x.shape[2]), x.dtype), Spec((*index.shape, 1), dt.float32)


target_assign_op = operator(
    "target_assign", "X, MatchIndices, NegIndices?, lod^X, lod_neg^NegIndices -> Out, OutWeight",
    kernel=_target_assign, infer=_infer_assign, fails="values", lod="drop")
"""For each place of MatchIndices [N, M] the row of X [rows of all images, P, K] that it names, `mismatch_value` for -1;
and a weight: 1 where it names one, and at NegIndices. Column m takes the entry m % P of a row."""


# mine_hard_examples

def _mined(losses: np.ndarray, index: np.ndarray, near: np.ndarray, most: Any, chosen: np.ndarray) -> np.ndarray:
    """Of the places that may be chosen the ones with the largest losses, in order."""
    at = np.flatnonzero(chosen)
    order = at[np.argsort(-losses[at], kind="stable")]
    return np.sort(order[:most])


def _mine(xp, cls_loss, loc_loss, index, near, *, neg_pos_ratio: float = 1.0, neg_dist_threshold: float = 0.5,
          sample_size: int = 0, mining_type: str = "max_negative"):
    losses, places, distances = to_numpy(cls_loss), to_numpy(index), to_numpy(near)
    is_hard = mining_type == "hard_example"
    if is_hard and loc_loss is not None:
        losses = losses + to_numpy(loc_loss)
    updated, found = places.copy(), []
    for n, matched in enumerate(places):
        if is_hard:
            chosen = _mined(losses[n], matched, distances[n], sample_size, np.ones(len(matched), bool))
            found.append(chosen[matched[chosen] == -1])
            updated[n, np.setdiff1d(np.flatnonzero(matched > -1), chosen)] = -1
        else:
            most = int((matched > -1).sum() * np.float32(neg_pos_ratio))
            free = (matched == -1) & (distances[n] < np.float32(neg_dist_threshold))
            found.append(_mined(losses[n], matched, distances[n], most, free))
    offsets = np.concatenate([[0], np.cumsum([len(at) for at in found])])
    negative = np.concatenate([np.zeros(0, "int32"), *found]).astype("int32")[:, None]
    return xp.asarray(negative), xp.asarray(updated), [xp.asarray(offsets, dtype="int64")]


def _infer_mine(cls_loss, loc_loss, index, near, *, mining_type="max_negative", sample_size=0, **_):
    if mining_type not in ("max_negative", "hard_example"):
        raise ValueError(f"mine_hard_examples(mining_type): must be 'max_negative' or 'hard_example'. "
                         f"Received {mining_type!r}.")
    return Spec((-1, 1), dt.int32), Spec(index.shape, dt.int32), [Spec((-1,), dt.int64)]


mine_hard_examples_op = operator(
    "mine_hard_examples", "ClsLoss, LocLoss?, MatchIndices, MatchDist -> NegIndices, UpdatedMatchIndices, "
    "out_lod^NegIndices", kernel=_mine, infer=_infer_mine, lod="drop")
"""The free places of each image that cost most, as many as `neg_pos_ratio` times its matched ones: their numbers [K, 1]
with a LoD, and the matches. 'hard_example' takes the `sample_size` most expensive places, matched or not."""

