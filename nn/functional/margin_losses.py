"""Losses with a margin: of scores with labels, and of distances between triplets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ops.array.full import value_of
from ...ops.array.gather import gather
from ...ops.array.reshape import reshape
from ...ops.array.take_along_axis import index_sample
from ...ops.array.unknown_sizes import size_at
from ...ops.core.infer import check_same_shape
from ...ops.math.casting import as_floating, cast
from ...ops.math.clip import clip
from ...ops.math.elementwise import minimum, multiply, subtract
from ...ops.math.reduce import mean
from .activation import log_sigmoid, softplus
from .distance import pairwise_distance
from .loss import check_reduction, reduced

__all__ = ["multi_label_soft_margin_loss", "multi_margin_loss", "soft_margin_loss", "triplet_margin_loss",
           "triplet_margin_with_distance_loss"]


def soft_margin_loss(input: Any, label: Any, reduction: str = "mean", name: str | None = None) -> Any:
    """log(1 + exp(-label * input)), label being 1 or -1.

    >>> import proa as paddle
    >>> one = paddle.to_tensor([1.0])
    >>> round(float(paddle.nn.functional.soft_margin_loss(one, one)), 4)
    0.3133
    """
    input, label = value_of(input), value_of(label)
    check_reduction("soft_margin_loss", reduction)
    check_same_shape("soft_margin_loss", input, label)
    input = as_floating(input)
    return reduced(softplus(-multiply(cast(label, input.dtype), input), threshold=1e4), reduction, name)


def multi_label_soft_margin_loss(input: Any, label: Any, weight: Any = None, reduction: str = "mean",
                                 name: str | None = None) -> Any:
    """The mean over classes of -(label * log(sigmoid(input)) + (1 - label) * log(1 - sigmoid(input))); both [N, C].

    `weight` weighs the classes.

    >>> import proa as paddle
    >>> x = paddle.zeros([1, 2])
    >>> round(float(paddle.nn.functional.multi_label_soft_margin_loss(x, paddle.to_tensor([[1.0, 0.0]]))), 4)
    0.6931
    """
    input, label = value_of(input), value_of(label)
    check_reduction("multi_label_soft_margin_loss", reduction)
    check_same_shape("multi_label_soft_margin_loss", input, label)
    loss = -(multiply(label, log_sigmoid(input)) + multiply(-label + 1.0, log_sigmoid(-input)))
    return reduced(mean(loss if weight is None else multiply(loss, weight), -1), reduction, name)


def multi_margin_loss(input: Any, label: Any, p: int = 1, margin: float = 1.0, weight: Any = None,
                      reduction: str = "mean", name: str | None = None) -> Any:
    """The sum over other classes c of max(0, margin - input[label] + input[c]) ** p, divided by the number of classes.

    input [N, C] and label [N]. `weight` [C] multiplies what stands in the maximum by that of the label's class.

    >>> import proa as paddle
    >>> scores = paddle.to_tensor([[1.0, 0.5]])
    >>> float(paddle.nn.functional.multi_margin_loss(scores, paddle.to_tensor([0])))
    0.25
    """
    input, label = value_of(input), value_of(label)
    check_reduction("multi_margin_loss", reduction)
    if len(input.shape) != 2 or not len(label.shape) or (
            input.shape[0] != label.shape[0] and -1 not in (input.shape[0], label.shape[0])):
        raise ValueError(f"multi_margin_loss(input, label): must be [N, C] and [N]. Received {list(input.shape)} and "
                         f"{list(label.shape)}.")
    classes = size_at(input, 1)
    label = reshape(label, [-1, 1])
    beyond, own = subtract(input, index_sample(input, label)) + margin, 1.0 / classes * margin ** p
    if weight is None:
        return reduced(mean(clip(beyond, min=0.0) ** p, 1) - own, reduction, name)
    if weight.shape[0] != input.shape[1] and -1 not in (weight.shape[0], input.shape[1]):
        raise ValueError(f"multi_margin_loss(weight): must be [{classes}], one a class. Received {list(weight.shape)}.")
    weight = reshape(gather(weight, reshape(label, [-1])), [-1, 1])
    # As in PaddlePaddle the label's own part is subtracted without the power of its weight, and is a column.
    loss = mean(clip(multiply(weight, beyond), min=0.0) ** p, 1) - weight * own
    return reduced(loss, reduction, name)


def triplet_margin_with_distance_loss(input: Any, positive: Any, negative: Any,
                                      distance_function: Callable[[Any, Any], Any] | None = None, margin: float = 1.0,
                                      swap: bool = False, reduction: str = "mean", name: str | None = None) -> Any:
    """max(0, d(input, positive) - d(input, negative) + margin) for a distance d of one's own; all of one shape.

    d is the Euclidean `pairwise_distance` unless given. With `swap` the lesser of d(input, negative) and
    d(positive, negative) counts.

    >>> import proa as paddle
    >>> a, b = paddle.to_tensor([[0.0, 0.0]]), paddle.to_tensor([[3.0, 4.0]])
    >>> round(float(paddle.nn.functional.triplet_margin_with_distance_loss(a, b, b)), 3)
    1.0
    """
    what = "triplet_margin_with_distance_loss"
    return _triplet(what, distance_function or pairwise_distance, input, positive, negative, margin, swap, reduction)


def triplet_margin_loss(input: Any, positive: Any, negative: Any, margin: float = 1.0, p: float = 2,
                        epsilon: float = 1e-6, swap: bool = False, reduction: str = "mean",
                        name: str | None = None) -> Any:
    """max(0, d(input, positive) - d(input, negative) + margin), d the norm of order p of the difference + epsilon.

    With `swap` the lesser of d(input, negative) and d(positive, negative) counts. After "Learning local feature
    descriptors with triplets and shallow convolutional neural networks" (Balntas et al., 2016).

    >>> import proa as paddle
    >>> a, b = paddle.to_tensor([[0.0, 0.0]]), paddle.to_tensor([[3.0, 4.0]])
    >>> round(float(paddle.nn.functional.triplet_margin_loss(a, b, a)), 3)
    6.0
    """
    input, positive, negative = value_of(input), value_of(positive), value_of(negative)
    def distance(x: Any, y: Any) -> Any:
        return pairwise_distance(x, y, p, epsilon)

    return _triplet("triplet_margin_loss", distance, input, positive, negative, margin, swap, reduction)


def _triplet(what: str, distance: Callable[[Any, Any], Any], input: Any, positive: Any, negative: Any, margin: float,
             swap: bool, reduction: str) -> Any:
    check_reduction(what, reduction)
    if margin < 0:
        raise ValueError(f"{what}(margin): must not be negative. Received {margin}.")
    check_same_shape(what, input, positive)
    check_same_shape(what, input, negative)
    near, far = distance(input, positive), distance(input, negative)
    if swap:
        far = minimum(far, distance(positive, negative))
    return reduced(clip(near - far + margin, min=0.0), reduction)
