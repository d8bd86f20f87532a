"""Records of operators that judge predictions."""

import numpy as np
from proa.ops.core.trace import apply
from proa.ops.metric.accuracy_auc import accuracy_of
from proa.ops.metric.precision_recall import positive_negative_pair_op, precision_recall_op
from records import Record, floats, ints


def reference(values, indices, label):
    right = [row[0] in found for found, row in zip(indices, label, strict=True)]
    return [np.float32(np.mean(right)), np.int32(np.sum(right)), np.int32(len(right))]


GUESSES, TRUTHS = (np.array([[n] for n in row], "int32") for row in ([0, 1, 1, 2, 0], [0, 1, 2, 2, 1]))
STATES = np.float32([[1, 2, 1, 0], [0, 1, 2, 1], [2, 0, 1, 1], [1, 0, 2, 1]])


def counted(probabilities, guesses, labels, weights=1.0, before=0.0):
    """Metrics of a batch and of all, and true and false positives, true and false negatives of 4 classes."""
    weights = np.broadcast_to(weights, labels.shape)
    found = np.zeros((4, 4))
    for guess, label, weight in zip(guesses.ravel(), labels.ravel(), weights.ravel(), strict=True):
        for n in range(4):
            found[n, {(1, 1): 0, (1, 0): 1, (0, 0): 2, (0, 1): 3}[int(n == guess), int(n == label)]] += weight

    def numbers(states):
        def three(precision, recall):
            return [precision, recall, 2 * precision * recall / (precision + recall)]

        def share(part, rest):
            return part / (part + rest) if part + rest > 0 else 1.0

        each = [(share(a, b), share(a, d)) for a, b, _, d in states]
        a, b, _, d = states.sum(0)
        return np.array([*three(*np.mean(each, 0)), *three(share(a, b), share(a, d))])

    return numbers(found), numbers(found + before), (found + before).astype(probabilities.dtype)


SCORES, RELEVANCE = np.float32([[2], [0], [1], [1], [1], [0]]), np.float32([[1], [0], [0], [1], [0], [1]])
QUERIES = np.array([[1], [1], [1], [2], [2], [2]])


def pairs(scores, labels, queries, *before, weights=None):
    """Of the pairs of a query that differ in their labels: in the right order, not so, with equal scores."""
    weights = np.ones(len(scores)) if weights is None else weights.ravel()
    found = np.zeros(3)
    for i in range(len(scores)):
        for j in range(i + 1, len(scores)):
            if queries[i] == queries[j] and labels[i] != labels[j]:
                order = ((scores[i] - scores[j]) * (labels[i] - labels[j])).item()
                found += np.array([order > 0, order <= 0, order == 0]) * (weights[i] + weights[j]) / 2
    return [(one + old).reshape(1) for one, old in zip(found.astype(scores.dtype), before or (0, 0, 0), strict=True)]


RECORDS = [
    Record("precision_recall", lambda p, g, t: apply(precision_recall_op, p, g, t, None, None, class_number=4),
           [floats(5, 1), GUESSES, TRUTHS], counted, differentiable=[], tolerance=1e-6, float32=False),
    Record("precision_recall", lambda *given: apply(precision_recall_op, *given, class_number=4),
           [floats(5, 1), GUESSES, TRUTHS, floats(5, 1, low=0, seed=1), STATES], counted, "weights and earlier batches",
           differentiable=[], tolerance=1e-6, float32=False),
    Record("positive_negative_pair", lambda s, t, q: apply(
        positive_negative_pair_op, s, t, q, None, None, None, None), [SCORES, RELEVANCE, QUERIES], pairs,
           differentiable=[]),
    Record("positive_negative_pair", lambda s, t, q, a, b, c, w: apply(
        positive_negative_pair_op, s, t, q, a, b, c, w), [SCORES, RELEVANCE, QUERIES, *(floats(1),) * 3, floats(6, 1)],
           lambda s, t, q, a, b, c, w: pairs(s, t, q, a, b, c, weights=w), "weights and earlier batches",
           differentiable=[], tolerance=1e-6, float32=False),
    Record("accuracy", accuracy_of, [floats(5, 2), ints(5, 2, high=4), ints(5, 1, high=4, seed=1)], reference,
           differentiable=[], batched=[0, 1, 2], tolerance=1e-7, float32=False),
]
