"""Losses as Paddle 1.x writes them: cross_entropy of probabilities, smooth_l1_loss, rank_loss, bpr_loss and others."""


from typing import Any

from ..array.gather import add_at
from ..array.reshape import reshape
from ..core.gradient import differentiable_once, with_another
from ..core.infer import like, same
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import cast, dtype_of
from ..math.clip import clip
from ..math.elementwise import scale
from ..math.reduce import sum as reduce_sum
from ..nn.activation import sigmoid

_LEAST = -1e20  # what 1.x takes for log(0)


def _log(xp: Any, x: Any) -> Any:
    positive = x > 0
    logs = xp.log(xp.where(positive, x, xp.ones_like(x)))
    return xp.where(positive, logs, xp.asarray(_LEAST, x.dtype))


def _numbers(x: Any, label: Any) -> Any:
    """Labels as [..., 1] beside x [..., C]."""
    return label.reshape((*x.shape[:-1], 1))


def _counted(xp: Any, x: Any, label: Any, ignore_index: int) -> tuple[Any, Any]:
    """The labels with 0 for those to ignore, and the mask of those that count; ValueError for others out of range."""
    label = _numbers(x, label).astype("int64", copy=False)
    counts = label != ignore_index
    label = xp.where(counts, label, xp.zeros_like(label))
    if label.size and not 0 <= int(label.min()) <= int(label.max()) < x.shape[-1]:
        raise ValueError(f"cross_entropy(input, label): labels must lie in [0, {x.shape[-1]}) or equal "
                         f"ignore_index={ignore_index}. Received labels from {int(label.min())} to {int(label.max())}.")
    return label, counts


def _cross_entropy(xp, x, label, *, soft_label: bool = False, ignore_index: int = -100):
    if soft_label:
        return -(label * _log(xp, x)).sum(axis=-1, keepdims=True, dtype=x.dtype)
    sizes = label.shape
    label, counts = _counted(xp, x, label, ignore_index)
    chosen = xp.take_along_axis(x, label, -1)
    return xp.where(counts, -_log(xp, chosen), xp.zeros_like(chosen)).reshape(sizes)


def _check(x: Any, label: Any, soft_label: bool) -> None:
    rank = label.rank == x.rank
    if not soft_label and not (rank and label.shape[-1] in (1, -1) or label.rank == x.rank - 1):
        raise ValueError("cross_entropy(input, label): label must have the shape of input with a last size of 1, or "
                         "without the last. "
                         f"Received input.shape={list(x.shape)}, label.shape={list(label.shape)}. Distributions as "
                         "labels need soft_label=True.")
    if soft_label and (not rank or not label.dtype.is_floating):
        raise ValueError(f"cross_entropy(input, label, soft_label=True): label must be like input. Received "
                         f"input.shape={list(x.shape)}, label.shape={list(label.shape)} of {label.dtype.name}.")


def _infer_cross_entropy(x, label, *, soft_label=False, ignore_index=-100):
    _check(x, label, soft_label)
    return _of_labels(x, label)


def _of_labels(x: Spec, label: Spec) -> Spec:
    return Spec((*x.shape[:-1], 1)[:label.rank], x.dtype)


def _slope(xp, g, x, label, *, soft_label: bool = False, ignore_index: int = -100):
    """The gradient of cross_entropy: minus label / x."""
    if soft_label:
        return -label * g / x
    label, counts = _counted(xp, x, label, ignore_index)
    g = g.reshape(label.shape)
    chosen = xp.take_along_axis(x, label, -1)
    result = xp.zeros_like(x)
    xp.put_along_axis(result, label, xp.where(counts, -g / chosen, xp.zeros_like(chosen)), -1)
    return result


cross_entropy_grad_op = operator(
    "cross_entropy_slope", "G, X, Label -> XGrad", kernel=_slope, infer=like(1), only_here=True, fails="values",
    grad={"G": lambda g, X, Label, G, soft_label, ignore_index: reduce_sum(g * apply(
        cross_entropy_grad_op, _ones(G), X, Label, soft_label=soft_label, ignore_index=ignore_index), -1,
        keepdim=G.ndim == X.ndim),
          "X": lambda g, X, G, Label, soft_label, ignore_index: scale(apply(
              cross_entropy_grad_op, G, X, Label, soft_label=soft_label, ignore_index=ignore_index) * g / X, -1.0)})


def _ones(x: Any) -> Any:
    return x * 0.0 + 1.0


cross_entropy_op = operator(
    "cross_entropy", "X, Label -> Y", kernel=_cross_entropy, infer=_infer_cross_entropy, fails="values",
    grad={"X": lambda g, X, Label, soft_label, ignore_index: apply(
        cross_entropy_grad_op, g, X, Label, soft_label=soft_label, ignore_index=ignore_index)}, precision="black")


def _cross_entropy2(xp, x, label, *, ignore_index: int = -100):
    sizes = label.shape
    label, counts = _counted(xp, x, label, ignore_index)
    match = xp.where(counts, xp.take_along_axis(x, label, -1), xp.ones((*x.shape[:-1], 1), x.dtype)).reshape(sizes)
    return -_log(xp, match), match


def _infer_cross_entropy2(x, label, *, ignore_index=-100):
    _check(x, label, False)
    spec = _of_labels(x, label)
    return spec, spec


cross_entropy2_op = operator(
    "cross_entropy2", "X, Label -> Y, MatchX, XShape!", kernel=_cross_entropy2, infer=_infer_cross_entropy2,
    fails="values", precision="black", grad={"X": lambda g, X, Label, ignore_index: apply(
        cross_entropy_grad_op, g, X, Label, soft_label=False, ignore_index=ignore_index)})


# smooth_l1_loss

def _smooth(xp, x, y, inside=None, outside=None, *, sigma: float = 1.0):
    difference = x - y if inside is None else (x - y) * inside
    square = sigma * sigma
    size = xp.abs(difference)
    loss = xp.where(size < 1.0 / square, difference * difference * (0.5 * square), size - 0.5 / square)
    if outside is not None:
        loss = loss * outside
    return difference, loss.reshape(x.shape[0], -1).sum(axis=1, keepdims=True, dtype=x.dtype)


def _smooth_gradients(g: Any, of_difference: Any, difference: Any, inside: Any, outside: Any,
                      sigma: float) -> tuple[Any, Any]:
    square = sigma * sigma
    slope = clip(scale(difference, square), -1.0, 1.0)
    slope = slope * (g if slope.ndim == 2 else reshape(g, [-1] + [1] * (slope.ndim - 1)))
    slope = slope if outside is None else slope * outside
    slope = with_another(slope, of_difference)
    slope = slope if inside is None else slope * inside
    return slope, scale(slope, -1.0)


smooth_l1_loss_op = operator(
    "smooth_l1_loss", "X, Y, InsideWeight?, OutsideWeight? -> Diff, Out", kernel=_smooth,
    infer=lambda x, y, *_, **__: (x, Spec((x.shape[0], 1), x.dtype)), grad={
        "X, Y": lambda d_Out, given_Diff, Diff, InsideWeight, OutsideWeight, sigma: _smooth_gradients(
            d_Out, given_Diff, Diff, InsideWeight, OutsideWeight, sigma)}, lod="drop")


# ranking

def _softplus(xp: Any, x: Any) -> Any:
    return xp.logaddexp(x, xp.zeros_like(x))


def _rank(xp, label, left, right):
    margin = left - right
    return _softplus(xp, margin) - label * margin


def _rank_gradients(g: Any, label: Any, left: Any, right: Any) -> tuple[Any, Any]:
    slope = g * (sigmoid(left - right) - label)
    return slope, scale(slope, -1.0)


rank_loss_op = operator("rank_loss", "Label, Left, Right -> Out", kernel=_rank, infer=like(1),
                        grad={"Left, Right": lambda g, Label, Left, Right: _rank_gradients(
                            g, Label, Left, Right)}, lod="drop")


def _margin_rank(xp, label, x1, x2, *, margin: float = 0.0):
    out = xp.maximum(-label * (x1 - x2) + margin, 0)
    return out.astype(x1.dtype), (out > 0).astype(x1.dtype)


margin_rank_loss_op = operator(
    "margin_rank_loss", "Label, X1, X2 -> Out, Activated", kernel=_margin_rank,
    infer=lambda label, x1, x2, **_: (x1, x1),
    grad={"X1": lambda g, Label, Activated: scale(g * Label * Activated, -1.0),
          "X2": lambda g, Label, Activated: g * Label * Activated})


def _bpr(xp, x, label):
    label = _numbers(x, label)
    chosen = xp.take_along_axis(x, label, -1)
    total = _softplus(xp, x - chosen)
    own = _softplus(xp, xp.zeros_like(chosen))
    return (total.sum(axis=-1, keepdims=True, dtype=x.dtype) - own) / (x.shape[-1] - 1)


def _bpr_slope(xp, g, x, label):
    label = _numbers(x, label)
    chosen = xp.take_along_axis(x, label, -1)
    slope = 1 / (1 + xp.exp(chosen - x))
    xp.put_along_axis(slope, label, xp.zeros_like(chosen), -1)
    xp.put_along_axis(slope, label, -slope.sum(axis=-1, keepdims=True, dtype=x.dtype), -1)
    return slope * g / (x.shape[-1] - 1)


bpr_slope_op = operator("bpr_slope", "G, X, Label -> XGrad", kernel=_bpr_slope, infer=like(1), only_here=True,
                        fails="values", grad=differentiable_once("G, X", "bpr_loss"))
bpr_loss_op = operator("bpr_loss", "X, Label -> Y", kernel=_bpr,
                       infer=lambda x, label: Spec((*x.shape[:-1], 1), x.dtype),
                       grad={"X": lambda g, X, Label: apply(bpr_slope_op, g, X, Label)}, fails="values")


def _hinge(xp, logits, labels):
    return xp.maximum(1 - logits * (2 * labels - 1), 0).astype(logits.dtype)


hinge_loss_op = operator(
    "hinge_loss", "Logits, Labels -> Loss", kernel=_hinge, infer=same,
    grad={"Logits": lambda g, Logits, Labels: _hinge_slope(g, Logits, scale(Labels, 2.0, -1.0))})


def _hinge_slope(g: Any, logits: Any, signs: Any) -> Any:
    active = cast(logits * signs < 1.0, dtype_of(logits))
    return scale(g * signs * active, -1.0)


def _teacher_student(xp, x, label, *, soft_max_up_bound: float = 15.0, soft_max_lower_bound: float = -15.0):
    plain = _softplus(xp, -xp.abs(x)) + xp.maximum(x, 0)
    clicked = plain - x
    return xp.where(label < -1.0, plain, xp.where(label < 0.0, clicked, xp.where(
        label < 1.0, plain + plain - x * label, clicked + plain - x * (label - 1.0)))).astype(x.dtype)


def _teacher_student_slope(xp, g, x, label, *, soft_max_up_bound: float = 15.0, soft_max_lower_bound: float = -15.0):
    inside = (x > soft_max_lower_bound) & (x < soft_max_up_bound)
    bounded = xp.clip(x, soft_max_lower_bound, soft_max_up_bound)
    share = 1 / (1 + xp.exp(-bounded))
    slope = xp.where(label < -1.0, share, xp.where(label < 0.0, share - 1, xp.where(
        label < 1.0, 2 * share - label, 2 * share - label)))
    return (xp.where(inside, slope, xp.zeros_like(slope)) * g).astype(x.dtype)


teacher_student_slope_op = operator(
    "teacher_student_slope", "G, X, Label -> XGrad", kernel=_teacher_student_slope, infer=like(1), only_here=True,
    grad=differentiable_once("G, X", "teacher_student_sigmoid_loss"))
teacher_student_sigmoid_loss_op = operator(
    "teacher_student_sigmoid_loss", "X, Label -> Y", kernel=_teacher_student, infer=same,
    grad={"X": lambda g, X, Label, soft_max_up_bound, soft_max_lower_bound: apply(
        teacher_student_slope_op, g, X, Label, soft_max_up_bound=soft_max_up_bound,
        soft_max_lower_bound=soft_max_lower_bound)})


# center_loss

def _center(xp, x, label, centers, rate, *, cluster_num: int = 0, need_update: bool = False):
    label = label.reshape(-1)
    difference = x - centers[label]
    loss = (difference * difference).sum(axis=1, keepdims=True, dtype=x.dtype) / 2
    if need_update:
        total, counts = xp.zeros_like(centers), xp.ones(centers.shape[0], centers.dtype)
        add_at(xp, total, label, difference)
        add_at(xp, counts, label, xp.ones(len(label), centers.dtype))
        centers = centers + rate.reshape(()) * total / counts[:, None]
    return centers, difference, loss


center_loss_op = operator(
    "center_loss", "X, Label, Centers, CenterUpdateRate -> CentersOut=Centers, SampleCenterDiff, Loss", kernel=_center,
    infer=lambda x, label, centers, rate, **_: (centers, x, Spec((x.shape[0], 1), x.dtype)),
    grad={"X": lambda d_Loss, given_SampleCenterDiff, SampleCenterDiff: with_another(
        SampleCenterDiff * d_Loss, given_SampleCenterDiff)},
    fails="values")

