"""sigmoid_focal_loss: the cross entropy of classes that are seldom right, most of all of the hard ones.

Lin et al., Focal Loss for Dense Object Detection, 2017.
"""

from __future__ import annotations

from typing import Any

from ...core import dtype as dt
from ..core.infer import promoting
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..nn.activation import logsigmoid_op, sigmoid


def _weights(xp, x, label, count, *, alpha: float = 0.25):
    number = xp.arange(1, x.shape[1] + 1)
    label = label.reshape(-1, 1)
    many = float(xp.maximum(count.reshape(-1)[0], 1))
    is_other = (label != -1) & (label != number)
    return (xp.where(label == number, alpha / many, 0).astype(x.dtype),
            xp.where(is_other, (1 - alpha) / many, 0).astype(x.dtype))


weights_op = operator("focal_weights", "X, Label, FgNum -> Own, Others", kernel=_weights, only_here=True,
                      infer=lambda x, label, count, alpha=0.25: (x, x))


def _log_sigmoid(xp: Any, x: Any) -> Any:
    return xp.minimum(x, 0) - xp.log1p(xp.exp(-xp.abs(x)))


def _focal(xp, x, label, count, *, gamma: float = 2.0, alpha: float = 0.25):
    own, others = _weights(xp, x, label, count, alpha=alpha)
    own_log, other_log = _log_sigmoid(xp, x), _log_sigmoid(xp, -x)
    return -(own * xp.exp(gamma * other_log) * own_log + others * xp.exp(gamma * own_log) * other_log)


def _infer(x, label, count, **_):
    if x.rank != 2 or label.dtype not in (dt.int32, dt.int64):
        raise ValueError(f"sigmoid_focal_loss(x, label): must be of shape [N, classes], and integers [N, 1]. "
                         f"Received {list(x.shape)}, and {label.dtype.name}.")
    return Spec(x.shape, x.dtype)


def _slope(g, X, Label, FgNum, gamma, alpha):
    own, others = apply(weights_op, X, Label, FgNum, alpha=alpha)
    p, q = sigmoid(X), sigmoid(X * -1.0)
    of_own = q ** gamma * (q - p * apply(logsigmoid_op, X) * gamma)
    of_others = p ** gamma * (q * apply(logsigmoid_op, X * -1.0) * gamma - p)
    return g * (own * of_own + others * of_others) * -1.0


sigmoid_focal_loss_op = operator("sigmoid_focal_loss", "X, Label, FgNum -> Out", kernel=_focal,
                                 infer=promoting(_infer), grad={"X": _slope})
"""The loss [N, classes] of scores X for labels [N, 1], which count from 1 (0: of no class; -1: not counted), divided by
FgNum [1]."""
