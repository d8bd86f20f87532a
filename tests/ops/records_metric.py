"""Records of operators that judge predictions."""

import numpy as np
from proa.ops.metric.accuracy_auc import accuracy_of
from records import Record, floats, ints


def reference(values, indices, label):
    right = [row[0] in found for found, row in zip(indices, label, strict=True)]
    return [np.float32(np.mean(right)), np.int32(np.sum(right)), np.int32(len(right))]


RECORDS = [
    Record("accuracy", accuracy_of, [floats(5, 2), ints(5, 2, high=4), ints(5, 1, high=4, seed=1)], reference,
           differentiable=[], batched=[0, 1, 2], tolerance=1e-7, float32=False),
]
