"""Noise-contrastive estimation: the cost of classes told from drawn ones, instead of from all others."""

import math
from typing import Any

import numpy as np

from ...core.dtype import int64
from ..array.concat_split import concat
from ..array.full import full
from ..array.gather import gather, put_at_op
from ..array.gradient_shapes import reshape_to
from ..array.reshape import reshape, shape_handle
from ..core.operator import Ints, operator
from ..core.spec import Spec
from ..core.trace import apply, apply_zeros
from ..math.casting import cast, dtype_of
from ..math.reduce import sum
from ..math.unary import log
from ..nn.activation import sigmoid_op
from ..random.draws import generator, integers_apart, numbers_apart

UNIFORM, LOG_UNIFORM, CUSTOM = 0, 1, 2


def _by_alias(xp: Any, sizes: tuple[int, ...], seed: int, alias: Any, kept: Any) -> Any:
    """Classes by Walker's tables: one of all, and its alias where a number is beyond the share that it keeps."""
    shape = (*sizes, 3)
    draw = np.random.RandomState(seed).randint if seed else generator(np).integers
    words = draw(0, 2**32, shape, dtype="uint32").astype("float64")  # of a seed: those of the 32-bit Mersenne Twister
    chosen = xp.asarray(np.minimum(words[..., 0] // ((2**32 - 1) // len(kept)), len(kept) - 1).astype("int64"))
    number = xp.asarray((words[..., 1] + words[..., 2] * 2.0**32) * 2.0**-64)
    return xp.where(number > kept[chosen], alias[chosen], chosen).astype("int64")


def _drawn(xp: Any, rows: int, count: int, classes: int, sampler: int, seed: int, alias: Any, kept: Any) -> Any:
    """Classes for each row, drawn with replacement."""
    if sampler == CUSTOM:
        return _by_alias(xp, (rows, count), seed, alias, kept)
    if sampler == UNIFORM:
        return integers_apart(xp, (rows, count), classes, seed).astype("int64")
    drawn = numbers_apart(xp, (rows, count), seed)
    return (xp.exp(drawn * math.log(classes)).astype("int64") - 1) % classes


def _kernel_chance(xp: Any, labels: Any, classes: int, sampler: int, probabilities: Any) -> Any:
    """How likely each of the labels is to be drawn."""
    if sampler == CUSTOM:
        return probabilities[labels]
    if sampler == LOG_UNIFORM:
        return xp.log((labels + 2.0) / (labels + 1.0)) / math.log(classes)
    return 1.0 / classes


def _nce(xp, x, label, sample_weight, weight, bias=None, probabilities=None, alias=None, alias_probabilities=None, *,
         num_total_classes: int, num_neg_samples: int = 10, seed: int = 0, sampler: int = 0, is_sparse: bool = False,
         remote_prefetch: bool = False, is_test: bool = False, custom_neg_classes: Ints = ()):
    true = label.reshape(len(x), -1).astype("int64")
    if len(custom_neg_classes):
        noise = xp.broadcast_to(xp.asarray(list(custom_neg_classes), "int64"), (len(x), len(custom_neg_classes)))
    else:
        noise = _drawn(xp, len(x), num_neg_samples, num_total_classes, sampler, seed, alias, alias_probabilities)
    labels = xp.concatenate([true, noise], axis=1)
    logits = (weight[labels] @ x[:, :, None])[:, :, 0]
    if bias is not None:
        logits = logits + bias.reshape(-1)[labels]
    o = 1.0 / (1.0 + xp.exp(-logits))
    b = _kernel_chance(xp, labels, num_total_classes, sampler, probabilities) * noise.shape[1]
    is_true = xp.arange(labels.shape[1]) < true.shape[1]
    cost = -xp.log(xp.where(is_true, o, b) / (o + b)).sum(1, keepdims=True)
    if sample_weight is not None:
        cost = cost * sample_weight.reshape(-1, 1)
    return cost.astype(x.dtype), o.astype(x.dtype), labels


def _infer(x, label, sample_weight, weight, *_, num_neg_samples=10, custom_neg_classes=(), **__):
    if x.rank != 2 or weight.rank != 2 or (x.shape[1] >= 0 and x.shape[1] != weight.shape[1]):
        raise ValueError(f"nce(input): must be [N, {weight.shape[-1]}], as wide as the weight. "
                         f"Received {list(x.shape)}.")
    true = label.shape[1] if label.rank > 1 else 1
    count = -1 if true < 0 else true + (len(custom_neg_classes) or num_neg_samples)
    return Spec((x.shape[0], 1), x.dtype), Spec((x.shape[0], count), x.dtype), Spec((x.shape[0], count), int64)


def _chance(labels: Any, dtype: Any, classes: int, sampler: int, probabilities: Any, shape: Any) -> Any:
    """As `_kernel_chance`, of values."""
    if sampler == CUSTOM:
        return reshape_to(gather(cast(probabilities, dtype), reshape(labels, [-1])), shape)
    if sampler == LOG_UNIFORM:
        place = cast(labels, dtype)
        return log((place + 2.0) / (place + 1.0)) * (1.0 / math.log(classes))
    return 1.0 / classes


def _slopes(X, Weight, Bias, labels, probabilities, classes, sampler, noise):
    """The derivative of each part of the cost by its logit, [N, K], and the rows of the weight, [N, K, D]."""
    count, dtype = labels.shape[1], dtype_of(X)
    flat = reshape(labels, [-1])
    rows = reshape(gather(Weight, flat), [-1, count, Weight.shape[1]])
    logits = sum(rows * reshape(X, [-1, 1, Weight.shape[1]]), -1)
    if Bias is not None:
        logits = logits + reshape(gather(reshape(Bias, [-1]), flat), [-1, count])
    o = apply(sigmoid_op, logits)
    b = _chance(labels, dtype, classes, sampler, probabilities, shape_handle(logits)) * float(noise)
    is_true = concat([full([1, count - noise], 1.0, dtype), full([1, noise], 0.0, dtype)], 1)
    return (1.0 - o) / (o + b) * (o - is_true * (o + b)), rows


def _zeros(like: Any) -> Any:
    return apply_zeros(tuple(like.shape), dtype_of(like))


def _gradients(g, Input, SampleWeight, Weight, Bias, CustomDistProbs, SampleLabels, num_total_classes, num_neg_samples,
               sampler, custom_neg_classes, wants):
    noise = len(custom_neg_classes) or num_neg_samples
    slopes, rows = _slopes(Input, Weight, Bias, SampleLabels, CustomDistProbs, num_total_classes, sampler, noise)
    if SampleWeight is not None:
        slopes = slopes * reshape(SampleWeight, [-1, 1])
    slopes = slopes * g
    count, width = SampleLabels.shape[1], Weight.shape[1]
    flat, wide = reshape(SampleLabels, [-1]), reshape(slopes, [-1, count, 1])
    d_input = sum(wide * rows, 1) if wants[0] else None
    d_weight = d_bias = None
    if wants[1]:
        updates = reshape(wide * reshape(Input, [-1, 1, width]), [-1, width])
        d_weight = apply(put_at_op, _zeros(Weight), flat, updates, None, axis=0)
    if wants[2]:
        lines = apply(put_at_op, reshape(_zeros(Bias), [-1]), flat, reshape(slopes, [-1]), None, axis=0)
        d_bias = reshape_to(lines, shape_handle(Bias))
    return d_input, d_weight, d_bias


nce_op = operator(
    "nce", "Input, Label, SampleWeight?, Weight, Bias?, CustomDistProbs?, CustomDistAlias?, CustomDistAliasProbs? -> "
    "Cost, SampleLogits&, SampleLabels&", kernel=_nce, infer=_infer, effects="random",
    grad={"Input, Weight, Bias": _gradients}, fails="values")
"""The cost of the labels of each row, [N, 1]; the chances and the labels, drawn ones behind the true ones, [N, K]."""
