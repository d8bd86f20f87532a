"""Metrics that Programs of Paddle 1.x compute themselves: precision and recall of classes, pairs in the right order."""

from typing import Any

from ...core import dtype as dt
from ..core.operator import operator
from ..core.spec import Spec


def _weights(xp: Any, like: Any, weights: Any, count: int) -> Any:
    return xp.ones(count, like.dtype) if weights is None else weights.reshape(-1)


def _metrics(xp: Any, states: Any) -> Any:
    """Precision, recall and F1: the classes' means, then those of all samples. What nothing was counted for is 1."""
    right, false, _, missed = states.astype("float64").T

    def share(part: Any, rest: Any) -> Any:
        whole = part + rest
        return xp.where(whole > 0, part / xp.where(whole > 0, whole, 1), 1.0)

    found = []
    for precision, recall in ((share(right, false).mean(), share(right, missed).mean()),
                              (share(right.sum(), false.sum()), share(right.sum(), missed.sum()))):
        both = precision + recall
        found += [precision, recall, xp.where(both > 0, 2 * precision * recall / xp.where(both > 0, both, 1), 0.0)]
    return xp.stack([xp.asarray(one).reshape(()) for one in found])


def _precision_recall(xp, probabilities, guesses, labels, weights=None, before=None, *, class_number: int):
    classes = xp.arange(class_number)
    guessed, true = guesses.reshape(-1, 1) == classes, labels.reshape(-1, 1) == classes
    w = _weights(xp, probabilities, weights, len(guessed))[:, None]
    counted = (guessed & true, guessed & ~true, ~guessed & ~true, ~guessed & true)  # true, false positives; negatives
    states = xp.stack([(each * w).sum(0) for each in counted], 1).astype(probabilities.dtype)
    total = states if before is None else states + before.astype(states.dtype)
    return _metrics(xp, states), _metrics(xp, total), total


def _infer_precision_recall(probabilities, *_, class_number):
    numbers = Spec((6,), dt.float64)
    return numbers, numbers, Spec((class_number, 4), probabilities.dtype)


precision_recall_op = operator(
    "precision_recall", "MaxProbs, Indices, Labels, Weights?, StatesInfo? -> BatchMetrics, AccumMetrics, "
                        "AccumStatesInfo", kernel=_precision_recall, infer=_infer_precision_recall, lod="drop")


def _pairs(xp, scores, labels, queries, positives=None, negatives=None, neutrals=None, weights=None, *,
           column: int = 0):
    score, label, query = scores[:, column], labels.reshape(-1), queries.reshape(-1)
    w = _weights(xp, scores, weights, len(score))
    asked = xp.triu((query[:, None] == query) & (label[:, None] != label), 1) * (w[:, None] + w) * 0.5
    order = (score[:, None] - score) * (label[:, None] - label)
    before = (positives, negatives, neutrals) if positives is not None else (None,) * 3
    found = []
    for chosen, old in zip((order > 0, order <= 0, score[:, None] == score), before, strict=True):
        total = (asked * chosen).sum().reshape(1).astype(scores.dtype)
        found.append(total if old is None else total + old.astype(total.dtype))
    return tuple(found)


def _infer_pairs(scores, *_, column=0):
    one = Spec((1,), scores.dtype)
    return one, one, one


positive_negative_pair_op = operator(
    "positive_negative_pair", "Score, Label, QueryID, AccumulatePositivePair?, AccumulateNegativePair?, "
                              "AccumulateNeutralPair?, Weight? -> PositivePair, NegativePair, NeutralPair?",
    kernel=_pairs, infer=_infer_pairs, lod="drop")
