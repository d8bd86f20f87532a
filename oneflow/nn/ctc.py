"""Connectionist temporal classification: the loss of labels whose places are not known, and the likeliest labels."""

from __future__ import annotations

from typing import Any

from ...nn import functional
from ...ops.array.creation import arange, full_like
from ...ops.array.reshape import reshape, transpose
from ...ops.array.where import where
from ...ops.core.trace import apply
from ...ops.math.casting import cast
from ...ops.math.clip import clip
from ...ops.math.comparison import equal, greater_than, less_than, logical_and
from ...ops.math.elementwise import add, divide, multiply, scale
from ...ops.math.extreme_positions import argmax
from ...ops.math.reduce import max, mean, sum
from ...ops.sequence.ctc_align import ctc_align_op


def _does_not_fit(targets: Any, input_lengths: Any, target_lengths: Any) -> Any:
    """Which targets need more steps than there are: one a label, and one between two that are alike."""
    behind = reshape(arange(1, targets.shape[1]), [1, -1])
    alike = logical_and(equal(targets[:, 1:], targets[:, :-1]), less_than(behind, reshape(target_lengths, [-1, 1])))
    return greater_than(add(target_lengths, sum(cast(alike, "int64"), 1)), input_lengths)


def ctc_loss(log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0,
             reduction: str = "mean", zero_infinity: bool = False, name: str | None = None) -> Any:
    """-log of the probability of the targets [N, symbols], given log probabilities [steps, N, classes].

    Both lengths are [N]. The loss of a target that does not fit into its steps is infinite, or 0 with
    `zero_infinity`. 'mean' divides each loss by the length of its target first. After "Connectionist Temporal
    Classification" (Graves et al., 2006).
    """
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"ctc_loss(reduction): must be 'none', 'mean' or 'sum'. Received {reduction!r}.")
    steps, symbols = cast(input_lengths, "int64"), cast(target_lengths, "int64")
    losses = functional.ctc_loss(log_probs, cast(targets, "int32"), steps, symbols, blank, "none")
    if not zero_infinity:
        losses = where(_does_not_fit(targets, steps, symbols), full_like(losses, float("inf")), losses)
    if reduction == "mean":
        return mean(divide(losses, cast(clip(symbols, 1), losses.dtype)))
    return sum(losses) if reduction == "sum" else losses


def ctc_greedy_decoder(log_probs: Any, input_lengths: Any, merge_repeated: bool = True,
                       name: str | None = None) -> tuple[Any, Any]:
    """The likeliest labels of log probabilities [steps, N, classes], of which the last class is the blank.

    (labels [N, steps], behind which there are zeros; -sum of the largest log probabilities [N, 1]). Repetitions are
    merged, or with `merge_repeated=False` kept, and blanks left out. The labels have the dtype of the lengths [N].

    >>> import proa.oneflow as flow
    >>> import proa as paddle
    >>> scores = paddle.to_tensor([[[-0.1, -3.0]], [[-0.2, -3.0]], [[-3.0, -0.3]]])
    >>> flow.nn.ctc_greedy_decoder(scores, paddle.to_tensor([3]))[0].tolist()
    [[0, 0, 0]]
    """
    steps, samples, classes = log_probs.shape
    lengths = reshape(cast(input_lengths, "int64"), [1, samples])
    counted = cast(less_than(reshape(arange(0, steps), [steps, 1]), lengths), log_probs.dtype)
    total = scale(sum(multiply(max(log_probs, -1), counted), 0), -1.0)
    best = transpose(argmax(log_probs, -1), [1, 0])
    labels = apply(ctc_align_op, best, None, reshape(lengths, [samples, 1]), blank=classes - 1,
                   merge_repeated=merge_repeated, padding_value=0)[0]
    return cast(labels, input_lengths.dtype), reshape(total, [samples, 1])
