"""Metrics: what a model's predictions are worth, batch by batch and over all batches. `paddle.metric`."""

from ..core.absent import asked_of
from .binary import Auc, Precision, Recall
from .metric import Accuracy, Metric, accuracy

__all__ = ["Accuracy", "Auc", "Metric", "Precision", "Recall", "accuracy"]
__getattr__ = asked_of(__name__)
