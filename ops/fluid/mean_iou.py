"""Metrics and others of Paddle 1.x: mean_iou, unique_with_counts, add_position_encoding, cvm, shuffle_batch."""


import math
from typing import Any

import numpy as np

from ...backend.repeats import bincount
from ...core import dtype as dt
from ...core.dtype import DType
from ...core.minimal_standard import Numbers
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.elementwise import scale
from ..sequence.offsets import last_of, lengths_of, levels_of, places_in, repeated


def _mean_iou(xp, predictions, labels, wrongs=None, corrects=None, ious=None, *, num_classes: int):
    guesses, truths = predictions.reshape(-1), labels.reshape(-1)
    right = guesses == truths
    correct, missed, false = (bincount(xp, "mean_iou(input, label)", classes, minlength=num_classes)
                              for classes in (truths[right], truths[~right], guesses[~right]))
    wrong = missed + false
    for total in wrongs or ():
        wrong = wrong + total
    for total in corrects or ():
        correct = correct + total
    union = wrong + correct
    seen = union > 0
    share = xp.where(seen, correct / xp.maximum(union, 1), 0.0)
    mean = share.sum() / max(int(seen.sum()), 1)
    for before in ious or ():
        mean = mean + before.reshape(())
    return (xp.asarray(mean).reshape(1).astype("float32"), wrong.astype("int32"), correct.astype("int32"))


def _infer_mean_iou(predictions, labels, *_, num_classes):
    counts = Spec((num_classes,), dt.int32)
    return Spec((1,), dt.float32), counts, counts


mean_iou_op = operator(
    "mean_iou", "Predictions, Labels, InWrongs*?, InCorrects*?, InMeanIou*? -> OutMeanIou, OutWrong, OutCorrect",
    kernel=_mean_iou, infer=_infer_mean_iou, lod="drop", fails="values")


def _unique(xp, x, *, dtype: DType = dt.int64):
    values, first, index, counts = xp.unique(x, return_index=True, return_inverse=True, return_counts=True)
    order = xp.argsort(first, kind="stable")
    place = xp.empty_like(order)
    place[order] = xp.arange(len(order))
    return values[order], place[index.reshape(-1)].astype(dtype.dtype), counts[order].astype(dtype.dtype)


unique_with_counts_op = operator(
    "unique_with_counts", "X -> Out, Index, Count", kernel=_unique, lod="drop",
    infer=lambda x, *, dtype=dt.int64: (Spec((-1,), x.dtype), Spec(x.shape, dtype), Spec((-1,), dtype)))


def _positions(xp: Any, length: int, width: int, dtype: Any) -> Any:
    half = width // 2
    places = np.arange(length)[:, None] / np.power(10000.0, np.arange(half) / max(half - 1, 1))
    if half <= 1:
        places = np.arange(length)[:, None] / np.full((1, half), 10000.0)
    return xp.asarray(np.concatenate([np.sin(places), np.cos(places)], 1), dtype)


def _encoded(xp, x, lod=(), *, alpha: float = 1.0, beta: float = 1.0):
    if x.ndim == 3:
        return x * alpha + _positions(xp, x.shape[1], x.shape[2], x.dtype) * beta
    places = places_in(xp, last_of("add_position_encoding(input)", lod, len(x)))
    longest = int(places.max()) + 1 if len(places) else 0
    return x * alpha + _positions(xp, longest, x.shape[1], x.dtype)[places] * beta


def _infer_encoded(x, lod=(), *, alpha=1.0, beta=1.0):
    if x.rank not in (2, 3) or x.shape[-1] % 2:
        raise ValueError(f"add_position_encoding(input): [N, length, an even width], or rows of sequences, [N, an even "
                         f"width]. Received shape {list(x.shape)}.")
    if x.rank == 2:
        levels_of("add_position_encoding(input)", lod)
    return x


add_position_encoding_op = operator("add_position_encoding", "X, lod^X -> Out", kernel=_encoded, infer=_infer_encoded,
                                    grad={"X": lambda g, alpha: scale(g, alpha)})


def _cvm(xp, x, cvm, lod, *, use_cvm: bool = True):
    if not use_cvm:
        return x[:, 2:].copy()
    result = x.copy()
    result[:, 0] = xp.log(x[:, 0] + 1)
    result[:, 1] = xp.log(x[:, 1] + 1) - result[:, 0]
    return result


def _cvm_back(xp, g, cvm, lod, *, use_cvm: bool = True):
    if lod:  # a sequence's shows and clicks are those of each of its rows
        cvm = repeated(xp, cvm, lengths_of(lod[0]), lod[0])
    return xp.concatenate([cvm.astype(g.dtype), g[:, 2:] if use_cvm else g], axis=1)


def _infer_cvm(x, cvm, lod, *, use_cvm=True):
    return x if use_cvm else Spec((x.shape[0], x.shape[1] - 2), x.dtype)


cvm_grad_op = operator("cvm_slope", "G, CVM, lod* -> XGrad", kernel=_cvm_back, only_here=True,
                       infer=lambda g, cvm, lod, *, use_cvm=True: Spec((g.shape[0], g.shape[1] + (0 if use_cvm else 2)),
                                                                  g.dtype))
cvm_op = operator("cvm", "X, CVM, lod^X -> Y", kernel=_cvm, infer=_infer_cvm, grad={
    "X": lambda g, CVM, lod, use_cvm: apply(cvm_grad_op, g, CVM, lod, use_cvm=use_cvm)})


def _shuffled(xp, x, seed, *, startup_seed: int = 0):
    count = math.prod(x.shape[:-1])
    start = int(seed.reshape(-1)[0]) if seed.size else startup_seed
    draw = Numbers(start, 16807)
    order = xp.asarray(draw.order(count), "int64")
    return _put_back(xp, x, order), order, xp.full((1,), draw.next(), "int64")


def _put_back(xp, g, order):
    flat = g.reshape(-1, g.shape[-1])
    result = xp.empty_like(flat)
    result[order] = flat
    return result.reshape(g.shape)


def _taken(xp, x, order):
    return x.reshape(-1, x.shape[-1])[order].reshape(x.shape)


unshuffle_op = operator("unshuffle_batch", "G, Order -> XGrad", kernel=_put_back, infer=lambda g, order: g, moves=True,
                        only_here=True, grad={"G": lambda g, Order: apply(reorder_op, g, Order)}, fails="values")
reorder_op = operator("reorder_batch", "X, Order -> Out", kernel=_taken, infer=lambda x, order: x, moves=True,
                      only_here=True, grad={"X": lambda g, Order: apply(unshuffle_op, g, Order)}, fails="values")
shuffle_batch_op = operator(
    "shuffle_batch", "X, Seed -> Out, ShuffleIdx, SeedOut=Seed", kernel=_shuffled, moves=False,
    infer=lambda x, seed, **_: (x, Spec((-1,), dt.int64), Spec((1,), dt.int64)),
    grad={"X": lambda g, ShuffleIdx: apply(reorder_op, g, ShuffleIdx)})
