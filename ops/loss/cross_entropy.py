"""softmax_with_cross_entropy, its mean over class numbers, its gradient and that of it; label_smooth.

With class numbers as labels the loss is log(sum(exp(x))) - x[label], with distributions -sum(label * log_softmax(x));
either way the gradient is softmax(x) minus the label. The largest logit is subtracted first, so that nothing
overflows. With `use_softmax=False` the input holds probabilities already.
"""


from typing import Any

from ...backend.engines import LOOPS
from ...backend.kernels import cross_entropy as accelerated
from ...core.dtype import int64
from ..array.gradient_shapes import expand_to
from ..array.reshape import reshape, unsqueeze_op
from ..array.take_along_axis import open_grid
from ..core.infer import may_equal, normalize_axis, same, with_dtype
from ..core.kernels import by
from ..core.operator import operator
from ..core.result_names import results_named
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import cast
from ..math.comparison import not_equal
from ..math.elementwise import divide_op, maximum
from ..math.reduce import sum as reduce_sum
from ..nn.softmax import softmax_array, softmax_grad_op, softmax_op

_AXIS = "cross_entropy(input, label, axis)"


def _whole(xp, x):
    if x.dtype.kind == "f" and not bool((x == xp.floor(x)).all()):
        raise ValueError(
            "cross_entropy(input, label): class numbers must be whole. Received others, of a floating dtype. Where "
            "label holds probabilities, give soft_label=True."
        )
    return x.astype("int64")


whole_op = operator("whole_numbers", "X -> Out", kernel=_whole, infer=with_dtype(int64),
                    composed=lambda x: cast(x, int64), fails="values")


def class_numbers(label: Any) -> Any:
    """Class numbers as integers; floats that are whole, and bools, are taken for them, as in PaddlePaddle."""
    return label if label.dtype.is_integer else apply(whole_op, label)


def _class_numbers(label: Any, axis: int, shape: tuple[int, ...]) -> Any:
    """Labels without the dimension of classes, for logits of `shape`."""
    without = shape[:axis] + shape[axis + 1:]
    if label.shape == without:
        return label
    if label.shape != (*without[:axis], 1, *without[axis:]):
        raise ValueError(f"label has shape {label.shape}")
    return label.reshape(without)


def _chosen(xp: Any, label: Any, axis: int) -> tuple:
    """The index of the element that each label names."""
    if label.ndim == 1 and axis == 1:
        return xp.arange(len(label)), label
    index = open_grid(xp, label.shape)
    return (*index[:axis], label, *index[axis:])


def _checked(xp: Any, label: Any, ignore_index: int, classes: int) -> tuple[Any, Any]:
    """The labels with 0 for those to ignore, and the mask of those that count (None: all of them)."""
    if not label.size:
        return label, None
    low, high, counted = int(label.min()), int(label.max()), None
    if low <= ignore_index <= high:
        counted = label != ignore_index
        label = xp.where(counted, label, xp.zeros_like(label))
        low, high = int(label.min()), int(label.max())
    if low < 0 or high >= classes:
        raise ValueError(
            f"cross_entropy(input, label): labels must lie in [0, {classes}) or equal ignore_index={ignore_index}. "
            f"Received labels from {low} to {high}."
        )
    return label, counted


def _log(xp: Any, x: Any) -> Any:
    """log(x), and a large negative number of 0."""
    return xp.log(_above_zero(xp, x))


def _above_zero(xp: Any, x: Any) -> Any:
    return xp.maximum(x, xp.finfo(x.dtype).tiny)


def _cross_entropy(xp, logits, label, *, soft_label: bool = False, use_softmax: bool = True,
                   numeric_stable_mode: bool = True, ignore_index: int = -100, axis: int = -1):
    axis = normalize_axis(_AXIS, axis, logits.ndim)
    if not use_softmax:
        shifted, softmax, log_total = _log(xp, logits), logits.view(), 0
    else:
        shifted = logits - logits.max(axis, keepdims=True)
        softmax = xp.exp(shifted)
        total = softmax.sum(axis, keepdims=True)
        softmax /= total
        log_total = xp.log(total)
    if soft_label:
        if label.shape != logits.shape:
            raise ValueError(f"label has shape {label.shape}")
        return softmax, (label * (log_total - shifted)).sum(axis, dtype=logits.dtype, keepdims=True)
    label = _class_numbers(label, axis, logits.shape)
    label, counted = _checked(xp, label, ignore_index, logits.shape[axis])
    loss = log_total - xp.expand_dims(shifted[_chosen(xp, label, axis)], axis)
    return softmax, _of_counted(xp, loss, counted, axis)


def _of_counted(xp: Any, values: Any, counted: Any, axis: int) -> Any:
    """Zeros for rows that are ignored, whatever stands there: a product would keep NaN."""
    return values if counted is None else xp.where(xp.expand_dims(counted, axis), values, values.dtype.type(0))


def _infer(logits, label, *, soft_label=False, axis=-1, **_):
    axis = normalize_axis(_AXIS, axis, logits.rank)
    without = logits.shape[:axis] + logits.shape[axis + 1:]
    with_one = (*without[:axis], 1, *without[axis:])
    wanted = [logits.shape] if soft_label else [without, with_one]
    if not any(may_equal(label.shape, shape) for shape in wanted):
        raise ValueError(
            f"cross_entropy(input, label): with soft_label={soft_label} label must have the shape "
            f"{' or '.join(str(list(shape)) for shape in wanted)}. Received label.shape={list(label.shape)}, "
            f"input.shape={list(logits.shape)}, axis={axis}."
        )
    if not soft_label and not label.dtype.is_integer:
        raise TypeError(
            f"cross_entropy(input, label): class numbers must be integers. Received dtype={label.dtype.name}. "
            f"Where label holds probabilities, give soft_label=True."
        )
    return logits, Spec(with_one, logits.dtype)


def _backward(xp, logits, softmax, label, g, *, soft_label: bool = False, use_softmax: bool = True,
              ignore_index: int = -100, axis: int = -1):
    axis = normalize_axis(_AXIS, axis, logits.ndim)
    if soft_label:
        return g * (softmax * label.sum(axis, keepdims=True) - label if use_softmax else
                    -label / _above_zero(xp, logits))
    label = _class_numbers(label, axis, logits.shape)
    label, counted = _checked(xp, label, ignore_index, logits.shape[axis])
    index = _chosen(xp, label, axis)
    if use_softmax:
        result = softmax * g
        result[index] -= g.squeeze(axis)
    else:
        result = xp.zeros_like(logits)
        result[index] = -g.squeeze(axis) / _above_zero(xp, logits[index])
    return _of_counted(xp, result, counted, axis)


def _along(xp, logits, label, v, *, soft_label: bool = False, use_softmax: bool = True, ignore_index: int = -100,
           axis: int = -1):
    """The change of each loss when the logits go in the direction v."""
    softmax = softmax_array(xp, logits, axis) if use_softmax else logits
    ones = xp.ones_like(logits.max(axis, keepdims=True))
    slope = _backward(xp, logits, softmax, label, ones, soft_label=soft_label, use_softmax=use_softmax,
                      ignore_index=ignore_index, axis=axis)
    return (slope * v).sum(axis, dtype=logits.dtype, keepdims=True)


def _weight(xp, g, label, *, soft_label: bool = False, ignore_index: int = -100, axis: int = -1):
    """g times the total of each label: 1 for a class number, 0 for one to ignore."""
    if soft_label:
        return g * label.sum(axis, keepdims=True)
    axis %= g.ndim
    return _of_counted(xp, g, _class_numbers(label, axis, g.shape) != ignore_index, axis)


_NAMES = ("soft_label", "use_softmax", "ignore_index", "axis")


def _shared(attrs: dict[str, Any]) -> dict[str, Any]:
    return {name: attrs[name] for name in _NAMES}


def _curvature(logits: Any, label: Any, g: Any, v: Any, attrs: dict[str, Any]) -> Any:
    """The gradient, with respect to the logits, of sum(v * first gradient); the label's own part is constant."""
    given = {name: attrs[name] for name in ("soft_label", "ignore_index", "axis")}
    if attrs["use_softmax"]:
        weighted = v * apply(weight_op, g, label, **given)
        found = apply(softmax_grad_op, apply(softmax_op, logits, axis=attrs["axis"]), weighted, axis=attrs["axis"])
    else:
        found = v * apply(backward_op, logits, logits, label, g, **_shared(attrs)) * -1.0 / logits
    return found if attrs["soft_label"] else apply(weight_op, found, label, **given)  # nothing of ignored rows


def _first(logits: Any, label: Any, g: Any, attrs: dict[str, Any]) -> Any:
    softmax = apply(softmax_op, logits, axis=attrs["axis"]) if attrs["use_softmax"] else logits
    return apply(backward_op, logits, softmax, label, g, **_shared(attrs))


weight_op = operator("cross_entropy_weight", "G, Label -> Out", kernel=_weight, infer=same, grad={
    "G": lambda g, Label, soft_label, ignore_index, axis: apply(
        weight_op, g, Label, soft_label=soft_label, ignore_index=ignore_index, axis=axis)}, only_here=True)
along_op = operator(
    "cross_entropy_along", "Logits, Label, V -> Out", kernel=_along,
    infer=lambda logits, label, v, *, axis=-1, **_: Spec(
        tuple(1 if n == axis % logits.rank else size for n, size in enumerate(logits.shape)), logits.dtype),
    grad={"Logits": lambda g, Logits, Label, V, attrs: _curvature(Logits, Label, g, V, attrs),
          "V": lambda g, Logits, Label, attrs: _first(Logits, Label, g, attrs)}, only_here=True, fails="values")
# Softmax is what the forward pass has computed; as a function this one is of Logits, Label and LossGrad.
backward_op = operator(
    "cross_entropy_backward", "Logits, Softmax, Label, LossGrad -> LogitsGrad", kernel=_backward,
    engines=[by(LOOPS, accelerated.cross_entropy_backward)], infer=lambda logits, *_, **__: logits,
    grad={"Logits": lambda g, Logits, Label, LossGrad, attrs: _curvature(Logits, Label, LossGrad, g, attrs),
          "LossGrad": lambda g, Logits, Label, attrs: apply(along_op, Logits, Label, g, **_shared(attrs))},
    only_here=True, fails="values")
cross_entropy_op = operator(
    "softmax_with_cross_entropy", "Logits, Label -> Softmax~Logits, Loss", kernel=_cross_entropy,
    engines=[by(LOOPS, accelerated.softmax_with_cross_entropy)], infer=_infer,
    grad={"Logits": lambda d_Loss, Logits, Softmax, Label, attrs: apply(
        backward_op, Logits, Softmax, Label, d_Loss, **_shared(attrs))}, precision="black", fails="values",
    former="Logits")


# the mean over class numbers

def _mean(xp, logits, label, *, use_softmax: bool = True, ignore_index: int = -100, axis: int = -1):
    softmax, losses = _cross_entropy(xp, logits, label, use_softmax=use_softmax, ignore_index=ignore_index, axis=axis)
    count = xp.maximum((label != ignore_index).sum(dtype=losses.dtype), 1)
    return losses.sum(dtype=losses.dtype) / count, softmax, losses, count


def _composed_mean(logits, label, *, use_softmax=True, ignore_index=-100, axis=-1):
    if len(label.shape) == len(logits.shape) - 1:
        label = apply(unsqueeze_op, label, None, None, axes=[axis])
    _, losses = apply(cross_entropy_op, logits, label, soft_label=False, use_softmax=use_softmax,
                      numeric_stable_mode=True, ignore_index=ignore_index, axis=axis)
    counted = cast(not_equal(label, ignore_index), losses.dtype)
    return _mean_over(reduce_sum(losses), maximum(reduce_sum(counted), 1.0)), None, None, None


@results_named("mean")  # as that of all rows is called
def _mean_over(total: Any, count: Any) -> Any:
    return apply(divide_op, total, count)


def _infer_mean(logits, label, *, axis=-1, **_):
    softmax, losses = _infer(logits, label, axis=axis)
    return Spec((), logits.dtype), softmax, losses, Spec((), logits.dtype)


mean_op = operator(
    "cross_entropy_mean", "Logits, Label -> Loss, Softmax, Losses, Count", kernel=_mean, composed=_composed_mean,
    compiled="cross_entropy",
    engines=[by(LOOPS, accelerated.cross_entropy_mean)], infer=_infer_mean, grad={
        "Logits": lambda d_Loss, Logits, Softmax, Label, Losses_shape, Count, use_softmax, ignore_index, axis: apply(
            backward_op, Logits, Softmax, Label, expand_to(d_Loss / Count, Losses_shape), use_softmax=use_softmax,
            soft_label=False, ignore_index=ignore_index, axis=axis)}, fails="values", former="Logits")


def _label_smooth(xp, x, prior=None, *, epsilon: float = 0.0):
    classes = x.shape[-1] if x.ndim else 1
    if prior is None:
        return x * (1 - epsilon) + epsilon / max(classes, 1)
    return x * (1 - epsilon) + epsilon * (prior.reshape(x.shape[-1:]) if prior.size == classes else prior)


label_smooth_op = operator(
    "label_smooth", "X, PriorDist? -> Out", kernel=_label_smooth, infer=lambda x, prior=None, *, epsilon=0.0: x,
    grad={"X": lambda g, epsilon: g * (1.0 - epsilon)})


def label_smooth(label: Any, prior_dist: Any = None, epsilon: float = 0.1, name: str | None = None) -> Any:
    """(1 - epsilon) * label + epsilon / K, K the number of classes; `prior_dist` [1, K] takes the place of 1 / K.

    `label` holds distributions [..., K], one-hot ones for instance. After "Rethinking the Inception Architecture"
    (Szegedy et al., 2016).

    >>> import proa as paddle
    >>> paddle.nn.functional.label_smooth(paddle.to_tensor([[1.0, 0.0]]), epsilon=0.5).tolist()
    [[0.75, 0.25]]
    """
    if not 0 <= epsilon <= 1:
        raise ValueError(f"label_smooth(epsilon): must lie in [0, 1]. Received {epsilon!r}.")
    if getattr(label, "ndim", None) == 0:  # of a number the operator reads a size that there is not, in PaddlePaddle
        return label * (1.0 - epsilon) + epsilon * (1.0 if prior_dist is None else reshape(prior_dist, []))
    return apply(label_smooth_op, label, prior_dist, epsilon=float(epsilon))
