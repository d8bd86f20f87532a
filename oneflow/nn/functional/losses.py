"""Losses: `cross_entropy`, `mse_loss`, …"""

from __future__ import annotations

from typing import Any

from ....nn import functional as F
from ....ops.array import reshape as reshaping
from ....ops.array.where import where as choose
from ....ops.math import casting, comparison, elementwise, reduce, unary
from ....ops.math import clip as clipping
from ...charge import flowing
from ..binary_cross_entropy import of_logits, of_probabilities
from ..ctc import ctc_greedy_decoder as _ctc_greedy_decoder


def check_reduction(what: str, reduction: str) -> None:
    """ValueError unless the reduction is one of the three."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{what}(reduction): must be 'mean', 'sum' or 'none'. Received {reduction!r}.")


def reduced(loss: Any, reduction: str) -> Any:
    """The mean, the sum, or the loss as it is."""
    return reduce.mean(loss) if reduction == "mean" else reduce.sum(loss) if reduction == "sum" else loss


@flowing
def cross_entropy(input: Any, target: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean",
                  label_smoothing: float = 0.0) -> Any:
    """The negative logarithm of the probability that softmax gives the right class.

    input: [N, C] or [N, C, …], classes along dimension 1; target: class numbers [N] or [N, …], or probabilities of
    input's shape.

    >>> import proa.oneflow as flow
    >>> round(flow.nn.functional.cross_entropy(flow.zeros(1, 4), flow.tensor([2])).item(), 4)
    1.3863
    """
    check_reduction("cross_entropy", reduction)
    rank = len(input.shape)
    soft = list(target.shape) == list(input.shape) and target.dtype.is_floating
    axis = 1 if rank > 1 else 0
    if soft:
        loss = reduce.sum(elementwise.multiply(unary_negative(F.log_softmax(input, axis)),
                                               _weighted(_smoothed(target, input.shape[axis], label_smoothing), weight,
                                                         rank)), axis)
        return reduce.mean(loss) if reduction == "mean" else reduced(loss, reduction)
    target = casting.cast(target, "int64")
    if label_smoothing == 0.0:
        return F.cross_entropy(input, target, weight, ignore_index, reduction, axis=axis)
    right = F.cross_entropy(input, target, weight, ignore_index, reduction, axis=axis)
    negative = unary_negative(F.log_softmax(input, axis))
    every = reduce.sum(_weighted(negative, weight, rank), axis)
    kept = casting.cast(comparison.not_equal(target, ignore_index), input.dtype)
    every = elementwise.multiply(every, kept)
    if reduction == "mean":
        total = reduce.sum(kept if weight is None else elementwise.multiply(kept, _weight_of(target, weight,
                                                                                             ignore_index)))
        every = elementwise.divide(reduce.sum(every), total)
    else:
        every = reduced(every, reduction)
    classes = input.shape[axis]
    return elementwise.add(elementwise.multiply(right, 1.0 - label_smoothing),
                           elementwise.multiply(every, label_smoothing / classes))


def unary_negative(x: Any) -> Any:
    """-x."""
    return elementwise.neg(x)


def _smoothed(target: Any, classes: int, smoothing: float) -> Any:
    return target if smoothing == 0.0 else elementwise.add(elementwise.multiply(target, 1.0 - smoothing),
                                                           smoothing / classes)


def _weighted(x: Any, weight: Any, rank: int) -> Any:
    if weight is None:
        return x
    return elementwise.multiply(x, reshaping.reshape(weight, [1, -1] + [1] * (rank - 2) if rank > 1 else [-1]))


def _weight_of(target: Any, weight: Any, ignore_index: int) -> Any:
    from ....ops.array.gather import gather

    known = clipping.clip(target, 0, weight.shape[0] - 1)
    return reshaping.reshape(gather(weight, reshaping.flatten(known)), list(target.shape))


@flowing
def nll_loss(input: Any, target: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean") -> Any:
    """The negative of the logarithm of probability that input holds for the right class."""
    check_reduction("nll_loss", reduction)
    target = casting.cast(target, "int64")
    if len(input.shape) == 3:  # the operator knows one spatial dimension with another
        found = F.nll_loss(reshaping.unsqueeze(input, 2), reshaping.unsqueeze(target, 1), weight, ignore_index,
                           reduction)
        return reshaping.squeeze(found, 1) if reduction == "none" else found
    return F.nll_loss(input, target, weight, ignore_index, reduction)


@flowing
def sparse_softmax_cross_entropy(labels: Any, logits: Any) -> Any:
    """The negative logarithm of the probability that softmax gives the right class, of each row."""
    return F.cross_entropy(logits, casting.cast(labels, "int64"), reduction="none")


@flowing
def binary_cross_entropy(input: Any, target: Any, weight: Any = None, reduction: str = "mean") -> Any:
    """-(target * log(input) + (1 - target) * log(1 - input)), times weight; logarithms are at least -100."""
    check_reduction("binary_cross_entropy", reduction)
    losses = of_probabilities(input, target)
    return reduced(losses if weight is None else elementwise.multiply(losses, weight), reduction)


@flowing
def binary_cross_entropy_with_logits(input: Any, target: Any, weight: Any = None, reduction: str = "mean",
                                     pos_weight: Any = None) -> Any:
    """As `binary_cross_entropy` of sigmoid(input), without overflow; `pos_weight` multiplies the positive part."""
    check_reduction("binary_cross_entropy_with_logits", reduction)
    losses = of_logits(input, target, pos_weight)
    return reduced(losses if weight is None else elementwise.multiply(losses, weight), reduction)


@flowing
def mse_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """(input - target)²."""
    check_reduction("mse_loss", reduction)
    return reduced(unary.square(elementwise.subtract(input, target)), reduction)


@flowing
def l1_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """|input - target|."""
    check_reduction("l1_loss", reduction)
    return reduced(unary.abs(elementwise.subtract(input, target)), reduction)


@flowing
def smooth_l1_loss(input: Any, target: Any, beta: float = 1.0, reduction: str = "mean") -> Any:
    """0.5 * d² / beta for a difference d below beta, d - 0.5 * beta above."""
    check_reduction("smooth_l1_loss", reduction)
    if beta == 0:
        return reduced(unary.abs(elementwise.subtract(input, target)), reduction)
    return elementwise.divide(F.smooth_l1_loss(input, target, reduction, beta), beta) if beta != 1.0 else (
        F.smooth_l1_loss(input, target, reduction, beta))


@flowing
def kl_div(input: Any, target: Any, reduction: str = "mean", log_target: bool = False) -> Any:
    """target * (log(target) - input), of logarithms `input`; target's too with `log_target`."""
    if log_target:
        loss = elementwise.multiply(unary.exp(target), elementwise.subtract(target, input))
    else:
        known = comparison.greater_than(target, 0.0)
        safe = choose(known, target, elementwise.scale(target, 0.0, 1.0))
        loss = choose(known, elementwise.multiply(target, elementwise.subtract(unary.log(safe), input)),
                      elementwise.scale(target, 0.0))
    if reduction == "batchmean":
        return elementwise.divide(reduce.sum(loss), float(input.shape[0]))
    check_reduction("kl_div", reduction)
    return reduced(loss, reduction)


@flowing
def margin_ranking_loss(input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: str = "mean") -> Any:
    """max(0, -target * (input1 - input2) + margin)."""
    check_reduction("margin_ranking_loss", reduction)
    return F.margin_ranking_loss(input1, input2, target, margin, reduction)


@flowing
def triplet_margin_loss(anchor: Any, positive: Any, negative: Any, margin: float = 1.0, p: float = 2.0,
                        eps: float = 1e-6, swap: bool = False, reduction: str = "mean") -> Any:
    """max(0, |anchor - positive| - |anchor - negative| + margin), by p-norms."""
    check_reduction("triplet_margin_loss", reduction)
    return F.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction)


@flowing
def ctc_loss(log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0,
             reduction: str = "mean", zero_infinity: bool = False) -> Any:
    """Connectionist temporal classification of log probabilities [time, batch, classes].

    The mean is of losses divided by the lengths of their targets. `zero_infinity` makes 0 of infinite ones.
    """
    check_reduction("ctc_loss", reduction)
    loss = F.ctc_loss(log_probs, targets, casting.cast(input_lengths, "int64"),
                      casting.cast(target_lengths, "int64"), blank, "none")
    loss = reshaping.reshape(loss, [-1])
    if zero_infinity:
        loss = choose(unary.isinf(loss), elementwise.scale(loss, 0.0), loss)
    if reduction == "mean":
        lengths = clipping.clip(casting.cast(target_lengths, loss.dtype), 1.0)
        return reduce.mean(elementwise.divide(loss, lengths))
    return reduced(loss, reduction)


@flowing
def ctc_greedy_decoder(log_probs: Any, input_lengths: Any, merge_repeated: bool = True) -> tuple[Any, Any]:
    """The likeliest labels of log probabilities [time, batch, classes], and the negative logarithms of their chance."""
    return _ctc_greedy_decoder(log_probs, input_lengths, merge_repeated)
