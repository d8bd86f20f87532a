"""`fluid.layers.metric_op`: accuracy, auc, mean_iou."""

from __future__ import annotations

from typing import Any

from ...core.unique_name import generate
from ...ops.core.trace import current_trace
from ..initializer import Constant
from ..layer_helper import LayerHelper, need_integers
from ..mode import face
from .lookup import topk
from .tensor import fill_constant


@face
def accuracy(input: Any, label: Any, k: int = 1, correct: Any = None, total: Any = None) -> Any:
    """The share of rows whose label is among the k largest, [1]; the counts are written to `correct` and `total`.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program()):
    ...     p, label = fluid.data("p", [None, 4]), fluid.data("label", [None, 1], "int64")
    ...     fluid.layers.accuracy(p, label).shape
    (1,)
    """
    need_integers("accuracy(label)", label)
    helper = LayerHelper("accuracy")
    values, indices = topk(input, k=k)
    return helper.apply("accuracy", values, indices, label, out={"Correct": correct, "Total": total})[0]


def _counts(helper: LayerHelper, shape: tuple[int, ...]) -> Any:
    if current_trace().computes:  # there nothing lasts from batch to batch
        return fill_constant(shape, "int64", 0)
    made = current_trace().main.global_block().new_var(generate("_generated_var"), shape, "int64",
                                                       persistable=True)
    return helper.set_variable_initializer(made, Constant(0))


@face
def auc(input: Any, label: Any, curve: str = "ROC", num_thresholds: int = 4095, topk: int = 1,
        slide_steps: int = 1) -> tuple[Any, Any, list[Any]]:
    """The area under the curve of all batches, that of the last `slide_steps`, and the counts that they are made of.

    With `slide_steps=0` both are of all batches. In dynamic mode each call knows its own batch alone.
    """
    helper = LayerHelper("auc")
    all_batches = (1, num_thresholds + 1)
    recent = ((1 + slide_steps) * (num_thresholds + 1) + 1,) if slide_steps else all_batches
    recent_counts = [_counts(helper, recent) for _ in range(2)]
    counts = [_counts(helper, all_batches) for _ in range(2)]
    attrs = {"curve": curve, "num_thresholds": num_thresholds}
    names = [helper._result_name(), helper._result_name()]
    batch = helper.apply("auc", input, label, *recent_counts, None, slide_steps=slide_steps,
                         out=_named(names[1]), **attrs)[0]
    whole = helper.apply("auc", input, label, *counts, None, slide_steps=0, out=_named(names[0]), **attrs)[0]
    return whole, batch, [*recent_counts, *counts]


def _named(name: str) -> dict[str, Any]:
    trace = current_trace()
    return {} if trace.computes else {"AUC": trace.block.new_var(name, (), "float64", stop_gradient=True)}


@face
def mean_iou(input: Any, label: Any, num_classes: int) -> tuple[Any, Any, Any]:
    """The mean over classes of what predictions and labels have in common over what they have together; the counts."""
    return LayerHelper("mean_iou").apply("mean_iou", input, label, None, None, None, num_classes=num_classes)


__all__ = ["accuracy", "auc", "mean_iou"]
