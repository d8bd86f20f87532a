"""sample_logits: the logits of the true classes and of some that are drawn, for a softmax over many classes."""

import math
from typing import Any

import numpy as np

from ...backend.arrays import to_numpy
from ...core.dtype import int64
from ..array.full import full_of_shape
from ..array.take_along_axis import put_along_op
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import dtype_of
from ..random.draws import numbers_apart

_LARGEST = 1e20  # stands for infinity; a hit by accident is made so unlikely


def _unlike(xp: Any, classes: int, count: int, seed: int) -> tuple[np.ndarray, int]:
    """Different classes, the smaller the likelier, in the order in which they are drawn; and how many draws it took."""
    tries = 4 * count
    while True:
        drawn = np.exp(to_numpy(numbers_apart(xp, (tries,), seed)) * math.log(classes + 1)).astype("int64") - 1
        drawn %= classes
        first = np.sort(np.unique(drawn, return_index=True)[1])
        if len(first) >= count:
            return drawn[first[:count]], int(first[count - 1]) + 1
        tries *= 2  # the numbers of a seed begin as before


def _expected(xp: Any, classes: Any, total: int, count: int, tries: int) -> Any:
    """How often a class is expected among those that are drawn."""
    chance = xp.log((classes + 2.0) / (classes + 1.0)) / math.log(total + 1)
    return chance * count if tries == count else -xp.expm1(tries * xp.log1p(-chance))


def _sample_logits(xp, logits, labels, samples=None, probabilities=None, *, use_customized_samples: bool = False,
                   uniq: bool = True, remove_accidental_hits: bool = True, num_samples: int, seed: int = 0):
    rows, total = logits.shape
    true = labels.reshape(rows, -1).astype("int64")
    if true.size and (int(true.min()) < 0 or int(true.max()) >= total):
        raise ValueError(f"sampled_softmax_with_cross_entropy(label): must lie in [0, {total}). "
                         f"Received {int(true.min())} to {int(true.max())}.")
    if not use_customized_samples:
        drawn, tries = _unlike(xp, total, num_samples, seed)
        samples = xp.concatenate([true, xp.broadcast_to(xp.asarray(drawn), (rows, num_samples))], axis=1)
        probabilities = _expected(xp, samples, total, num_samples, tries).astype(logits.dtype)
    else:
        samples, probabilities = samples.astype("int64"), probabilities.copy()
    found = xp.take_along_axis(logits, samples, axis=1)
    if remove_accidental_hits:
        hits = (samples[:, :, None] == true[:, None, :]).any(2)
        hits[:, :true.shape[1]] = False
        found = found - hits * xp.asarray(_LARGEST, found.dtype)
    found = xp.clip(found - xp.clip(xp.log(probabilities), -_LARGEST, _LARGEST), -_LARGEST, _LARGEST)
    places = xp.broadcast_to(xp.arange(true.shape[1]), true.shape).astype("int64")
    return found.astype(logits.dtype), places, samples, probabilities


def _infer_logits(logits, labels, samples=None, probabilities=None, *, use_customized_samples=False, uniq=True,
                  remove_accidental_hits=True, num_samples, seed=0):
    what = "sampled_softmax_with_cross_entropy"
    if logits.rank != 2 or labels.rank != 2:
        raise ValueError(f"{what}(logits, label): must be [N, classes] and [N, true classes]. Received "
                         f"{list(logits.shape)} and {list(labels.shape)}.")
    if use_customized_samples and (samples is None or probabilities is None):
        raise ValueError(f"{what}(customized_samples, customized_probabilities): must be given where "
                         "use_customized_samples is true.")
    if not uniq:
        raise NotImplementedError("sample_logits(uniq): classes are drawn without repetition. Leave uniq at True.")
    if not use_customized_samples and 0 <= logits.shape[1] < num_samples:
        raise ValueError(f"{what}(num_samples): must not exceed the number of classes, {logits.shape[1]}. "
                         f"Received {num_samples}.")
    wide = labels.shape[1] + num_samples if samples is None else samples.shape[1]
    shape = (logits.shape[0], wide)
    return (Spec(shape, logits.dtype), Spec(labels.shape, int64), Spec(shape, int64), Spec(shape, logits.dtype))


def _gradient(g: Any, Samples: Any, Logits_shape: Any) -> Any:
    nothing = full_of_shape(Logits_shape, 0.0, dtype_of(g))
    return apply(put_along_op, nothing, Samples, g, Axis=1, Reduce="add")


sample_logits_op = operator(
    "sample_logits",
    "Logits, Labels, CustomizedSamples?, CustomizedProbabilities? -> SampledLogits, SampledLabels, Samples, "
    "Probabilities", kernel=_sample_logits, infer=_infer_logits, effects="random", fails="values", lod="drop",
    grad={"Logits": _gradient})
"""Logits of the true and of drawn classes less log of how often these are expected, and places of the true ones."""
