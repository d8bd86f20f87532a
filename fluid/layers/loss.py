"""`fluid.layers.loss`: losses, with labels as 1.x has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ops.array.full import is_value
from ...ops.core.trace import current_trace
from ...static.ir.variable import Variable
from ..initializer import NumpyArrayInitializer
from ..layer_helper import LayerHelper, need_integers, need_one_of
from ..mode import face
from ..param_attr import ParamAttr
from .comparison import equal
from .decoding import edit_distance, warpctc
from .elementwise import reduce_mean, reduce_sum
from .linear_algebra import matmul
from .lookup import one_hot
from .manipulation import expand, reshape, transpose
from .ops import square
from .tensor import cast, fill_constant

kIgnoreIndex = -100


@face
def cross_entropy(input: Any, label: Any, soft_label: bool = False, ignore_index: int = kIgnoreIndex) -> Any:
    """-log of the probability of each label: input [..., C] of probabilities, label [..., 1], or as input if soft.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program()):
    ...     p, label = fluid.data("p", [None, 4]), fluid.data("label", [None, 1], "int64")
    ...     fluid.layers.cross_entropy(p, label).shape
    (-1, 1)
    """
    if not soft_label:
        return cross_entropy2(input, label, ignore_index)
    return LayerHelper("cross_entropy").apply("cross_entropy", input, label, soft_label=True,
                                              ignore_index=ignore_index)


@face
def cross_entropy2(input: Any, label: Any, ignore_index: int = kIgnoreIndex) -> Any:
    """As `cross_entropy` with numbers as labels."""
    need_integers("cross_entropy(label)", label)
    return LayerHelper("cross_entropy2").apply("cross_entropy2", input, label, first=("Y", "XShape", "MatchX"),
                                               ignore_index=ignore_index)[0]


@face
def softmax_with_cross_entropy(logits: Any, label: Any, soft_label: bool = False, ignore_index: int = kIgnoreIndex,
                               numeric_stable_mode: bool = True, return_softmax: bool = False, axis: int = -1) -> Any:
    """`cross_entropy` of the softmax of logits; with `return_softmax` that too."""
    if not soft_label:
        need_integers("softmax_with_cross_entropy(label)", label)
    softmax, loss = LayerHelper("softmax_with_cross_entropy").apply(
        "softmax_with_cross_entropy", logits, label, soft_label=soft_label, ignore_index=ignore_index,
        numeric_stable_mode=numeric_stable_mode, axis=axis)
    return (loss, softmax) if return_softmax else loss


@face
def square_error_cost(input: Any, label: Any) -> Any:
    """(input - label) squared."""
    helper = LayerHelper("square_error_cost")
    return helper.apply("square", helper.apply("elementwise_sub", input, label, axis=-1))


@face
def mse_loss(input: Any, label: Any) -> Any:
    """The mean of `square_error_cost`."""
    return reduce_mean(square_error_cost(input, label))


@face
def sigmoid_cross_entropy_with_logits(x: Any, label: Any, ignore_index: int = kIgnoreIndex, name: str | None = None,
                                      normalize: bool = False) -> Any:
    """For each element the cross entropy of sigmoid(x) and a label between 0 and 1."""
    return LayerHelper("sigmoid_cross_entropy_with_logits", name=name).apply(
        "sigmoid_cross_entropy_with_logits", x, label, None, ignore_index=ignore_index, normalize=normalize)


@face
def smooth_l1(x: Any, y: Any, inside_weight: Any = None, outside_weight: Any = None, sigma: float | None = None) -> Any:
    """[N, 1]: per sample the sum of squares of small differences and of the sizes of others."""
    return LayerHelper("smooth_l1_loss").apply("smooth_l1_loss", x, y, inside_weight, outside_weight,
                                               sigma=1.0 if sigma is None else float(sigma))[1]


@face
def log_loss(input: Any, label: Any, epsilon: float = 1e-4, name: str | None = None) -> Any:
    """-label * log(input + epsilon) - (1 - label) * log(1 - input + epsilon)."""
    return LayerHelper("log_loss", name=name).apply("log_loss", input, label, epsilon=epsilon)


@face
def huber_loss(input: Any, label: Any, delta: float) -> Any:
    """Half the squares of differences up to delta, and delta times the rest of others."""
    return LayerHelper("huber_loss").apply("huber_loss", input, label, first=("Residual", "Out"), delta=delta)[0]


@face
def kldiv_loss(x: Any, target: Any, reduction: str = "mean", name: str | None = None) -> Any:
    """target * (log(target) - x): their mean, sum, mean of the batch, or each."""
    need_one_of("kldiv_loss(reduction)", reduction, "none", "batchmean", "mean", "sum")
    return LayerHelper("kldiv_loss", name=name).apply("kldiv_loss", x, target, reduction=reduction)


@face
def rank_loss(label: Any, left: Any, right: Any, name: str | None = None) -> Any:
    """log(1 + exp(left - right)) - label * (left - right) (RankNet)."""
    return LayerHelper("rank_loss", name=name).apply("rank_loss", label, left, right)


@face
def margin_rank_loss(label: Any, left: Any, right: Any, margin: float = 0.1, name: str | None = None) -> Any:
    """max(0, -label * (left - right) + margin)."""
    return LayerHelper("margin_rank_loss", name=name).apply("margin_rank_loss", label, left, right, margin=margin)[0]


@face
def bpr_loss(input: Any, label: Any, name: str | None = None) -> Any:
    """The mean of -log(sigmoid(the label's logit - another's)) (Rendle et al., 2009)."""
    return LayerHelper("bpr_loss", name=name).apply("bpr_loss", input, label)


@face
def center_loss(input: Any, label: Any, num_classes: int, alpha: Any, param_attr: Any,
                update_center: bool = True) -> Any:
    """Half the squared distance to the label's center; centers follow by `alpha` (Wen et al., 2016)."""
    helper = LayerHelper("center_loss")
    centers = helper.parameter(param_attr, [num_classes, input.shape[1]], input.dtype)
    rate = alpha
    if not is_value(alpha):
        rate = fill_constant([1], "float32", float(alpha), out=_step_of_centers())
    return helper.apply("center_loss", input, label, centers, rate, cluster_num=num_classes,
                        need_update=update_center)[2]


def _step_of_centers() -> Any:
    trace = current_trace()
    return None if trace.computes else trace.block.new_var("centerloss_alpha", (1,), "float32", persistable=True)


@face
def teacher_student_sigmoid_loss(input: Any, label: Any, soft_max_up_bound: float = 15.0,
                                 soft_max_lower_bound: float = -15.0) -> Any:
    """A loss of clicks, and of what a teacher gave for them, in one label."""
    return LayerHelper("teacher_student_sigmoid_loss").apply(
        "teacher_student_sigmoid_loss", input, label, key="_generated_var", soft_max_up_bound=float(soft_max_up_bound),
        soft_max_lower_bound=float(soft_max_lower_bound))


@face
def label_smooth(label: Any, prior_dist: Any = None, epsilon: float = 0.1, dtype: Any = "float32",
                 name: str | None = None) -> Any:
    """(1 - epsilon) * label + epsilon * a distribution, by default the uniform one."""
    if not 0 <= epsilon <= 1:
        raise ValueError(f"label_smooth(epsilon): must lie in [0, 1]. Received {epsilon!r}.")
    if isinstance(label, Variable):  # in dynamic mode gradients flow
        label.stop_gradient = True
    return LayerHelper("label_smooth", name=name).apply("label_smooth", label, prior_dist, epsilon=float(epsilon))


@face
def dice_loss(input: Any, label: Any, epsilon: float = 1e-5, name: str | None = None) -> Any:
    """1 - twice what input and label have in common over what they have together."""
    label = one_hot(label, depth=input.shape[-1])
    dims = list(range(1, len(input.shape)))
    common = reduce_sum(input * label, dim=dims)
    together = reduce_sum(input, dim=dims) + reduce_sum(label, dim=dims)
    return reduce_mean(1 - common * 2 / (together + epsilon))


@face
def npair_loss(anchor: Any, positive: Any, labels: Any, l2_reg: float = 0.002) -> Any:
    """The loss of pairs of samples among others (Sohn, 2016)."""
    count = labels.shape[0]
    labels = expand(reshape(labels, [count, 1]), [1, count])
    labels = cast(equal(labels, transpose(labels, [1, 0])), "float32")
    labels = labels / reduce_sum(labels, dim=1, keep_dim=True)
    size = reduce_mean(reduce_sum(square(anchor), 1)) + reduce_mean(reduce_sum(square(positive), 1))
    similar = matmul(anchor, positive, transpose_y=True)
    losses = softmax_with_cross_entropy(similar, labels, soft_label=True)
    return size * 0.25 * l2_reg + reduce_mean(reduce_sum(labels * losses, 0))


def _alias_table(shares: Sequence[float]) -> tuple[list[float], list[int]]:
    """Walker's table: for each class the share of it that is its own, and the class that the rest belongs to."""
    own, other = [0.0] * len(shares), [-1] * len(shares)
    scaled = [share * len(shares) for share in shares]
    large, small = [n for n, s in enumerate(scaled) if s > 1.0], [n for n, s in enumerate(scaled) if s < 1.0]
    for n, s in enumerate(scaled):
        if s == 1.0:
            own[n] = 1.0
    while large and small:
        big, little = large.pop(0), small.pop(0)
        own[little], other[little] = scaled[little], big
        scaled[big] += scaled[little] - 1
        (large if scaled[big] > 1.0 else small if scaled[big] < 1.0 else []).append(big)
        if scaled[big] == 1.0:
            own[big] = 1.0
    for n in (*large, *small):
        own[n] = 1.0
    return own, other


_SAMPLERS = {"uniform": 0, "log_uniform": 1, "custom_dist": 2}


@face
def nce(input: Any, label: Any, num_total_classes: int, sample_weight: Any = None, param_attr: Any = None,
        bias_attr: Any = None, num_neg_samples: int | None = None, name: str | None = None, sampler: str = "uniform",
        custom_dist: Any = None, seed: int = 0, is_sparse: bool = False) -> Any:
    """[N, 1]: noise-contrastive estimation, by classes that a sampler draws (Gutmann and Hyvärinen, 2010)."""
    if sampler not in _SAMPLERS:
        raise ValueError(f"nce(sampler): must be one of {', '.join(_SAMPLERS)}. Received {sampler!r}.")
    helper, count = LayerHelper("nce", name=name), 10 if num_neg_samples is None else int(num_neg_samples)
    weight = helper.parameter(param_attr, [num_total_classes, input.shape[1]], input.dtype)
    bias = helper.parameter(bias_attr, [num_total_classes, 1], input.dtype, is_bias=True)
    tables: tuple[Any, ...] = (None, None, None)
    if sampler == "custom_dist":
        own, other = _alias_table(list(custom_dist))
        arrays = (np.array(custom_dist, "float32"), np.array(other, "int32"), np.array(own, "float32"))
        tables = tuple(helper.parameter(ParamAttr(trainable=False), a.shape, a.dtype,
                                        default_initializer=NumpyArrayInitializer(a)) for a in arrays)
    cost = helper.apply("nce", input, label, sample_weight, weight, bias, *tables, num_neg_samples=count, seed=seed,
                        sampler=_SAMPLERS[sampler], is_sparse=is_sparse, remote_prefetch=is_sparse,
                        num_total_classes=int(num_total_classes))[0]
    return cost / (count + 1)


@face
def hsigmoid(input: Any, label: Any, num_classes: int, param_attr: Any = None, bias_attr: Any = None,
             name: str | None = None, path_table: Any = None, path_code: Any = None, is_custom: bool = False,
             is_sparse: bool = False) -> Any:
    """[N, 1]: the cross entropy of the way to a label in a binary tree of classes (Morin and Bengio, 2005)."""
    if is_custom != (path_table is not None) or is_custom != (path_code is not None):
        raise ValueError("hsigmoid: path_table and path_code are given with is_custom=True, and only then.")
    if not is_custom and (num_classes is None or num_classes < 2):
        raise ValueError(f"hsigmoid(num_classes): must be at least 2. Received {num_classes}.")
    helper, rows = LayerHelper("hierarchical_sigmoid", name=name), num_classes if is_custom else num_classes - 1
    weight = helper.parameter(param_attr, [rows, input.shape[1]], input.dtype)
    bias = helper.parameter(bias_attr, [rows, 1], input.dtype, is_bias=True)
    return helper.apply("hierarchical_sigmoid", input, weight, label, path_table, path_code, bias,
                        num_classes=num_classes, is_sparse=is_sparse and is_custom)[0]


@face
def sampled_softmax_with_cross_entropy(logits: Any, label: Any, num_samples: int, num_true: int = 1,
                                       remove_accidental_hits: bool = True, use_customized_samples: bool = False,
                                       customized_samples: Any = None, customized_probabilities: Any = None,
                                       seed: int = 0) -> Any:
    """[N, 1]: the cross entropy of the label among itself and `num_samples` drawn classes, the smaller the likelier.

    From each logit the logarithm of how often its class is expected is taken. Classes that happen to be the label are
    made unlikely with `remove_accidental_hits`. With `use_customized_samples` both [N, 1 + num_samples] are given: the
    label and other classes, and what is expected of them (Jean et al., 2015).
    """
    given = (customized_samples, customized_probabilities) if use_customized_samples else (None, None)
    sampled, place, *_ = LayerHelper("sample_logits").apply(
        "sample_logits", logits, label, *given, first=("Samples", "Probabilities", "SampledLogits", "SampledLabels"),
        use_customized_samples=use_customized_samples, uniq=True, num_samples=num_samples, seed=seed,
        remove_accidental_hits=remove_accidental_hits)
    place.stop_gradient = True
    wanted = one_hot(place, num_samples + 1)
    return softmax_with_cross_entropy(sampled, wanted, soft_label=True) / float(num_true)


__all__ = ["bpr_loss", "center_loss", "cross_entropy", "dice_loss", "edit_distance", "hsigmoid", "huber_loss",
           "kldiv_loss", "label_smooth", "log_loss", "margin_rank_loss", "mse_loss", "nce", "npair_loss", "rank_loss",
           "sampled_softmax_with_cross_entropy",
           "sigmoid_cross_entropy_with_logits", "smooth_l1", "softmax_with_cross_entropy", "square_error_cost",
           "teacher_student_sigmoid_loss", "warpctc"]
