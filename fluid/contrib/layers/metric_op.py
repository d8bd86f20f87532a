"""`fluid.contrib.layers.metric_op`: sums for click rates."""

from __future__ import annotations

from typing import Any

from ....static.building import metrics
from ...mode import face


@face
def ctr_metric_bundle(input: Any, label: Any) -> tuple[Any, ...]:
    """Sums over all batches: of squared and absolute errors, predictions, labels, and their counts."""
    return metrics.ctr_metric_bundle(input, label)


__all__ = ["ctr_metric_bundle"]
