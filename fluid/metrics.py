"""`fluid.metrics`: measures that are added up batch by batch, of what an Executor has fetched.

Each keeps its sums in attributes; `reset()` sets those to zero that do not begin with an underscore, as in 1.8.5.
"""

from __future__ import annotations

import copy
import numbers
from typing import Any

import numpy as np

from ..core.lazy import listed
from .evaluator import DetectionMAP


def _array(where: str, value: Any) -> np.ndarray:
    if not isinstance(value, (np.ndarray, np.generic)):
        raise ValueError(f"{where}: a NumPy array, as Executor.run gives. Received {type(value).__name__}.")
    return np.asarray(value)


def _number(where: str, value: Any, or_matrix: bool = False) -> Any:
    if isinstance(value, numbers.Real) or isinstance(value, np.ndarray) and (or_matrix or value.size == 1):
        return value
    raise ValueError(f"{where}: a number{' or an array' if or_matrix else ''}. Received {value!r}.")


class MetricBase:
    """What all measures have: a name, `reset`, `update`, `eval`.

    >>> import proa.fluid as fluid
    >>> class Seen(fluid.metrics.MetricBase):
    ...     def __init__(self):
    ...         super().__init__("seen"); self.samples = 0
    ...     def update(self, count):
    ...         self.samples += count
    >>> seen = Seen(); seen.update(3); seen.get_config()
    {'name': 'seen', 'states': {'samples': 3}}
    >>> seen.reset(); seen.samples
    0
    """

    def __init__(self, name: str | None = None):
        self._name = type(self).__name__ if name is None else str(name)

    def __str__(self) -> str:
        return self._name

    def _states(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    def reset(self) -> None:
        """Sets the sums to zero, and attributes of other kinds to None."""
        for name, value in self._states().items():
            number = isinstance(value, (int, float)) and not isinstance(value, np.generic)
            zero = type(value)(0) if number else np.zeros_like(value) if isinstance(value, (
                np.ndarray, np.generic)) else None
            setattr(self, name, zero)

    def get_config(self) -> dict[str, Any]:
        """The name, and the sums."""
        return {"name": self._name, "states": copy.deepcopy(self._states())}

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Adds a batch; a subclass says how."""
        raise NotImplementedError(f"{type(self).__name__}.update: write it, as the subclass's own.")

    def eval(self) -> Any:
        """The measure of all batches; a subclass says how."""
        raise NotImplementedError(f"{type(self).__name__}.eval: write it, as the subclass's own.")


class CompositeMetric(MetricBase):
    """Several measures of the same predictions and labels. Each of them is reset by itself.

    >>> import numpy as np, proa.fluid as fluid
    >>> both = fluid.metrics.CompositeMetric()
    >>> both.add_metric(fluid.metrics.Precision()); both.add_metric(fluid.metrics.Recall())
    >>> both.update(np.array([[0.9], [0.8], [0.1]]), np.array([[1], [0], [1]]))
    >>> both.eval()
    [0.5, 0.5]
    """

    def __init__(self, name: str | None = None):
        super().__init__(name)
        self._metrics: list[MetricBase] = []

    def add_metric(self, metric: MetricBase) -> None:
        """Adds a measure; ValueError for something else."""
        if not isinstance(metric, MetricBase):
            raise ValueError(f"CompositeMetric.add_metric(metric): one of fluid.metrics. Received "
                             f"{type(metric).__name__}.")
        self._metrics.append(metric)

    def update(self, preds: Any, labels: Any) -> None:
        """Adds a batch to each."""
        for metric in self._metrics:
            metric.update(preds, labels)

    def eval(self) -> list[Any]:
        """Their values."""
        return [metric.eval() for metric in self._metrics]


def _hits(where: str, preds: Any, labels: Any) -> tuple[np.ndarray, np.ndarray]:
    """Predictions rounded to 0 and 1, and labels, both flat."""
    labels = _array(f"{where}(labels)", labels)
    preds = np.rint(_array(f"{where}(preds)", preds)).astype("int32")[:len(labels)]
    return preds.reshape(len(labels), -1)[:, 0], labels.reshape(len(labels), -1)[:, 0]


class Precision(MetricBase):
    """Of what is predicted to be 1, the part that is 1. Probabilities are rounded."""

    def __init__(self, name: str | None = None):
        super().__init__(name)
        self.tp = 0
        self.fp = 0

    def update(self, preds: Any, labels: Any) -> None:
        """Adds probabilities and labels of 0 and 1, [N, 1] both."""
        preds, labels = _hits("Precision.update", preds, labels)
        self.tp += int(np.sum((preds == 1) & (labels == 1)))
        self.fp += int(np.sum((preds == 1) & (labels != 1)))

    def eval(self) -> float:
        """The measure; 0 where nothing was predicted to be 1."""
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else 0.0


class Recall(MetricBase):
    """Of what is 1, the part that is predicted to be 1. Probabilities are rounded."""

    def __init__(self, name: str | None = None):
        super().__init__(name)
        self.tp = 0
        self.fn = 0

    def update(self, preds: Any, labels: Any) -> None:
        """Adds probabilities and labels of 0 and 1, [N, 1] both."""
        preds, labels = _hits("Recall.update", preds, labels)
        self.tp += int(np.sum((preds == 1) & (labels == 1)))
        self.fn += int(np.sum((preds != 1) & (labels == 1)))

    def eval(self) -> float:
        """The measure; 0 where nothing is 1."""
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else 0.0


class Accuracy(MetricBase):
    """The weighted mean of what `layers.accuracy` gives for each batch.

    >>> import proa.fluid as fluid
    >>> accuracy = fluid.metrics.Accuracy()
    >>> accuracy.update(value=0.5, weight=2); accuracy.update(value=1.0, weight=6)
    >>> accuracy.eval()
    0.875
    """

    def __init__(self, name: str | None = None):
        super().__init__(name)
        self.value: Any = 0.0
        self.weight: Any = 0.0

    def update(self, value: Any, weight: Any) -> None:
        """Adds a batch's accuracy with its weight, its number of samples for instance."""
        value = _number("Accuracy.update(value)", value, or_matrix=True)
        if _number("Accuracy.update(weight)", weight) < 0:
            raise ValueError(f"Accuracy.update(weight): not a negative one. Received {weight!r}.")
        self.value = self.value + value * weight
        self.weight = self.weight + weight

    def eval(self) -> Any:
        """The mean; ValueError where there is nothing to take it of."""
        if self.weight == 0:
            raise ValueError("Accuracy.eval(): no batch has been added. Call update(value, weight) with what "
                             "layers.accuracy gives.")
        return self.value / self.weight


class ChunkEvaluator(MetricBase):
    """Precision, recall and F1 of the chunks that `layers.chunk_eval` counts in each batch.

    >>> import proa.fluid as fluid
    >>> chunks = fluid.metrics.ChunkEvaluator()
    >>> chunks.update(10, 8, 4); chunks.update(6, 8, 4)
    >>> chunks.eval()
    (0.5, 0.5, 0.5)
    """

    def __init__(self, name: str | None = None):
        super().__init__(name)
        self.num_infer_chunks: Any = 0
        self.num_label_chunks: Any = 0
        self.num_correct_chunks: Any = 0

    def update(self, num_infer_chunks: Any, num_label_chunks: Any, num_correct_chunks: Any) -> None:
        """Adds the numbers of chunks that were found, that there are, and that were found rightly."""
        where = "ChunkEvaluator.update"
        found = _number(f"{where}(num_infer_chunks)", num_infer_chunks, or_matrix=True)
        there = _number(f"{where}(num_label_chunks)", num_label_chunks, or_matrix=True)
        right = _number(f"{where}(num_correct_chunks)", num_correct_chunks, or_matrix=True)
        self.num_infer_chunks = self.num_infer_chunks + found
        self.num_label_chunks = self.num_label_chunks + there
        self.num_correct_chunks = self.num_correct_chunks + right

    def eval(self) -> tuple[Any, Any, Any]:
        """Precision, recall and F1."""
        right = _float(self.num_correct_chunks)
        precision = right / self.num_infer_chunks if self.num_infer_chunks else 0
        recall = right / self.num_label_chunks if self.num_label_chunks else 0
        return precision, recall, 2 * _float(precision) * recall / (precision + recall) if right else 0


def _float(value: Any) -> float:
    return float(np.asarray(value).reshape(-1)[0])


class EditDistance(MetricBase):
    """The mean of the distances that `layers.edit_distance` gives, and the part of sequences that are not right.

    >>> import numpy as np, proa.fluid as fluid
    >>> distance = fluid.metrics.EditDistance("edit")
    >>> distance.update(np.array([[0.0], [2.0]]), 2)
    >>> [float(v) for v in distance.eval()]
    [1.0, 0.5]
    """

    def __init__(self, name: str | None = None):
        super().__init__(name)
        self.total_distance: Any = 0.0
        self.seq_num: Any = 0
        self.instance_error: Any = 0

    def update(self, distances: Any, seq_num: Any) -> None:
        """Adds the distances of so many sequences."""
        distances = _array("EditDistance.update(distances)", distances)
        seq_num = _number("EditDistance.update(seq_num)", seq_num)
        self.seq_num = self.seq_num + seq_num
        self.instance_error = self.instance_error + (seq_num - np.sum(distances == 0))
        self.total_distance = self.total_distance + np.sum(distances)

    def eval(self) -> tuple[Any, Any]:
        """Both; ValueError where there is nothing to take them of."""
        if self.seq_num == 0:
            raise ValueError("EditDistance.eval(): no batch has been added. Call update(distances, seq_num) with what "
                             "layers.edit_distance gives.")
        return self.total_distance / self.seq_num, self.instance_error / _float(self.seq_num)


class Auc(MetricBase):
    """The area under the curve of hits against false alarms, of probabilities counted in `num_thresholds` + 1 parts.

    The counts are no attributes that `reset` sets to zero, as in 1.8.5: make another one for another epoch.

    >>> import numpy as np, proa.fluid as fluid
    >>> auc = fluid.metrics.Auc("auc")
    >>> auc.update(np.array([[0.2, 0.8], [0.7, 0.3], [0.4, 0.6]]), np.array([[1], [0], [1]]))
    >>> auc.eval()
    1.0
    """

    def __init__(self, name: str | None = None, curve: str = "ROC", num_thresholds: int = 4095):
        super().__init__(name)
        self._curve, self._num_thresholds = curve, num_thresholds
        self._stat_pos = np.zeros(num_thresholds + 1)
        self._stat_neg = np.zeros(num_thresholds + 1)

    def update(self, preds: Any, labels: Any) -> None:
        """Adds probabilities of both classes, [N, 2], and labels, [N, 1]. ValueError for one that is above 1."""
        labels = _array("Auc.update(labels)", labels)
        preds = _array("Auc.update(preds)", preds)[:len(labels), 1]
        parts = (preds * self._num_thresholds).astype(int)
        if parts.size and (parts.max() > self._num_thresholds or parts.min() < 0):
            raise ValueError(f"Auc.update(preds): probabilities, from 0 to 1. Received {preds.min()} to {preds.max()}.")
        is_hit = labels.reshape(len(labels), -1)[:, 0] != 0
        self._stat_pos += np.bincount(parts[is_hit], minlength=len(self._stat_pos))
        self._stat_neg += np.bincount(parts[~is_hit], minlength=len(self._stat_neg))

    @staticmethod
    def trapezoid_area(x1: float, x2: float, y1: float, y2: float) -> float:
        """The area below the line from (x1, y1) to (x2, y2)."""
        return abs(x1 - x2) * (y1 + y2) / 2.0

    def eval(self) -> float:
        """The area; 0 where there is one class alone."""
        hits, alarms = ([0.0, *np.cumsum(stat[::-1]).tolist()] for stat in (self._stat_pos, self._stat_neg))
        if not hits[-1] or not alarms[-1]:
            return 0.0
        steps = zip(alarms[1:], alarms, hits[1:], hits, strict=False)
        return sum(self.trapezoid_area(*step) for step in steps) / hits[-1] / alarms[-1]


__all__ = ["Accuracy", "Auc", "ChunkEvaluator", "CompositeMetric", "DetectionMAP", "EditDistance", "MetricBase",
           "Precision", "Recall"]
__dir__ = listed(__name__)
