"""Costs over very many classes from a few drawn ones: `nce`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.dtype import DType
from ...core.unique_name import generate
from ...ops.array.creation import to_tensor
from ...ops.core.trace import apply, drawing
from ...ops.loss.nce import CUSTOM, LOG_UNIFORM, UNIFORM, nce_op
from .parameters import known_size, parameter

_SAMPLERS = {"uniform": UNIFORM, "log_uniform": LOG_UNIFORM, "custom_dist": CUSTOM}


def nce(input: Any, label: Any, num_total_classes: int, sample_weight: Any = None, param_attr: Any = None,
        bias_attr: Any = None, num_neg_samples: int | None = None, name: str | None = None, sampler: str = "uniform",
        custom_dist: Sequence[float] | None = None, seed: int = 0, is_sparse: bool = False) -> Any:
    """The cost of telling the class `label` [N, 1] of each row of `input` [N, D] from drawn classes: [N, 1].

    With o the logistic of a class's score and b the expected number of times that it is drawn, the cost is
    `-log(o / (o + b))` of the label and `-log(b / (o + b))` of each of `num_neg_samples` (10) drawn classes, divided
    by `num_neg_samples + 1`. `sampler`: 'uniform', 'log_uniform' or 'custom_dist' (classes are drawn in proportion
    to `custom_dist`). `seed`: 0 draws from the generator of `paddle.seed`. `sample_weight` [N, 1] weighs the rows.
    After "Noise-contrastive estimation" (Gutmann and Hyvärinen, 2010).

    >>> import proa as paddle
    >>> with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
    ...     x, label = paddle.static.data("x", [None, 4]), paddle.static.data("label", [None, 1], "int64")
    ...     paddle.static.nn.nce(x, label, num_total_classes=20).shape
    (-1, 1)
    """
    if sampler not in _SAMPLERS:
        raise ValueError(f"nce(sampler): must be one of {', '.join(_SAMPLERS)}. Received {sampler!r}.")
    layer, count = name or generate("nce"), 10 if num_neg_samples is None else int(num_neg_samples)
    drawing("nce", layer)
    weight = parameter(layer, "w", param_attr, (num_total_classes, known_size("nce(input)", input, 1)), input.dtype)
    bias = parameter(layer, "b", bias_attr, (num_total_classes, 1), input.dtype, is_bias=True)
    distribution = (None, None, None)
    if sampler == "custom_dist":
        distribution = _distribution(layer, custom_dist, num_total_classes)
    cost = apply(nce_op, input, label, sample_weight, weight, bias, *distribution, seed=seed, is_sparse=bool(is_sparse),
                 sampler=_SAMPLERS[sampler], num_total_classes=num_total_classes, num_neg_samples=count)[0]
    return cost / (count + 1)


def _distribution(layer: str, weights: Sequence[float] | None, classes: int) -> tuple[Any, ...]:
    """The probabilities, and the table by which PaddlePaddle draws, as parameters that are not trained."""
    from ...core.dtype import float32, int32

    if weights is None or len(weights) != classes or min(weights) < 0 or sum(weights) <= 0:
        raise ValueError(f"nce(custom_dist): must be {classes} weights of at least 0. Received {weights!r}.")
    probabilities = np.asarray(weights, "float64") / np.sum(weights)
    alias, kept = _alias_table(probabilities)
    filled: list[tuple[np.ndarray, DType]] = [(probabilities, float32), (alias, int32), (kept, float32)]
    return tuple(
        parameter(layer, "w", None, (classes,), dtype, trainable=False,
                  initializer=lambda shape, dtype, array=array: to_tensor(array.astype(dtype.dtype)))
        for array, dtype in filled)


def _alias_table(probabilities: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each class another one, and with which probability a draw of the class stays there (Walker, 1977)."""
    count = len(probabilities)
    kept, alias = probabilities * count, np.full(count, -1, "int64")
    small, large = [n for n in range(count) if kept[n] < 1], [n for n in range(count) if kept[n] > 1]
    while small and large:
        low, high = small.pop(), large.pop()
        alias[low] = high
        kept[high] -= 1 - kept[low]
        if kept[high] != 1:
            (small if kept[high] < 1 else large).append(high)
    for rest in (*small, *large):
        kept[rest] = 1.0
    return alias, kept
