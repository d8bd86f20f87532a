"""Losses: bce_loss, sigmoid_cross_entropy_with_logits, huber_loss, kldiv_loss, log_loss and nll_loss.

The functions with their reductions are in `nn.functional.loss`; cross entropy has its own file.
"""


from typing import Any

from ...backend.engines import LOOPS
from ...backend.kernels import losses as fast
from ...backend.kernels import nll as fast_nll
from ...core import dtype as dt
from ..array.creation import full_like
from ..array.full import full_of_shape, is_value
from ..array.gradient_shapes import expand_to, sum_to
from ..array.take_along_axis import open_grid
from ..array.unknown_sizes import count_of, sizes
from ..array.where import broadcast_where_op
from ..core.infer import check_same_shape, promoting, same
from ..core.kernels import by
from ..core.operator import Long, operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import cast, dtype_of, in_dtype
from ..math.reduce import sum as reduce_sum
from ..math.unary import exp, log1p
from ..nn.activation import logsigmoid_op, sigmoid

_LARGEST_LOSS = 100.0  # of binary cross entropy, where a logarithm would be infinite


# binary cross entropy; its labels are constants, as those of cross_entropy are: they have no gradient

def _same_shapes(what: str) -> Any:
    def infer(x, label, *others, **_):
        check_same_shape(what, x, label)
        return x

    return promoting(infer)


def _check_shapes(x: Any, label: Any) -> None:
    if x.shape != label.shape:
        raise ValueError(f"shapes {x.shape} and {label.shape} differ")


def _bce(xp, x, label):
    _check_shapes(x, label)
    if x.size and not (float(x.min()) >= 0 and float(x.max()) <= 1):
        raise ValueError("binary_cross_entropy(input, label): input must hold probabilities, in [0, 1]. For scores "
                         "there is binary_cross_entropy_with_logits.")
    tiny = xp.asarray(xp.finfo(x.dtype).smallest_subnormal, x.dtype)  # below the largest loss's probability
    return (label - 1) * xp.maximum(xp.log(xp.maximum(1 - x, tiny)), -_LARGEST_LOSS) - label * xp.maximum(
        xp.log(xp.maximum(x, tiny)), -_LARGEST_LOSS)


def _bce_slope(xp, x, label):
    return (x - label) / xp.maximum(x * (1 - x), xp.asarray(1e-12, x.dtype))


def _bce_curvature(g: Any, x: Any, label: Any) -> Any:
    """The derivative of (x - y) / (x (1 - x)) in x."""
    product = x * (x * -1.0 + 1.0)
    return g * (product - (x - label) * (x * -2.0 + 1.0)) / (product * product)


bce_slope_op = operator("bce_slope", "X, Label -> Out", kernel=_bce_slope, infer=same,
                        formula="(X - Label) / max(X * (1.0 - X), 1e-12)", grad={
    "X": lambda g, X, Label: _bce_curvature(g, X, Label)}, only_here=True)
bce_op = operator(
    "bce_loss", "X, Label -> Out", kernel=_bce, infer=_same_shapes("binary_cross_entropy(input, label)"),
    grad={"X": lambda g, X, Label: g * apply(bce_slope_op, X, Label)}, fails="values", promotes=True)


def _logits(xp, x, label, pos_weight=None, *, normalize: bool = False, ignore_index: int = -100):
    _check_shapes(x, label)
    small = xp.log1p(xp.exp(-xp.abs(x)))  # log(1 + exp(-|x|))
    if pos_weight is None:
        loss = xp.maximum(x, 0) - x * label + small
    else:
        loss = (1 - label) * x + pos_weight * (small + xp.maximum(-x, 0))
    counted = label != ignore_index
    loss = loss * counted
    return loss / xp.maximum(counted.sum(dtype=x.dtype), 1) if normalize else loss


def _logits_formula(normalize: bool, ignore_index: int) -> str | None:
    return None if normalize else (
        f"(max(X, 0.0) - X * Label + log1p(exp(-abs(X)))) * (1.0 if Label != {float(ignore_index)!r} else 0.0)")


def _logits_grad(xp, x, label, g, *, ignore_index: int = -100):
    return g * (1 / (1 + xp.exp(-x)) - label) * (label != ignore_index)


def _counted(label: Any, dtype: Any, ignore_index: int, normalize: bool) -> Any:
    counted = cast(label != ignore_index, dtype)
    return counted / reduce_sum(counted) if normalize else counted


def _logits_gradients(g: Any, X: Any, Label: Any, pos_weight: Any, ignore_index: int, normalize: bool,
                      wants: tuple) -> tuple[Any, Any]:
    if pos_weight is None and not normalize:
        return apply(logits_grad_op, X, Label, g, ignore_index=ignore_index), None
    g = g * _counted(Label, dtype_of(g), ignore_index, normalize)
    negative = sigmoid(X * -1.0)
    weight = 1.0 if pos_weight is None else pos_weight
    d_x = g * (Label * -1.0 + 1.0 - negative * weight) if wants[0] else None
    d_weight = None
    if wants[1] and pos_weight is not None:
        positive = cast(X > 0.0, dtype_of(g))
        magnitude = X * (positive * 2.0 - 1.0)
        d_weight = sum_to(g * (log1p(exp(magnitude * -1.0)) - X * (positive * -1.0 + 1.0)), tuple(pos_weight.shape))
    return d_x, d_weight


def _curvature_of_logits(v: Any, X: Any, Label: Any, G: Any, ignore_index: int, wants: tuple) -> tuple[Any, Any]:
    """The gradients of g * (sigmoid(x) - label) along v."""
    counted = v * _counted(Label, dtype_of(v), ignore_index, False)
    probability = sigmoid(X)
    d_x = counted * G * probability * (probability * -1.0 + 1.0) if wants[0] else None
    return d_x, counted * (probability - Label) if wants[1] else None


logits_grad_op = operator(
    "sigmoid_cross_entropy_with_logits_grad", "X, Label, G -> Out", kernel=_logits_grad, infer=same,
    engines=[by(LOOPS, fast.sigmoid_cross_entropy_with_logits_grad)],
    formula=lambda ignore_index: f"G * (sigmoid(X) - Label) * (1.0 if Label != {float(ignore_index)!r} else 0.0)",
    grad={"X, G": lambda g, X, Label, G, ignore_index, wants: _curvature_of_logits(
        g, X, Label, G, ignore_index, wants)}, only_here=True)
def _with_weight(x: Any, label: Any, pos_weight: Any = None, *, normalize: bool = False,
                 ignore_index: int = -100) -> Any:
    """With a pos_weight: what Paddle's kernel makes of that is no loss (docs/differences.md)."""
    if pos_weight is None:
        return NotImplemented
    loss = (label * -1.0 + 1.0) * x - pos_weight * apply(logsigmoid_op, x)
    return loss * _counted(label, dtype_of(x), ignore_index, normalize)


sigmoid_cross_entropy_op = operator(
    "sigmoid_cross_entropy_with_logits", "X, Label, pos_weight? -> Out", kernel=_logits, formula=_logits_formula,
    engines=[by(LOOPS, fast.sigmoid_cross_entropy_with_logits)],
    infer=_same_shapes("binary_cross_entropy_with_logits(logit, label)"), composed=_with_weight,
    grad={"X, pos_weight": lambda g, X, Label, pos_weight, ignore_index, normalize, wants: _logits_gradients(
        g, X, Label, pos_weight, ignore_index, normalize, wants)}, precision="black", promotes=True)


# regression

def _huber(xp, x, y, *, delta: float = 1.0):
    _check_shapes(x, y)
    residual = y - x
    size = xp.abs(residual)
    return xp.where(size <= delta, residual * residual * 0.5, delta * (size - 0.5 * delta)), residual


def _huber_slope(xp, residual, g, *, delta: float = 1.0):
    return g * xp.minimum(xp.maximum(residual, -delta), delta)


def _slope_of_clip(v: Any, residual: Any, g: Any, delta: float) -> Any:
    inside = cast(residual * residual <= delta * delta, dtype_of(residual))
    return v * g * inside


huber_slope_op = operator(
    "huber_slope", "Residual, G -> Out", kernel=_huber_slope, infer=same,
    formula=lambda delta: f"G * min(max(Residual, {-delta!r}), {delta!r})", grad={
        "Residual": lambda g, Residual, G, delta: _slope_of_clip(g, Residual, G, delta),
        "G": lambda g, Residual, delta: apply(huber_slope_op, Residual, g, delta=delta)}, only_here=True)
huber_op = operator(
    "huber_loss", "X, Y -> Out, Residual&", kernel=_huber,
    engines=[by(LOOPS, fast.huber_loss)], infer=promoting(lambda x, y, *, delta=1.0: (
        _same_shapes("smooth_l1_loss(input, label)")(x, y), x)),
    grad={"X": lambda g, X, Y, delta: apply(huber_slope_op, X - Y, g, delta=delta),
          "Y": lambda g, X, Y, delta: apply(huber_slope_op, Y - X, g, delta=delta)}, precision="black", lod="first",
    former="X, Y", promotes=True)


def _kldiv(xp, x, target, *, reduction: str = "none"):
    _check_shapes(x, target)
    counts = ~(target <= 0)  # NaN, too
    logs = xp.log(xp.where(counts, target, xp.ones_like(target)))
    loss = xp.where(counts, target * (logs - x), xp.zeros_like(x))
    return _reduced(loss, reduction)


def _infer_kldiv(x, target, *, reduction="none"):
    check_same_shape("kl_div(input, label)", x, target)
    return x if reduction == "none" else Spec((), x.dtype)


def _reduced(loss: Any, reduction: str) -> Any:
    if reduction == "batchmean":
        return loss.sum(dtype=loss.dtype) / loss.shape[0]
    return loss if reduction == "none" else loss.mean() if reduction == "mean" else loss.sum(dtype=loss.dtype)


def _kldiv_gradient(g: Any, Target: Any, X_shape: Any, reduction: str) -> Any:
    counted = X_shape if type(X_shape) is tuple else sizes(X_shape)
    counted = counted if reduction == "mean" else counted[:1] if reduction == "batchmean" else ()
    total = count_of(counted)
    share = g / cast(total, dtype_of(g)) if is_value(total) else g * (1.0 / total)
    share = g if reduction == "none" else expand_to(share, X_shape)
    return apply(broadcast_where_op, Target > 0.0, share * Target * -1.0, full_of_shape((), 0.0, dtype_of(g)))


kldiv_op = operator(
    "kldiv_loss", "X, Target -> Loss", kernel=_kldiv,
    infer=promoting(_infer_kldiv),
    grad={"X": lambda g, Target, X_shape, reduction: _kldiv_gradient(g, Target, X_shape, reduction)}, lod="drop",
    unsaid={"reduction": "mean"}, promotes=True)


def _log_loss(xp, predicted, labels, *, epsilon: float = 1e-4):
    return -labels * xp.log(predicted + epsilon) - (1 - labels) * xp.log(1 - predicted + epsilon)


log_loss_op = operator(
    "log_loss", "Predicted, Labels -> Loss", kernel=_log_loss,
    formula="-Labels * log(Predicted + epsilon) - (1.0 - Labels) * log(1.0 - Predicted + epsilon)",
    infer=_same_shapes("log_loss(input, label)"),
    grad={"Predicted": lambda g, Predicted, Labels, epsilon: g * (
        (Labels * -1.0 + 1.0) / (Predicted * -1.0 + (1.0 + epsilon)) - Labels / (Predicted + epsilon))},
    precision="black", promotes=True)


# negative log likelihood

def _nll_index(xp: Any, x: Any, label: Any, weight: Any, ignore_index: int) -> tuple[tuple, Any, Any]:
    """The index of the label's element for each place, that place's weight, and whether it counts."""
    if label.shape != x.shape[:1] + x.shape[2:]:
        raise ValueError(f"label has shape {label.shape}")
    if weight is not None and weight.shape != x.shape[1:2]:
        raise ValueError(f"nll_loss(weight): there must be one weight for each of the {x.shape[1]} classes. "
                         f"Received weight.shape={list(weight.shape)}, input.shape={list(x.shape)}.")
    counted = label != ignore_index
    label = xp.where(counted, label, xp.zeros_like(label))
    if label.size and (int(label.min()) < 0 or int(label.max()) >= x.shape[1]):
        raise ValueError(f"nll_loss(input, label): labels must lie in [0, {x.shape[1]}) or equal ignore_index="
                         f"{ignore_index}. Received labels from {int(label.min())} to {int(label.max())}.")
    index = open_grid(xp, label.shape)
    weights = counted.astype(x.dtype) if weight is None else weight[label] * counted
    return (index[0], label, *index[1:]), weights, counted


def _nll(xp, x, label, weight=None, *, ignore_index: Long = -100, reduction: str = "mean"):
    index, weights, counted = _nll_index(xp, x, label, weight, ignore_index)
    loss, total = xp.where(counted, -x[index] * weights, x.dtype.type(0)), weights.sum(dtype=x.dtype)
    if reduction == "none":
        return loss, total
    loss = loss.sum(dtype=x.dtype)
    return (loss / total if reduction == "mean" else loss), total


def _infer_nll(x, label, weight=None, *, ignore_index=-100, reduction="mean"):
    wanted = x.shape[:1] + x.shape[2:]
    if x.rank < 2 or len(label.shape) != len(wanted) or any(
            m != n and -1 not in (m, n) for m, n in zip(label.shape, wanted, strict=True)):
        raise ValueError(f"nll_loss(input, label): input must be [N, C, ...] and label [N, ...]. Received "
                         f"input.shape={list(x.shape)}, label.shape={list(label.shape)}.")
    if not label.dtype.is_integer:
        raise TypeError(f"nll_loss(input, label): label must hold class numbers, as integers. Received "
                        f"dtype={label.dtype.name}. Convert it: label.astype('int64').")
    return Spec(wanted if reduction == "none" else (), x.dtype), Spec((), x.dtype)


def _nll_backward(xp, g, label, total, weight=None, like=None, *, shape: list[int] = (), ignore_index: Long = -100,
                  reduction: str = "mean"):
    result = xp.zeros(tuple(shape) if like is None else like.shape, g.dtype)
    index, weights, counted = _nll_index(xp, result, label, weight, ignore_index)
    result[index] = xp.where(counted, -weights * (g / total if reduction == "mean" else g), g.dtype.type(0))
    return result


def _nll_gradient(g: Any, Label: Any, Total_weight: Any, Weight: Any, X_shape: Any, ignore_index: int,
                  reduction: str) -> Any:
    known = type(X_shape) is tuple
    return apply(nll_backward_op, g, Label, Total_weight, Weight, None if known else X_shape,
                 shape=list(X_shape) if known else [], ignore_index=ignore_index, reduction=reduction)


nll_backward_op = operator(
    "nll_loss_backward", "G, Label, Total, Weight?, Like? -> XGrad", kernel=_nll_backward,
    infer=lambda g, label, total, weight=None, like=None, *, shape=(), **_: Spec(
        tuple(shape) if like is None else like.shape, g.dtype),
    grad={"G": lambda g, Label, Weight, ignore_index, reduction: apply(
        nll_op, g, Label, Weight, ignore_index=ignore_index, reduction=reduction)[0]}, only_here=True, fails="values")
def _nll_of_doubles(x: Any, label: Any, weight: Any = None, *, ignore_index: int = -100,
                    reduction: str = "mean") -> Any:
    """Without a reduction, and then reduced: of float64 Paddle's own reduction writes beyond its memory."""
    if reduction == "none" or dtype_of(x) is not dt.float64:
        return NotImplemented
    losses, _ = apply(nll_op, x, label, weight, ignore_index=ignore_index, reduction="none")
    weights, _ = apply(nll_op, full_like(x, -1.0), label, weight, ignore_index=ignore_index, reduction="none")
    total = reduce_sum(weights)
    return (reduce_sum(losses) / total if reduction == "mean" else reduce_sum(losses)), total


nll_op = operator(
    "nll_loss", "X, Label, Weight? -> Out, Total_weight", kernel=_nll, infer=_infer_nll,
    engines=[by(LOOPS, fast_nll.nll_loss, fast_nll.LEAST)],
    composed=_nll_of_doubles,
    adapted=lambda x, label, weight=None, **attrs: ((x, in_dtype(label, dt.int64), weight), attrs),
    grad={"X": lambda g, Label, Total_weight, Weight, X_shape, ignore_index, reduction: _nll_gradient(
        g, Label, Total_weight, Weight, X_shape, ignore_index, reduction)}, precision="black", fails="values",
        lod="drop", compiled="nll")

