"""Losses as functions. `reduction`: 'mean', 'sum' or 'none'."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...core.errors import AssertedError
from ...core.lazy import beside
from ...ops.array.assign import one_hot, shape
from ...ops.array.full import value_of
from ...ops.array.gather import gather
from ...ops.array.reshape import axis_of, moveaxis, reshape, squeeze, squeeze_op, unsqueeze_op
from ...ops.array.unknown_sizes import size_at
from ...ops.core.infer import check_same_shape
from ...ops.core.result_names import results_named
from ...ops.core.trace import apply, drawing
from ...ops.linalg.matrix_product import matmul
from ...ops.loss.cross_entropy import class_numbers, cross_entropy_op, label_smooth
from ...ops.loss.cross_entropy import mean_op as cross_entropy_mean_op
from ...ops.loss.losses import bce_op, huber_op, kldiv_op, log_loss_op, nll_op, sigmoid_cross_entropy_op
from ...ops.math.casting import cast
from ...ops.math.comparison import not_equal
from ...ops.math.elementwise import multiply, subtract, subtract_op
from ...ops.math.reduce import mean, sum
from ...ops.math.unary import abs, square, square_op
from ...ops.sequence.edit_distance import edit_distance_op
from ...ops.sequence.slicing import sequence_erase_op
from .activation import relu

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cosine_embedding_loss", "cross_entropy",
    "hinge_embedding_loss", "kl_div", "l1_loss", "log_loss", "margin_ranking_loss", "mse_loss", "nll_loss",
    "smooth_l1_loss", "softmax_with_cross_entropy", "square_error_cost",
]

if not TYPE_CHECKING:
    __getattr__ = beside(__name__)


def check_reduction(what: str, reduction: str) -> None:
    """ValueError unless the reduction is one of the three."""
    if reduction not in ("mean", "sum", "none"):
        raise AssertedError(f"{what}(reduction): must be 'mean', 'sum' or 'none'. Received {reduction!r}.")


def reduced(loss: Any, reduction: str, name: str | None = None) -> Any:
    """The mean or sum of the losses, or themselves."""
    return mean(loss, name=name) if reduction == "mean" else sum(loss, name=name) if reduction == "sum" else loss


def numbers_like(input: Any, label: Any) -> Any:
    """Labels; integers and bools in input's dtype, in which the loss is computed."""
    label = value_of(label)
    return label if label.dtype.is_differentiable else cast(label, value_of(input).dtype)


# cross entropy

def cross_entropy(input: Any, label: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean",
                  soft_label: bool = False, axis: int = -1, use_softmax: bool = True, label_smoothing: float = 0.0,
                  name: str | None = None) -> Any:
    """-log softmax(input)[label]: the cross entropy of scores [..., C, ...], classes along `axis`, with labels.

    `label` holds class numbers, [...] or [..., 1], integers or floats that are whole, or with `soft_label`
    distributions of input's shape. Labels equal to `ignore_index` count nothing, in the mean too. `weight` [C] weighs
    the classes, and the mean is then weighted. `use_softmax=False` takes `input` as probabilities. `label_smoothing`
    gives a part of each label to all classes; labels of input's shape are then distributions.

    Raises ValueError for shapes that do not fit and for labels out of range, or not whole.

    >>> import proa as paddle
    >>> scores = paddle.to_tensor([[2.0, 0.0], [0.0, 2.0]])
    >>> round(float(paddle.nn.functional.cross_entropy(scores, paddle.to_tensor([0, 1]))), 4)
    0.1269
    """
    input, label, axis = value_of(input), value_of(label), axis_of(axis)
    check_reduction("cross_entropy", reduction)
    if soft_label and ignore_index > 0:
        raise ValueError("cross_entropy(soft_label=True, ignore_index): distributions have no number to be ignored. "
                         f"Received ignore_index={ignore_index!r}. Leave it out.")
    soft_label = soft_label or (label_smoothing > 0 and _has_classes(input, label, axis))
    label = label if soft_label else class_numbers(label)
    if reduction == "mean" and weight is None and not soft_label and not label_smoothing > 0:
        return apply(cross_entropy_mean_op, input, label, use_softmax=use_softmax, ignore_index=ignore_index,
                     axis=axis)[0]
    rank, with_classes = len(input.shape), True
    if label_smoothing > 0:
        label, soft_label = _smoothed(input, label, soft_label, axis, label_smoothing), True
    if len(label.shape) == rank - 1:
        label, with_classes = apply(unsqueeze_op, label, None, None, axes=[axis]), False
    loss = apply(cross_entropy_op, input, label, soft_label=soft_label, use_softmax=use_softmax,
                 numeric_stable_mode=True, ignore_index=ignore_index, axis=axis)[1]
    if weight is not None:
        _check_weights(weight, input, axis)
        loss, weights = _weighted(loss, label, weight, ignore_index, soft_label, axis)
        if reduction == "mean":
            total = sum(weights)
            return sum(loss) / (total + cast(total == 0.0, total.dtype))
    if reduction == "none" and not with_classes:
        return apply(squeeze_op, loss, axes=[axis])
    return reduced(loss, reduction, name)


def _has_classes(input: Any, label: Any, axis: int) -> bool:
    """Whether the labels are distributions by their shape, as smoothed ones may be without `soft_label`.

    Where only a run knows the shape, integers are class numbers.
    """
    if len(label.shape) != len(input.shape) or label.shape[axis] == 1:
        return False
    if -1 in (label.shape[axis], input.shape[axis]):
        return label.dtype.is_floating
    return bool(label.shape[axis] == input.shape[axis])


def _smoothed(input: Any, label: Any, soft_label: bool, axis: int, epsilon: float) -> Any:
    rank = len(input.shape)
    is_last = axis in (-1, rank - 1)
    if not soft_label:
        if len(label.shape) == rank:
            label = apply(squeeze_op, label, axes=[axis])
        label = one_hot(label, size_at(input, axis))
    elif not is_last:
        label = moveaxis(label, axis, -1)
    label = label_smooth(cast(label, input.dtype), epsilon=epsilon)
    return label if is_last else moveaxis(label, -1, axis)


def _check_weights(weight: Any, input: Any, axis: int) -> None:
    given, classes = tuple(weight.shape)[-1:], input.shape[axis]
    if given != (classes,) and -1 not in (*given, classes):
        raise ValueError(f"cross_entropy(weight): there must be one weight for each of the {classes} classes. "
                         f"Received weight.shape={list(weight.shape)}, input.shape={list(input.shape)}, axis={axis}.")


def _weighted(loss: Any, label: Any, weight: Any, ignore_index: int, soft_label: bool, axis: int) -> tuple[Any, Any]:
    """The weighted losses and the weights, one a loss."""
    if soft_label and axis % len(loss.shape) != len(loss.shape) - 1:
        along = reshape(weight, [-1] + [1] * (len(loss.shape) - 1 - axis % len(loss.shape)))
        weights = sum(multiply(cast(label, weight.dtype), along), axis, keepdim=True)
    elif soft_label:
        weights = apply(unsqueeze_op, matmul(cast(label, weight.dtype), weight), None, None, axes=[-1])
    else:
        counted = not_equal(label, ignore_index)
        chosen = gather(weight, reshape(multiply(label, cast(counted, label.dtype)), [-1]))
        sizes = shape(label) if -1 in label.shape else list(label.shape)
        weights = multiply(reshape(chosen, sizes), cast(counted, weight.dtype))
    return multiply(loss, weights), weights


def softmax_with_cross_entropy(logits: Any, label: Any, soft_label: bool = False, ignore_index: int = -100,
                               numeric_stable_mode: bool = True, return_softmax: bool = False, axis: int = -1) -> Any:
    """The losses of `cross_entropy`, unreduced, with size 1 along `axis`; with `return_softmax` also softmax(logits).

    No gradient flows through the softmax that is returned.

    >>> import proa as paddle
    >>> scores, labels = paddle.zeros([1, 2], "float64"), paddle.to_tensor([[1]])
    >>> paddle.nn.functional.softmax_with_cross_entropy(scores, labels).numpy().round(3).tolist()
    [[0.693]]
    """
    logits, label = value_of(logits), value_of(label)
    label = label if soft_label else class_numbers(label)
    if len(label.shape) == len(logits.shape) - 1:
        label = apply(unsqueeze_op, label, None, None, axes=[axis])
    softmax, loss = apply(cross_entropy_op, logits, label, soft_label=soft_label, use_softmax=True,
                          numeric_stable_mode=numeric_stable_mode, ignore_index=ignore_index, axis=axis)
    return (loss, softmax) if return_softmax else loss


def nll_loss(input: Any, label: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean",
             name: str | None = None) -> Any:
    """-input[label] for log probabilities [N, C, ...] and class numbers [N, ...]; `weight` [C] weighs the mean.

    Class numbers of [N, C] may be [N, 1] as well.

    >>> import proa as paddle
    >>> scores = paddle.to_tensor([[-0.5, -1.0]])
    >>> paddle.nn.functional.nll_loss(scores, paddle.to_tensor([0])).item()
    0.5
    """
    input, label = value_of(input), value_of(label)
    check_reduction("nll_loss", reduction)
    if len(input.shape) == len(label.shape) == 2 and label.shape[1] == 1:
        label = squeeze(label, 1)
    return apply(nll_op, input, label, weight, ignore_index=ignore_index, reduction=reduction)[0]


# binary cross entropy

@results_named("binary_cross_entropy")
def binary_cross_entropy(input: Any, label: Any, weight: Any = None, reduction: str = "mean",
                         name: str | None = None) -> Any:
    """-(label * log(input) + (1 - label) * log(1 - input)) for probabilities; logarithms are cut at -100.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([0.5, 0.5], "float64"), paddle.to_tensor([1.0, 0.0], "float64")
    >>> round(paddle.nn.functional.binary_cross_entropy(x, y).item(), 3)
    0.693
    """
    check_reduction("binary_cross_entropy", reduction)
    loss = apply(bce_op, input, numbers_like(input, label))
    return reduced(loss if weight is None else multiply(loss, weight), reduction, name)


def binary_cross_entropy_with_logits(logit: Any, label: Any, weight: Any = None, reduction: str = "mean",
                                     pos_weight: Any = None, name: str | None = None) -> Any:
    """`binary_cross_entropy` of sigmoid(logit), without its overflows; `pos_weight` weighs the part of label 1.

    -(pos_weight * label * log(sigmoid(logit)) + (1 - label) * log(1 - sigmoid(logit))).

    >>> import proa as paddle
    >>> zero = paddle.zeros([1])
    >>> round(float(paddle.nn.functional.binary_cross_entropy_with_logits(zero, zero)), 4)
    0.6931
    """
    logit, label = value_of(logit), value_of(label)
    check_reduction("binary_cross_entropy_with_logits", reduction)
    label = numbers_like(logit, label)
    if pos_weight is not None:
        label = label if label.stop_gradient else label.detach()  # a constant in the weights, too
        pos_weight = multiply(label, subtract(pos_weight, 1.0)) + 1.0
    loss = apply(sigmoid_cross_entropy_op, logit, label, pos_weight, normalize=False, ignore_index=-100)
    return reduced(loss if weight is None else multiply(loss, weight), reduction, name)


# regression

def square_error_cost(input: Any, label: Any) -> Any:
    """(input - label) squared, unreduced; of complex numbers the square of its size.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([1.0, 4.0])
    >>> paddle.nn.functional.square_error_cost(x, y).tolist()
    [0.0, 4.0]
    """
    drawing("square_error_cost", None)
    return apply(square_op, _size(apply(subtract_op, input, label)))


def _size(difference: Any) -> Any:
    """What a loss squares: of complex numbers their sizes, as the square of such a number is none to be small."""
    return abs(difference) if difference.dtype.is_complex else difference


def mse_loss(input: Any, label: Any, reduction: str = "mean", name: str | None = None) -> Any:
    """(input - label) squared; of complex numbers the square of its size.

    >>> import proa as paddle
    >>> float(paddle.nn.functional.mse_loss(paddle.to_tensor([1.0, 3.0]), paddle.to_tensor([1.0, 1.0])))
    2.0
    """
    check_reduction("mse_loss", reduction)
    return reduced(square(_size(subtract(input, label))), reduction, name)


def l1_loss(input: Any, label: Any, reduction: str = "mean", name: str | None = None) -> Any:
    """|input - label|.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([1.0, 4.0])
    >>> paddle.nn.functional.l1_loss(x, y).item()
    1.0
    """
    check_reduction("l1_loss", reduction)
    return reduced(abs(subtract(input, label)), reduction, name)


@results_named("huber_loss", first="Residual")
def smooth_l1_loss(input: Any, label: Any, reduction: str = "mean", delta: float = 1.0, name: str | None = None) -> Any:
    """Half the square of the difference where it is at most `delta`, delta * (|difference| - delta / 2) beyond.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([1.0, 4.0])
    >>> paddle.nn.functional.smooth_l1_loss(x, y).item()
    0.75
    """
    input, label = value_of(input), value_of(label)
    check_reduction("smooth_l1_loss", reduction)
    return reduced(apply(huber_op, input, numbers_like(input, label), delta=float(delta))[0], reduction)


# distributions and rankings

@results_named("kl_div")
def kl_div(input: Any, label: Any, reduction: str = "mean", name: str | None = None) -> Any:
    """label * (log(label) - input) for log probabilities `input`; 'batchmean' is the sum over the size of the batch.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([[0.5, 0.5]], "float64"), paddle.to_tensor([[0.5, 0.5]], "float64")
    >>> paddle.nn.functional.kl_div(x.log(), y).item()
    0.0
    """
    input, label = value_of(input), value_of(label)
    if reduction not in ("mean", "sum", "none", "batchmean"):
        raise ValueError(f"kl_div(reduction): must be 'mean', 'batchmean', 'sum' or 'none'. Received {reduction!r}.")
    loss = apply(kldiv_op, input, numbers_like(input, label), reduction="none")
    if reduction != "batchmean":
        return reduced(loss, reduction)
    return sum(loss) / input.shape[0] if input.shape[0] != -1 else sum(mean(loss, 0))


def log_loss(input: Any, label: Any, epsilon: float = 1e-4, name: str | None = None) -> Any:
    """-label * log(input + epsilon) - (1 - label) * log(1 - input + epsilon), unreduced.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([[0.5]], "float64"), paddle.to_tensor([[1.0]], "float64")
    >>> paddle.nn.functional.log_loss(x, y).numpy().round(3).tolist()
    [[0.693]]
    """
    input, label = value_of(input), value_of(label)
    check_same_shape("log_loss(input, label)", input, label)
    return apply(log_loss_op, input, numbers_like(input, label), epsilon=float(epsilon))


def margin_ranking_loss(input: Any, other: Any, label: Any, margin: float = 0.0, reduction: str = "mean",
                        name: str | None = None) -> Any:
    """max(0, -label * (input - other) + margin), label being 1 or -1.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([2.0, 1.0])
    >>> paddle.nn.functional.margin_ranking_loss(x, y, paddle.to_tensor([1.0, 1.0])).item()
    0.5
    """
    check_reduction("margin_ranking_loss", reduction)
    return reduced(relu(multiply(-label, subtract(input, other)) + margin), reduction, name)


def hinge_embedding_loss(input: Any, label: Any, margin: float = 1.0, reduction: str = "mean",
                         name: str | None = None) -> Any:
    """input where label is 1, max(0, margin - input) where it is -1.

    >>> import proa as paddle
    >>> paddle.nn.functional.hinge_embedding_loss(paddle.to_tensor([0.5, 0.25]), paddle.to_tensor([1.0, -1.0])).item()
    0.625
    """
    input, label = value_of(input), value_of(label)
    check_reduction("hinge_embedding_loss", reduction)
    positive, negative = (cast(label == sign, input.dtype) for sign in (1.0, -1.0))
    return reduced(multiply(input, positive) + multiply(relu(-input + margin), negative), reduction, name)


def cosine_embedding_loss(input1: Any, input2: Any, label: Any, margin: float = 0, reduction: str = "mean",
                          name: str | None = None) -> Any:
    """1 - cos(input1, input2) where label is 1, max(0, cos - margin) where it is -1; for [N, M] or [M].

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([[1.0, 0.0]]), paddle.to_tensor([[0.0, 1.0]])
    >>> paddle.nn.functional.cosine_embedding_loss(x, y, paddle.to_tensor([1])).item()
    1.0
    """
    from .common import cosine_similarity

    check_reduction("cosine_embedding_loss", reduction)
    label = value_of(label)
    if label.ndim > 1:
        raise ValueError(f"cosine_embedding_loss(label): must be [N], a sign for each row. "
                         f"Received label.shape={list(label.shape)}.")
    if label.dtype.name not in ("int32", "int64", "float32", "float64"):
        raise ValueError("cosine_embedding_loss(label): must be of int32, int64, float32 or float64. Received "
                         f"{label.dtype.name}.")
    input1, input2 = value_of(input1), value_of(input2)
    if max(input1.ndim, input2.ndim) > 2:
        raise ValueError(f"cosine_embedding_loss(input1, input2): must be [N, M] or [M]. Received shapes "
                         f"{list(input1.shape)} and {list(input2.shape)}.")
    cosine = cosine_similarity(input1, input2, axis=-1)
    positive, negative = (cast(label == sign, cosine.dtype) for sign in (1, -1))
    return reduced(multiply(-cosine + 1.0, positive) + multiply(relu(cosine - margin), negative), reduction, name)


def edit_distance(input: Any, label: Any, normalized: bool = True, ignored_tokens: Any = None,
                  input_length: Any = None, label_length: Any = None) -> tuple[Any, Any]:
    """How many changes make each sequence of `input` that of `label`, [N, 1], and the number of sequences, [1].

    `input` and `label` are padded, [N, steps] of whole numbers, with lengths [N]; or rows of sequences with a LoD,
    [rows, 1], of which `ignored_tokens` are taken out first. `normalized` divides by the labels' lengths.

    >>> import proa as paddle
    >>> words, lengths = paddle.to_tensor([[1, 2, 3]]), paddle.to_tensor([3])
    >>> distance, count = paddle.nn.functional.loss.edit_distance(words, words + 1, False, None, lengths, lengths)
    >>> distance.tolist(), count.tolist()
    ([[2.0]], [1])
    """
    if ignored_tokens:
        input, label = (apply(sequence_erase_op, value, None, tokens=list(ignored_tokens))[0]
                        for value in (input, label))
    found = apply(edit_distance_op, input, label, None, None, input_length, label_length, normalized=normalized)
    return found[0], found[1]
