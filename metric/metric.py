"""Metric, what all metrics offer, and Accuracy."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ops.array.full import is_value
from ..ops.array.reshape import reshape
from ..ops.array.sorting import topk as best
from ..ops.math.casting import cast
from ..ops.math.comparison import equal
from ..ops.math.extreme_positions import argmax
from ..ops.metric.accuracy_auc import accuracy_of


def as_array(where: str, label: str, value: Any) -> np.ndarray:
    """The array of a Tensor, or an array as it is; ValueError for anything else."""
    if is_value(value):
        return value.numpy()
    if isinstance(value, (np.ndarray, np.generic)):
        return np.asarray(value)
    raise ValueError(f"{where}({label}): must be a Tensor or an array. Received {type(value).__name__}.")


class Metric(abc.ABC):
    """A number, or several, by which predictions are judged, kept over batches.

    For each batch `update(*compute(*outputs, *labels))` is called; `accumulate()` gives the result so far, `reset()`
    begins again, `name()` says what it is called. `compute` works on Tensors and need not be defined: by default it
    passes its arguments on.

    >>> import proa as paddle
    >>> class Largest(paddle.metric.Metric):
    ...     def __init__(self):
    ...         self.reset()
    ...     def reset(self):
    ...         self.value = 0.0
    ...     def update(self, scores):
    ...         self.value = max(self.value, float(scores.max()))
    ...     def accumulate(self):
    ...         return self.value
    ...     def name(self):
    ...         return "largest"
    >>> largest = Largest()
    >>> largest.update(paddle.to_tensor([1.0, 3.0]))
    >>> largest.accumulate()
    3.0
    """

    @abc.abstractmethod
    def reset(self) -> None:
        """Forgets all batches."""

    if TYPE_CHECKING:  # that a subclass names what it takes is no other signature to type checkers

        @abc.abstractmethod
        def update(self, *args: Any, **kwargs: Any) -> Any:
            """Takes what `compute` gave, as arrays or Tensors; may give the result of this batch."""

        def compute(self, *args: Any, **kwargs: Any) -> Any:
            """What `update` needs, of a model's outputs and the labels."""
    else:

        @abc.abstractmethod
        def update(self, *args: Any) -> Any:
            """Takes what `compute` gave, as arrays or Tensors; may give the result of this batch."""

        def compute(self, *args: Any) -> Any:
            """What `update` needs, of a model's outputs and the labels."""
            return args

    @abc.abstractmethod
    def accumulate(self) -> Any:
        """The result over all batches since `reset`."""

    @abc.abstractmethod
    def name(self) -> Any:
        """Its name, or the names of its numbers."""


class Accuracy(Metric):
    """The part of the samples whose label is among the k best predictions, for each k of `topk`.

    >>> import proa as paddle
    >>> metric = paddle.metric.Accuracy()
    >>> predictions = paddle.to_tensor([[0.1, 0.9], [0.8, 0.2]])
    >>> correct = metric.compute(predictions, paddle.to_tensor([[1], [1]]))
    >>> metric.update(correct), metric.accumulate()
    (0.5, 0.5)
    """

    def __init__(self, topk: Sequence[int] = (1,), name: str | None = None, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.topk, self.maxk = topk, max(topk)
        name = name or "acc"
        self._name = [name] if self.maxk == 1 else [f"{name}_top{k}" for k in topk]
        self.reset()

    def compute(self, pred: Any, label: Any, *args: Any) -> Any:
        """Where each of the `maxk` best predictions is right: float32 [..., maxk].

        `pred`: scores [N, ..., classes]; `label`: integers [N], [N, ..., 1], or one-hot [N, ..., classes].
        """
        _, indices = best(pred, min(self.maxk, pred.shape[-1]), axis=-1)
        if len(label.shape) == 1 or len(label.shape) == 2 and label.shape[-1] == 1:
            label = reshape(label, (-1, 1))
        elif label.shape[-1] != 1:
            label = argmax(label, axis=-1, keepdim=True)
        return cast(equal(indices, cast(label, indices.dtype)), "float32")

    def update(self, correct: Any, *args: Any) -> Any:
        """Adds a batch, as `compute` gave it; its accuracy, or a list of these, one a k."""
        correct = as_array("Accuracy.update", "correct", correct)
        samples = int(np.prod(correct.shape[:-1]))
        found = []
        for n, k in enumerate(self.topk):
            right = float(correct[..., :k].sum())
            self.total[n] += right
            self.count[n] += samples
            found.append(right / samples if samples else 0.0)
        return found[0] if len(found) == 1 else found

    def reset(self) -> None:
        """Forgets all batches."""
        self.total, self.count = [0.0] * len(self.topk), [0] * len(self.topk)

    def accumulate(self) -> Any:
        """The accuracy over all batches, or a list of these, one a k."""
        found = [t / c if c else 0.0 for t, c in zip(self.total, self.count, strict=True)]
        return found[0] if len(found) == 1 else found

    def name(self) -> list[str]:
        """['acc'], or ['acc_top1', 'acc_top5']."""
        return self._name


def accuracy(input: Any, label: Any, k: int = 1, correct: Any = None, total: Any = None,
             name: str | None = None) -> Any:
    """The part of the rows of `input`, scores [N, classes], whose label is among the k best: a 0-d float32 value.

    `label`: integers [N, 1]. `correct` and `total`, when given, get the numbers of right and of all rows (int32).
    `paddle.metric.accuracy`.

    >>> import proa as paddle
    >>> scores = paddle.to_tensor([[0.1, 0.9], [0.8, 0.2]])
    >>> float(paddle.metric.accuracy(scores, paddle.to_tensor([[1], [1]])))
    0.5
    """
    values, indices = best(input, k)
    result, right, count = accuracy_of(values, indices, label)
    for holder, value in ((correct, right), (total, count)):
        if holder is not None:
            holder._rebind(reshape(cast(value, holder.dtype), holder.shape))
    return result
