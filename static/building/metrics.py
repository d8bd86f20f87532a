"""Measures of predictions that a Program keeps while it runs: accuracy, area under the curve, sums for click rates."""

from __future__ import annotations

from typing import Any

from ...core.dtype import DType, float32, int64
from ...core.unique_name import generate
from ...ops.array.assign import shape
from ...ops.array.full import full
from ...ops.array.sorting import topk
from ...ops.core.result_names import results_named
from ...ops.core.trace import apply, current_trace, drawing
from ...ops.math.casting import cast
from ...ops.math.elementwise import multiply
from ...ops.math.reduce import sum
from ...ops.math.unary import abs, square
from ...ops.metric.accuracy_auc import accuracy_of, auc_op
from ...ops.nn.activation import sigmoid


def accuracy(input: Any, label: Any, k: int = 1, correct: Any = None, total: Any = None) -> Any:
    """The part of the rows of `input` [N, classes] whose label [N, 1] is among the k largest, as a float32 scalar.

    `correct` and `total`, int32 Variables, are given the two counts when they are there.

    >>> import numpy, proa as paddle
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     p, label = paddle.static.data("p", [None, 2]), paddle.static.data("l", [None, 1], "int64")
    ...     right = paddle.static.accuracy(p, label)
    >>> feed = {"p": numpy.eye(2, dtype="float32"), "l": numpy.zeros((2, 1), "int64")}
    >>> float(paddle.static.Executor().run(main, feed=feed, fetch_list=[right])[0])
    0.5
    """
    name = generate("accuracy")
    drawing("accuracy", name)
    values, indices = topk(input, k, name=name)
    part, right, count = accuracy_of(values, indices, label)
    trace = current_trace()
    for target, value in ((correct, right), (total, count)):
        if target is not None:
            trace.store(target, value if target.dtype is value.dtype else cast(value, target.dtype))
    return part


def _kept(shape: tuple[int, ...], dtype: DType, name: str) -> Any:
    return current_trace().persistent(shape, dtype, 0, name)


def auc(input: Any, label: Any, curve: str = "ROC", num_thresholds: int = 4095, topk: int = 1, slide_steps: int = 1,
        ins_tag_weight: Any = None) -> tuple[Any, Any, list[Any]]:
    """The area under the ROC curve of all batches, that of the last `slide_steps` batches, and their statistics.

    `input`: probabilities, of which the last column counts, [N, classes]; `label`: 0 or 1, [N, 1]. Scores fall into
    `num_thresholds + 1` buckets. With `slide_steps=0` the second area is that of all batches, too.
    `ins_tag_weight`: samples whose weight is 0 do not count. The areas are float64 scalars; the statistics are
    persistable: counts of positive and negative samples by bucket, of the last batches and of all. Raises
    NotImplementedError for another curve, which PaddlePaddle computes as ROC.

    >>> import proa as paddle
    >>> from proa import static
    >>> import numpy as np
    >>> main, startup, exe = static.Program(), static.Program(), static.Executor()
    >>> with static.scope_guard(static.Scope()), static.program_guard(main, startup):
    ...     scores = static.data("scores", [None, 2])
    ...     area, of_last, statistics = static.auc(scores, static.data("label", [None, 1], "int64"))
    ...     _ = exe.run(startup)
    ...     feed = {"scores": np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8], [0.7, 0.3]], "float32"),
    ...             "label": np.array([[0], [0], [1], [1]])}
    ...     found, = exe.run(main, feed=feed, fetch_list=[area])
    >>> float(found)
    0.75
    """
    if curve != "ROC":
        raise NotImplementedError(f"auc(curve): only 'ROC' is supported. Received {curve!r}.")
    if num_thresholds < 1 or slide_steps < 0:
        raise ValueError(f"auc: num_thresholds must be positive, and slide_steps not negative. Received "
                         f"{num_thresholds} and {slide_steps}.")
    name, buckets = generate("auc"), num_thresholds + 1
    recent = ((1 + slide_steps) * buckets + 1,) if slide_steps else (1, buckets)
    sliding = [_kept(recent, int64, generate("_generated_var")) for _ in ("positive", "negative")]
    whole = [_kept((1, buckets), int64, generate("_generated_var")) for _ in ("positive", "negative")]

    @results_named(bare=True)
    def area(stats: list[Any], steps: int, name: str) -> Any:
        return apply(auc_op, input, label, *stats, ins_tag_weight, num_thresholds=num_thresholds, slide_steps=steps)[0]

    of_all, of_last = generate(f"{name}.tmp"), generate(f"{name}.tmp")
    batch = area(sliding, slide_steps, of_last)
    return area(whole, 0, of_all), batch, [*sliding, *whole]


def ctr_metric_bundle(input: Any, label: Any, ins_tag_weight: Any = None) -> tuple[Any, ...]:
    """Sums over all batches of predicted click rates `input` [N, 1] and labels [N, 1], each a persistable [1]:

    of squared errors, of absolute errors, of predictions, of sigmoid(predictions), of labels, and of samples. Divide
    by the last for RMSE, MAE, the predicted and the true click rate. `ins_tag_weight` [N, 1]: weights of the samples
    in the fourth and the last sum.

    >>> import proa as paddle
    >>> from proa import static
    >>> import numpy as np
    >>> main, startup, exe = static.Program(), static.Program(), static.Executor()
    >>> with static.scope_guard(static.Scope()), static.program_guard(main, startup):
    ...     sums = static.ctr_metric_bundle(static.data("p", [None, 1]), static.data("clicked", [None, 1]))
    ...     _ = exe.run(startup)
    ...     feed = {"p": np.array([[0.5], [1.0]], "float32"), "clicked": np.array([[0.0], [1.0]], "float32")}
    ...     squared, absolute, *others, count = exe.run(main, feed=feed, fetch_list=list(sums))
    >>> squared.tolist(), absolute.tolist(), count.tolist()
    ([0.25], [0.5], [2.0])
    """
    trace, name = current_trace(), generate("ctr_metric_bundle")
    label = cast(label, input.dtype)
    error = input - label
    weight = full([1], 1.0, "float32") if ins_tag_weight is None else ins_tag_weight
    count = cast(shape(label)[0], "float32") if ins_tag_weight is None else sum(cast(weight, "float32"))
    parts = {"sqrerr": sum(square(error)), "abserr": sum(abs(error)), "prob": sum(input),
             "q": sum(multiply(sigmoid(input), weight)), "pos": sum(label), "ins": count}
    totals = []
    for part, value in parts.items():
        total = _kept((1,), float32, f"{name}.{part}")
        trace.store(total, total + value)
        totals.append(total)
    return tuple(totals)
