"""label_smooth: part of a distribution of labels given evenly to all classes (Szegedy et al., 2016)."""


from typing import Any

from ..core.operator import operator
from ..core.trace import apply


def _label_smooth(xp, x, prior=None, *, epsilon: float = 0.0):
    return x * (1 - epsilon) + (epsilon / x.shape[-1] if prior is None else epsilon * prior)


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
    return apply(label_smooth_op, label, prior_dist, epsilon=float(epsilon))
