"""`paddle.static.nn.metric`: measures by Paddle's path."""

from ..building.metrics import accuracy, auc, ctr_metric_bundle

__all__ = ["accuracy", "auc", "ctr_metric_bundle"]
