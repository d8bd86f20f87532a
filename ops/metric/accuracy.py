"""How many of the best guesses are right: `accuracy`, of what `topk` gives."""

from typing import Any

from ...core.dtype import float32, int32, int64
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.elementwise import in_dtype


def _accuracy(xp, values, indices, label):
    right = (indices == label.reshape(-1, 1)).any(axis=1)
    correct = right.sum()
    return (xp.asarray(correct / max(len(right), 1), "float32"), xp.asarray(correct, "int32"),
            xp.asarray(len(right), "int32"))


accuracy_op = operator(
    "accuracy", "Out, Indices, Label -> Accuracy, Correct, Total", kernel=_accuracy,
    infer=lambda values, indices, label: (Spec((), float32), Spec((), int32), Spec((), int32)),
    adapted=lambda values, indices, label: ((values, in_dtype(indices, int64), in_dtype(label, int64)), {}))


def accuracy_of(values: Any, indices: Any, label: Any) -> tuple[Any, Any, Any]:
    """The part of the rows whose label is among their indices (float32), how many these are, and of how many (int32).

    `values`, `indices`: what `topk` gives, [N, k]. `label`: [N, 1] or [N], integers.
    """
    return apply(accuracy_op, values, indices, label)
