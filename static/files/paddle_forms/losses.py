"""Gradients of losses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....ops.array.creation import full_like
from ....ops.array.where import where_op
from ....ops.core.trace import apply
from ....ops.math.casting import cast
from ....ops.math.comparison import equal, not_equal
from ....ops.math.elementwise import maximum, minimum
from ....ops.math.unary import log
from .registry import form, gradient, zeros


@form("warpctc_backward", "Logits, WarpCTCGrad, Label, LogitsLength, LabelLength, LossGrad -> LogitsGrad")
def _ctc(logits: Any, slope: Any, label: Any, steps: Any, lengths: Any, g: Any, *, blank: int = 0) -> Any:
    return gradient("warpctc", "Logits", logits, {"Logits": logits, "WarpCTCGrad": slope, "LogitsLength": steps,
                                                   "Loss@GRAD": g}, blank=blank)


@form("nll_loss_backward", "G, Label, Total, Weight?, Like? -> XGrad")
def _likelihood(g: Any, label: Any, counted: Any, weight: Any, like: Any, *, shape: Sequence[int] = (),
                **attrs: Any) -> Any:
    like = zeros(shape, g) if like is None else like
    return gradient("nll_loss", "X", like, {"X": like, "Label": label, "Weight": weight, "Total_weight": counted,
                                             "Out@GRAD": g}, **attrs)


@form("sigmoid_cross_entropy_with_logits_grad", "X, Label, G -> Out")
def _logits(x: Any, label: Any, g: Any, *, ignore_index: int = -100) -> Any:
    return gradient("sigmoid_cross_entropy_with_logits", "X", x, {"X": x, "Label": label, "Out@GRAD": g},
                     ignore_index=ignore_index)


@form("cross_entropy_backward", "Logits, Softmax, Label, LossGrad -> LogitsGrad")
def _cross_entropy(logits: Any, softmax: Any, label: Any, g: Any, **attrs: Any) -> Any:
    return gradient("softmax_with_cross_entropy", "Logits", logits,
                     {"Softmax": softmax, "Label": label, "Loss@GRAD": g}, **attrs)


@form("bce_slope", "X, Label -> Out")
def _bce(x: Any, label: Any) -> Any:
    spread = x * (x * -1.0 + 1.0)
    return (x - label) / maximum(spread, full_like(spread, 1e-12))


@form("huber_slope", "Residual, G -> Out")
def _huber(residual: Any, g: Any, *, delta: float = 1.0) -> Any:
    return g * minimum(maximum(residual, full_like(residual, -delta)), full_like(residual, delta))


@form("log_positive", "X -> Out")
def _log_positive(x: Any) -> Any:
    one = full_like(x, 1.0)
    return log(apply(where_op, equal(x, full_like(x, 0.0)), one, x))


@form("divide_or_zero", "X, Y -> Out")
def _divided(x: Any, y: Any) -> Any:
    zero = full_like(y, 0.0)
    safe = apply(where_op, equal(y, zero), full_like(y, 1.0), y)
    return x / safe * cast(not_equal(y, zero), x.dtype)
