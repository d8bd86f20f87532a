"""margin_cross_entropy: cross entropy of cosines with margins in the angle of the label's class.

The label's cosine cos(t) becomes cos(margin1 * t + margin2) - margin3, and all are multiplied by `scale` before the
softmax: SphereFace, ArcFace ("ArcFace: Additive Angular Margin Loss", Deng et al., 2019) and CosFace in one.
"""


from typing import Any

from ..array.assign import one_hot
from ..array.reshape import reshape
from ..array.unknown_sizes import size_at
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import cast, dtype_of
from ..math.unary import acos, cos, sin, sqrt
from ..nn.softmax import softmax_op
from .cross_entropy import backward_op


def _kernel(xp, logits, label, *, return_softmax: bool = False, ring_id: int = 0, rank: int = 0, nranks: int = 1,
            margin1: float = 1.0, margin2: float = 0.5, margin3: float = 0.0, scale: float = 64.0):
    rows, label = xp.arange(len(logits)), label.reshape(-1)
    if label.size and (int(label.min()) < 0 or int(label.max()) >= logits.shape[1]):
        raise ValueError(f"margin_cross_entropy(logits, label): labels must lie in [0, {logits.shape[1]}). "
                         f"Received labels from {int(label.min())} to {int(label.max())}.")
    scores = logits.copy()
    scores[rows, label] = xp.cos(margin1 * xp.arccos(xp.clip(logits[rows, label], -1, 1)) + margin2) - margin3
    scores *= scale
    scores -= scores.max(1, keepdims=True)
    softmax = xp.exp(scores)
    total = softmax.sum(1, keepdims=True)
    return softmax / total, xp.log(total) - scores[rows, label][:, None]


def _infer(logits, label, **_):
    if logits.rank != 2 or label.rank not in (1, 2):
        raise ValueError(f"margin_cross_entropy(logits, label): logits must be [N, C] and label [N] or [N, 1]. "
                         f"Received {list(logits.shape)} and {list(label.shape)}.")
    return logits, Spec((logits.shape[0], 1), logits.dtype)


def _gradient(d_Loss: Any, Logits: Any, Label: Any, margin1: float, margin2: float, margin3: float,
              scale: float) -> Any:
    chosen = cast(one_hot(reshape(Label, [-1]), size_at(Logits, -1)), dtype_of(Logits))
    others = chosen * -1.0 + 1.0
    within = Logits * chosen  # the other cosines as 0, where every derivative is finite
    angle = acos(within) * margin1 + margin2
    scores = (Logits * others + (cos(angle) - margin3) * chosen) * scale
    softmax = apply(softmax_op, scores, axis=1)
    slope = apply(backward_op, scores, softmax, reshape(Label, [-1, 1]), d_Loss, soft_label=False, use_softmax=True,
                  ignore_index=-100, axis=1)
    turn = sin(angle) * margin1 / sqrt(within * within * -1.0 + 1.0)
    return slope * (others + chosen * turn) * scale


margin_cross_entropy_op = operator(
    "margin_cross_entropy", "Logits, Label -> Softmax, Loss", kernel=_kernel, infer=_infer, grad={"Logits": _gradient},
    precision="black", fails="values")

