"""accuracy: how many of the best guesses are right; auc: the area under the ROC curve, counted in buckets."""

from typing import Any

from ...core.dtype import float32, float64, int32, int64
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import in_dtype


def _accuracy(xp, values, indices, label):
    right = (indices == label.reshape(-1, 1)).any(axis=1)
    correct = right.sum()
    return (xp.asarray(correct / max(len(right), 1), "float32"), xp.asarray(correct, "int32"),
            xp.asarray(len(right), "int32"))


accuracy_op = operator(
    "accuracy", "Out, Indices, Label -> Accuracy, Correct, Total", kernel=_accuracy,
    infer=lambda values, indices, label: (Spec((), float32), Spec((), int32), Spec((), int32)),
    adapted=lambda values, indices, label: ((values, in_dtype(indices, int64), in_dtype(label, int64)), {}),
    lod="first")


def accuracy_of(values: Any, indices: Any, label: Any) -> tuple[Any, Any, Any]:
    """The part of the rows whose label is among their indices (float32), how many these are, and of how many (int32).

    `values`, `indices`: what `topk` gives, [N, k]. `label`: [N, 1] or [N], integers.
    """
    return apply(accuracy_op, values, indices, label)


def _counted(xp: Any, predict: Any, label: Any, thresholds: int, tags: Any) -> tuple[Any, Any]:
    """How many positive and how many negative samples fall into each bucket of the last column's scores."""
    scores = predict.reshape(len(predict), -1)[:, -1]
    if bool(((scores < 0) | (scores > 1)).any()):
        raise ValueError("auc(input): the scores must be probabilities, in [0, 1].")
    buckets = (scores * thresholds).astype("int64")
    is_positive = label.reshape(-1) != 0
    counted = xp.ones(len(scores), bool) if tags is None else tags.reshape(-1) != 0

    def count(chosen: Any) -> Any:
        return xp.bincount(buckets[chosen & counted], minlength=thresholds + 1).astype("int64")

    return count(is_positive), count(~is_positive)


def _area(xp: Any, positive: Any, negative: Any) -> Any:
    """That of the trapezoids between the points of the curve, from the highest threshold down."""
    up, along = xp.cumsum(positive[::-1]), xp.cumsum(negative[::-1])
    before = up - positive[::-1]
    area = ((up + before) * negative[::-1]).sum() / 2.0
    return xp.asarray(area / (up[-1] * along[-1]) if up[-1] > 0 and along[-1] > 0 else 0.0, "float64")


def _moved(xp: Any, stat: Any, counts: Any, slide_steps: int) -> tuple[Any, Any]:
    """The statistics with a batch more, in their own shape, and the counts that they stand for now.

    Without steps they are the counts of all batches. Otherwise: those of the last `slide_steps` batches in a ring,
    their sum, and how many batches there were.
    """
    if slide_steps <= 0:
        total = stat.reshape(-1) + counts
        return total.reshape(stat.shape), total
    flat = stat.reshape(-1).copy()
    ring, total = flat[:slide_steps * len(counts)].reshape(slide_steps, -1), flat[slide_steps * len(counts):-1]
    place = int(flat[-1]) % slide_steps
    total += counts - ring[place]
    ring[place] = counts
    flat[-1] += 1
    return flat.reshape(stat.shape), total


def _auc(xp, predict, label, positives, negatives, tags=None, *, curve: str = "ROC", num_thresholds: int = 4095,
         slide_steps: int = 1):
    positive, negative = _counted(xp, predict, label, num_thresholds, tags)
    positives, up = _moved(xp, positives, positive, slide_steps)
    negatives, along = _moved(xp, negatives, negative, slide_steps)
    return _area(xp, up, along), positives, negatives


auc_op = operator(
    "auc", "Predict, Label, StatPos, StatNeg, InsTagWeight? -> AUC, StatPosOut=StatPos, StatNegOut=StatNeg",
    kernel=_auc, infer=lambda predict, label, positives, negatives, tags=None, **_: (
        Spec((), float64), positives, negatives), fails="values", unsaid={"num_thresholds": 8191})
"""The area (float64), and the statistics with the batch counted: see `static.auc`."""
