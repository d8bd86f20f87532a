"""Metrics of two classes: Precision, Recall and the area under the ROC curve."""

from __future__ import annotations

from typing import Any

import numpy as np

from .metric import Metric, as_array


class _Counted(Metric):
    """Counts right and wrong decisions among those that `considered` picks."""

    def __init__(self, name: str, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._name = name
        self.reset()

    def _arrays(self, preds: Any, labels: Any) -> tuple[np.ndarray, np.ndarray]:
        where = f"{type(self).__name__}.update"
        return as_array(where, "preds", preds).reshape(-1), as_array(where, "labels", labels).reshape(-1)

    def name(self) -> str:
        """Its name."""
        return self._name


class Precision(_Counted):
    """Of the samples taken for positive, the part that is: tp / (tp + fp).

    >>> import numpy as np, proa as paddle
    >>> metric = paddle.metric.Precision()
    >>> metric.update(np.array([0.1, 0.5, 0.6, 0.7]), np.array([0, 1, 1, 0]))
    >>> round(metric.accumulate(), 4)
    0.6667
    """

    def __init__(self, name: str = "precision", *args: Any, **kwargs: Any):
        super().__init__(name, *args, **kwargs)

    def update(self, preds: Any, labels: Any) -> None:
        """Adds a batch. `preds`: probabilities, positive from 0.5 on; `labels`: 0 or 1; both of N elements."""
        preds, labels = self._arrays(preds, labels)
        taken = np.floor(preds + 0.5).astype("int32") == 1
        self.tp += int((taken & (labels == 1)).sum())
        self.fp += int((taken & (labels != 1)).sum())

    def reset(self) -> None:
        """Forgets all batches."""
        self.tp = self.fp = 0

    def accumulate(self) -> float:
        """The precision over all batches."""
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else 0.0


class Recall(_Counted):
    """Of the positive samples, the part taken for such: tp / (tp + fn).

    >>> import numpy as np, proa as paddle
    >>> metric = paddle.metric.Recall()
    >>> metric.update(np.array([0.1, 0.2, 0.6, 0.7]), np.array([0, 1, 1, 1]))
    >>> round(metric.accumulate(), 4)
    0.6667
    """

    def __init__(self, name: str = "recall", *args: Any, **kwargs: Any):
        super().__init__(name, *args, **kwargs)

    def update(self, preds: Any, labels: Any) -> None:
        """Adds a batch. `preds`: probabilities, positive over 0.5; `labels`: 0 or 1; both of N elements."""
        preds, labels = self._arrays(preds, labels)
        taken = np.rint(preds).astype("int32") == 1
        self.tp += int((taken & (labels == 1)).sum())
        self.fn += int((~taken & (labels == 1)).sum())

    def reset(self) -> None:
        """Forgets all batches."""
        self.tp = self.fn = 0

    def accumulate(self) -> float:
        """The recall over all batches."""
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else 0.0


class Auc(Metric):
    """The area under the ROC curve: how likely a positive sample gets a higher probability than a negative one.

    Probabilities are sorted into `num_thresholds` + 1 bins; the area is that under the polygon through these. With the
    `curve` "PR" it is that of precision over recall.

    >>> import numpy as np, proa as paddle
    >>> metric = paddle.metric.Auc()
    >>> metric.update(np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]), np.array([[0], [1], [1]]))
    >>> metric.accumulate()
    1.0
    """

    def __init__(self, curve: str = "ROC", num_thresholds: int = 4095, name: str = "auc", *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        if curve not in ("ROC", "PR"):
            raise ValueError(f"Auc(curve): must be 'ROC' or 'PR'. Received {curve!r}.")
        self._curve, self._num_thresholds, self._name = curve, int(num_thresholds), name
        self.reset()

    def update(self, preds: Any, labels: Any) -> None:
        """Adds a batch. `preds`: probabilities [N, 2] of both classes, or [N, 1] of the positive one; `labels`: [N]."""
        preds = as_array("Auc.update", "preds", preds)
        labels = as_array("Auc.update", "labels", labels).reshape(-1)
        positive = preds[:, -1] if preds.ndim == 2 else preds.reshape(-1)
        bins = (positive * self._num_thresholds).astype("int64")
        if bins.size and not 0 <= bins.min() <= bins.max() <= self._num_thresholds:
            raise ValueError(f"Auc.update(preds): must be probabilities in [0, 1]. Received values from "
                             f"{positive.min()} to {positive.max()}.")
        count = self._num_thresholds + 1
        self._positive += np.bincount(bins[labels != 0], minlength=count)
        self._negative += np.bincount(bins[labels == 0], minlength=count)

    def reset(self) -> None:
        """Forgets all batches."""
        self._positive = np.zeros(self._num_thresholds + 1, "float64")
        self._negative = np.zeros(self._num_thresholds + 1, "float64")

    def accumulate(self) -> float:
        """The area over all batches; 0 where a class has not been seen."""
        rising = np.concatenate([[0.0], np.cumsum(self._positive[::-1])])
        if self._curve == "PR":
            return self._under_precision(rising[1:])
        area = float((self._negative[::-1] * (rising[1:] + rising[:-1]) / 2).sum())
        pairs = float(rising[-1] * self._negative.sum())
        return area / pairs if pairs else 0.0

    def _under_precision(self, rising: np.ndarray) -> float:
        """From how many positive samples lie above each threshold; the first precision holds from a recall of 0 on."""
        above = rising + np.cumsum(self._negative[::-1])
        rising, above = rising[above > 0], above[above > 0]
        if not rising.size or not rising[-1]:
            return 0.0
        precision, recall = rising / above, rising / rising[-1]
        before = np.concatenate([precision[:1], precision[:-1]])
        return float((np.diff(recall, prepend=0.0) * (precision + before) / 2).sum())

    def name(self) -> str:
        """Its name."""
        return self._name
