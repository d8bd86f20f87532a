"""Losses that are likelihoods or compare sets: Gaussian and Poisson, focal, dice, n-pair."""

from __future__ import annotations

import math
from typing import Any

from ...core.errors import AssertedError
from ...ops.array.assign import one_hot
from ...ops.array.fed_axes import has_negative
from ...ops.array.full import value_of
from ...ops.array.reshape import reshape, squeeze, transpose
from ...ops.array.unknown_sizes import size_at
from ...ops.array.where import where
from ...ops.core.infer import check_same_shape
from ...ops.core.trace import apply
from ...ops.linalg.matrix_product import matmul
from ...ops.loss.cross_entropy import cross_entropy_op
from ...ops.loss.losses import sigmoid_cross_entropy_op
from ...ops.math.casting import cast
from ...ops.math.clip import clip
from ...ops.math.comparison import equal
from ...ops.math.elementwise import divide, multiply, subtract
from ...ops.math.reduce import mean, sum
from ...ops.math.unary import exp, log, square
from .activation import sigmoid
from .loss import check_reduction, numbers_like, reduced

__all__ = ["dice_loss", "gaussian_nll_loss", "npair_loss", "poisson_nll_loss", "sigmoid_focal_loss"]


def gaussian_nll_loss(input: Any, label: Any, variance: Any, full: bool = False, epsilon: float = 1e-6,
                      reduction: str = "mean", name: str | None = None) -> Any:
    """(log(v) + (input - label)² / v) / 2 with v = max(variance, epsilon), and with `full` + log(2π) / 2.

    variance has input's shape, or 1 for its last size, or lacks that. No gradient flows through the maximum, which is
    there for stability. Raises ValueError for shapes that do not fit, and for a negative variance where it is known.

    >>> import proa as paddle
    >>> x, y, v = paddle.to_tensor([1.0]), paddle.to_tensor([3.0]), paddle.to_tensor([1.0])
    >>> float(paddle.nn.functional.gaussian_nll_loss(x, y, v))
    2.0
    """
    input, label, variance = value_of(input), value_of(label), value_of(variance)
    check_reduction("gaussian_nll_loss", reduction)
    shape, given = list(input.shape), list(variance.shape)
    if given != shape:
        if given == shape[:-1]:
            variance = reshape(variance, [n if n >= 0 else -1 for n in [*given, 1]])
        elif given != [*shape[:-1], 1]:
            raise ValueError(f"gaussian_nll_loss(input, variance): variance must have input's shape, or 1 for the last "
                             f"size, or lack it. Received {given} and {shape}.")
    if has_negative(variance):
        raise ValueError("gaussian_nll_loss(variance): must not be negative. Received one that is; "
                         "square a standard deviation first.")
    variance = clip(variance, min=epsilon)
    loss = (log(variance) + divide(square(subtract(input, label)), variance)) * 0.5
    return reduced(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction, name)


def poisson_nll_loss(input: Any, label: Any, log_input: bool = True, full: bool = False, epsilon: float = 1e-8,
                     reduction: str = "mean", name: str | None = None) -> Any:
    """exp(input) - label * input; without `log_input` input - label * log(input + epsilon).

    With `full` Stirling's approximation of log(label!) is added where label is above 1.

    >>> import proa as paddle
    >>> float(paddle.nn.functional.poisson_nll_loss(paddle.to_tensor([0.0]), paddle.to_tensor([2.0])))
    1.0
    """
    input, label = value_of(input), value_of(label)
    check_reduction("poisson_nll_loss", reduction)
    check_same_shape("poisson_nll_loss", input, label)
    if epsilon <= 0:
        raise ValueError(f"poisson_nll_loss(epsilon): must be positive. Received {epsilon}.")
    label = cast(label, input.dtype)
    loss = exp(input) - multiply(label, input) if log_input else input - multiply(label, log(input + epsilon))
    if full:
        safe = where(label > 1.0, label, label * 0.0 + 1.0)
        stirling = multiply(safe, log(safe)) - safe + log(safe * (2 * math.pi)) * 0.5
        loss = loss + where(label > 1.0, stirling, stirling * 0.0)
    return reduced(loss, reduction, name)


def sigmoid_focal_loss(logit: Any, label: Any, normalizer: Any = None, alpha: float = 0.25, gamma: float = 2.0,
                       reduction: str = "sum", name: str | None = None) -> Any:
    """Binary cross entropy times (1 - p)^gamma, p the probability of the label, and alpha (of label 0: 1 - alpha).

    `normalizer`, one element, divides the losses. After "Focal Loss for Dense Object Detection" (Lin et al., 2017).

    >>> import proa as paddle
    >>> zero, one = paddle.zeros([1]), paddle.ones([1])
    >>> round(float(paddle.nn.functional.sigmoid_focal_loss(zero, one)), 4)
    0.0433
    """
    logit, label = value_of(logit), value_of(label)
    check_reduction("sigmoid_focal_loss", reduction)
    if normalizer is not None and len(normalizer.shape) > 1:
        raise ValueError(f"sigmoid_focal_loss(normalizer): must be one element. Received {list(normalizer.shape)}.")
    label = numbers_like(logit, label)
    loss = apply(sigmoid_cross_entropy_op, logit, label, None, normalize=False, ignore_index=-100)
    probability = sigmoid(logit)
    missed = multiply(probability, -label + 1.0) + multiply(-probability + 1.0, label)
    loss = multiply(missed ** gamma, multiply(label * (2.0 * alpha - 1.0) + (1.0 - alpha), loss))
    return reduced(loss if normalizer is None else divide(loss, normalizer), reduction, name)


def dice_loss(input: Any, label: Any, epsilon: float = 1e-5, name: str | None = None) -> Any:
    """1 - 2 |input ∩ label| / (|input| + |label| + epsilon), the mean over the batch.

    input holds probabilities [N, ..., C], and label class numbers [N, ..., 1].

    >>> import proa as paddle
    >>> input, label = paddle.to_tensor([[1.0, 0.0]]), paddle.to_tensor([[0]])
    >>> round(float(paddle.nn.functional.dice_loss(input, label)), 4)
    0.0
    """
    input, label = value_of(input), value_of(label)
    shape, given = list(input.shape), list(label.shape)
    if len(shape) < 2 or len(shape) != len(given) or given[-1] not in (1, -1) or any(
            m != n and -1 not in (m, n) for m, n in zip(shape[:-1], given[:-1], strict=True)):
        raise AssertedError("dice_loss(input, label): must be [N, ..., C] and [N, ..., 1]. "
                            f"Received {shape} and {given}.")
    chosen = cast(one_hot(squeeze(label, [-1]), size_at(input, -1)), input.dtype)
    axes = list(range(1, len(shape)))
    both = sum(multiply(input, chosen), axes)
    return mean(-divide(both * 2.0, sum(input, axes) + sum(chosen, axes) + epsilon) + 1.0)


def npair_loss(anchor: Any, positive: Any, labels: Any, l2_reg: float = 0.002) -> Any:
    """Cross entropy of the products of anchors and positives [N, D] with what of labels [N] agrees, and a penalty.

    The penalty is l2_reg / 4 of the mean squared lengths of both. After "Improved Deep Metric Learning with Multi-class
    N-pair Loss Objective" (Sohn, 2016).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[1.0]])
    >>> round(float(paddle.nn.functional.npair_loss(x, x, paddle.to_tensor([0.0]))), 4)
    0.001
    """
    anchor, positive = value_of(anchor), value_of(positive)
    sizes = [*zip(anchor.shape, positive.shape, strict=False)]
    if {len(anchor.shape), len(positive.shape)} != {2} or 0 in anchor.shape or any(
            a != b and -1 not in (a, b) for a, b in sizes):
        raise ValueError(f"npair_loss(anchor, positive): both must be [N, D], not empty. Received "
                         f"{list(anchor.shape)} and {list(positive.shape)}.")
    column = reshape(labels, [-1, 1])
    agree = cast(equal(column, transpose(column, [1, 0])), anchor.dtype)
    agree = divide(agree, sum(agree, 1, keepdim=True))
    scores = matmul(anchor, positive, transpose_y=True)
    losses = apply(cross_entropy_op, scores, agree, soft_label=True, use_softmax=True, numeric_stable_mode=True,
                   ignore_index=-100, axis=-1)[1]
    penalty = (mean(sum(square(anchor), 1)) + mean(sum(square(positive), 1))) * (0.25 * l2_reg)
    return mean(sum(multiply(agree, losses), 0)) + penalty
