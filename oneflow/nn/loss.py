"""Losses of values: cross entropies, differences, rankings and divergences.

In a job a mean or a sum has the shape (1,).
"""

from __future__ import annotations

from typing import Any

from ...nn import functional
from ...ops.array.creation import ones_like, zeros_like
from ...ops.array.reshape import reshape, squeeze
from ...ops.array.where import where
from ...ops.math.clip import clip
from ...ops.math.comparison import greater_than
from ...ops.math.elementwise import add, multiply, pow, scale, subtract
from ...ops.math.reduce import mean, sum
from ...ops.math.unary import abs, acos, cos, exp, log, sqrt, square
from .binary_cross_entropy import of_logits, of_probabilities

_NO_LABEL = -(2 ** 31)  # what no label is: here none is left out of a loss
_LEAST_PROBABILITY = 1e-20


def _reduced(what: str, losses: Any, reduction: str) -> Any:
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{what}(reduction): must be 'none', 'mean' or 'sum'. Received {reduction!r}.")
    return mean(losses) if reduction == "mean" else sum(losses) if reduction == "sum" else losses


def _weighed(losses: Any, weight: Any) -> Any:
    return losses if weight is None else multiply(losses, weight)


def _check_alike(what: str, **values: Any) -> None:
    shapes = {name: list(value.shape) for name, value in values.items() if value is not None}
    if len({tuple(shape) for shape in shapes.values()}) > 1:
        raise ValueError(f"{what}: {', '.join(shapes)} must have one shape. Received "
                         f"{', '.join(f'{name}.shape={shape}' for name, shape in shapes.items())}.")


# cross entropies

def _by_class(what: str, labels: Any, scores: Any, of_scores: str, use_softmax: bool) -> Any:
    """The losses of class numbers, one a label."""
    shape, wanted = list(labels.shape), list(scores.shape)[:-1]
    if shape not in (wanted, [*wanted, 1]):
        raise ValueError(f"{what}(labels): must be class numbers of shape {wanted} or {[*wanted, 1]}, one for each row "
                         f"of {of_scores}. Received labels.shape={shape}, {of_scores}.shape={list(scores.shape)}.")
    if not labels.dtype.is_integer:
        raise TypeError(f"{what}(labels): class numbers are int32 or int64. Received {labels.dtype.name}.")
    if shape != wanted:
        labels = squeeze(labels, -1)
    return functional.cross_entropy(scores, labels, ignore_index=_NO_LABEL, reduction="none",
                                       use_softmax=use_softmax)


def sparse_cross_entropy(labels: Any, prediction: Any, name: str | None = None) -> Any:
    """-log(prediction[label]): losses of the labels' shape, `prediction` being the probabilities [..., classes].

    Probabilities count as 1e-20 at least. ValueError when the job runs for labels out of range.

    >>> import proa.oneflow as flow
    >>> import proa as paddle
    >>> labels = paddle.to_tensor([1], "int32")
    >>> [round(x, 4) for x in flow.nn.sparse_cross_entropy(labels, paddle.to_tensor([[0.5, 0.5]])).tolist()]
    [0.6931]
    """
    return _by_class("sparse_cross_entropy", labels, clip(prediction, _LEAST_PROBABILITY), "prediction", False)


def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Any:
    """-log(softmax(logits)[label]): losses of the labels' shape, the logits being [..., classes].

    The labels (int32 or int64) may have another dimension of size 1. ValueError when the job runs for labels out of
    range.
    """
    return _by_class("sparse_softmax_cross_entropy_with_logits", labels, logits, "logits", True)


def distributed_sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Any:
    """`sparse_softmax_cross_entropy_with_logits`: there the classes are divided among devices, here is one."""
    return _by_class("distributed_sparse_softmax_cross_entropy_with_logits", labels, logits, "logits", True)


def softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Any:
    """-sum(labels * log(softmax(logits))) along the last dimension, which the losses do not have.

    Labels are distributions of the shape and dtype of the logits. No gradient goes to them.
    """
    _check_alike("softmax_cross_entropy_with_logits", labels=labels, logits=logits)
    losses = functional.cross_entropy(logits, labels, reduction="none", soft_label=True)
    return squeeze(losses, -1)


def sigmoid_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Any:
    """-(labels * log(sigmoid(logits)) + (1 - labels) * log(1 - sigmoid(logits))), element by element."""
    _check_alike("sigmoid_cross_entropy_with_logits", labels=labels, logits=logits)
    return functional.binary_cross_entropy_with_logits(logits, labels, reduction="none")


def bce_loss(input: Any, target: Any, weight: Any = None, reduction: str = "mean", name: str | None = None) -> Any:
    """-(target * log(input) + (1 - target) * log(1 - input)) times `weight`; the logarithms are cut at -100."""
    _check_alike("BCELoss", input=input, target=target, weight=weight)
    return _reduced("BCELoss", _weighed(of_probabilities(input, target), weight), reduction)


def bce_with_logits_loss(input: Any, target: Any, weight: Any = None, pos_weight: Any = None, reduction: str = "mean",
                         name: str | None = None) -> Any:
    """`bce_loss` of sigmoid(input), without its overflows; `pos_weight`, one a class, weighs the part of target 1."""
    _check_alike("BCEWithLogitsLoss", input=input, target=target, weight=weight)
    if pos_weight is not None and pos_weight.shape[0] != input.shape[-1]:
        raise ValueError(f"BCEWithLogitsLoss(pos_weight): must have one element for each of the {input.shape[-1]} "
                         f"classes. Received pos_weight.shape={list(pos_weight.shape)}.")
    return _reduced("BCEWithLogitsLoss", _weighed(of_logits(input, target, pos_weight), weight), reduction)


# differences

def l1_loss(input: Any, target: Any, reduction: str = "mean", name: str | None = None) -> Any:
    """|target - input|, of which `reduction` takes the 'mean', the 'sum', or 'none'."""
    _check_alike("L1Loss", input=input, target=target)
    return _reduced("L1Loss", abs(subtract(target, input)), reduction)


def mse_loss(input: Any, target: Any, reduction: str = "mean", name: str | None = None) -> Any:
    """(target - input) squared, of which `reduction` takes the 'mean', the 'sum', or 'none'."""
    _check_alike("MSELoss", input=input, target=target)
    return _reduced("MSELoss", square(subtract(target, input)), reduction)


def smooth_l1_loss(prediction: Any, label: Any, beta: float = 1.0, name: str | None = None) -> Any:
    """Element by element: difference ** 2 / (2 * beta) where |difference| < beta, |difference| - beta / 2 beyond.

    >>> import proa.oneflow as flow
    >>> import proa as paddle
    >>> flow.smooth_l1_loss(paddle.to_tensor([1.0, 3.0]), paddle.to_tensor([0.0, 0.0])).tolist()
    [0.5, 2.5]
    """
    _check_alike("smooth_l1_loss", prediction=prediction, label=label)
    losses = functional.smooth_l1_loss(prediction, label, "none", float(beta))
    return losses if beta == 1 else scale(losses, 1 / beta)


# rankings and divergences

def margin_ranking_loss(input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: str = "mean",
                        name: str | None = None) -> Any:
    """max(0, margin - target * (input1 - input2))."""
    _check_alike("MarginRankingLoss", input1=input1, input2=input2)
    losses = clip(add(multiply(target, subtract(input2, input1)), margin), 0.0)
    return _reduced("MarginRankingLoss", losses, reduction)


def _length(x: Any, p: float) -> Any:
    """The norm of order p along dimension 1."""
    if p == 2:
        return sqrt(sum(square(x), 1))
    return pow(sum(pow(abs(x), p), 1), 1 / p)


def triplet_margin_loss(anchor: Any, positive: Any, negative: Any, margin: float = 1.0, p: float = 2.0,
                        eps: float = 1e-6, swap: bool = False, reduction: str = "mean",
                        name: str | None = None) -> Any:
    """max(0, |anchor - positive| - |anchor - negative| + margin), the lengths being norms of order p."""
    if swap:
        raise NotImplementedError("TripletMarginLoss(swap=True) is not there, as it is not in OneFlow 0.6. Leave it "
                                  "out, or use paddle.nn.functional.triplet_margin_loss of the 2.x API.")
    near = _length(scale(subtract(anchor, positive), 1.0, eps), float(p))
    far = _length(scale(subtract(anchor, negative), 1.0, eps), float(p))
    losses = clip(scale(subtract(near, far), 1.0, float(margin)), 0.0)
    return _reduced("TripletMarginLoss", losses, reduction)


def kldivloss(input: Any, target: Any, log_target: bool = False, reduction: str = "mean",
              name: str | None = None) -> Any:
    """target * (log(target) - input), and 0 where the target is not above 0.

    With `log_target` the target is given as logarithms: exp(target) * (target - input).
    """
    if log_target:
        return _reduced("KLDivLoss", multiply(exp(target), subtract(target, input)), reduction)
    above = greater_than(target, zeros_like(target))
    sure = where(above, target, ones_like(target))
    losses = where(above, multiply(target, subtract(log(sure), input)), zeros_like(input))
    return _reduced("KLDivLoss", losses, reduction)


def combined_margin_loss(x: Any, label: Any, m1: float = 1, m2: float = 0, m3: float = 0,
                         name: str | None = None) -> Any:
    """Cosines [N, classes] with that of each label's class made cos(m1 * angle + m2) - m3; the others stay.

    With (1, m2, 0) it is ArcFace's margin, with (1, 0, m3) CosFace's, with (m1, 0, 0) SphereFace's.
    """
    classes = x.shape[1]
    mine = functional.one_hot(reshape(label, [-1]), classes)
    cosine = sum(multiply(x, mine), 1, keepdim=True)
    margin = scale(cos(scale(acos(cosine), float(m1), float(m2))), 1.0, -float(m3))
    return add(x, multiply(mine, subtract(margin, cosine)))
