"""Losses as layers."""

from __future__ import annotations

from typing import Any

from .. import functional as F
from ..layer import Layer


def checked_reduction(name: str, reduction: str) -> str:
    """The reduction; ValueError unless it is one of the three."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{name}(reduction): 'mean', 'sum' or 'none'. Received {reduction!r}.")
    return reduction


class CrossEntropyLoss(Layer):
    """-log softmax(input)[label]: the cross entropy of scores [..., C] with labels.

    The labels are class numbers, [...] or [..., 1]; `soft_label`: distributions of the scores' shape. The classes are
    along `axis`: for images [N, C, H, W] say `axis=1`. Labels equal to `ignore_index` count nothing, in the mean too.
    `weight` [C] weighs the classes, and the mean is then weighted. `reduction`: 'mean', 'sum' or 'none'.
    `use_softmax=False`: the input are probabilities. `label_smoothing` gives a part of each label to all classes.
    Raises ValueError for shapes that do not fit and labels out of range.

    >>> import proa as paddle
    >>> scores = paddle.to_tensor([[2.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    >>> round(paddle.nn.CrossEntropyLoss()(scores, paddle.to_tensor([0, 1])).item(), 4)
    0.2395
    >>> each = paddle.nn.CrossEntropyLoss(reduction="none", ignore_index=1)
    >>> each(scores, paddle.to_tensor([0, 1])).numpy().round(4).tolist()
    [0.2395000010728836, 0.0]
    """

    def __init__(self, weight: Any = None, ignore_index: int = -100, reduction: str = "mean", soft_label: bool = False,
                 axis: int = -1, use_softmax: bool = True, label_smoothing: float = 0.0, name: str | None = None):
        super().__init__()
        self.name = name
        self.weight, self.ignore_index, self.soft_label, self.axis = weight, ignore_index, soft_label, axis
        self.reduction = checked_reduction("CrossEntropyLoss", reduction)
        self.use_softmax, self.label_smoothing = use_softmax, label_smoothing

    def forward(self, input: Any, label: Any) -> Any:
        """The loss."""
        return F.cross_entropy(input, label, weight=self.weight, ignore_index=self.ignore_index,
                               reduction=self.reduction, soft_label=self.soft_label, axis=self.axis,
                               use_softmax=self.use_softmax, label_smoothing=self.label_smoothing, name=self.name)


class MSELoss(Layer):
    """The squared difference.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([1.0, 4.0])
    >>> paddle.nn.MSELoss()(x, y).item()
    2.0
    """

    def __init__(self, reduction: str = "mean"):
        super().__init__()
        self.reduction = checked_reduction("MSELoss", reduction)

    def forward(self, input: Any, label: Any) -> Any:
        """The loss."""
        return F.mse_loss(input, label, self.reduction)


class L1Loss(Layer):
    """The absolute difference.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([1.0, 4.0])
    >>> paddle.nn.L1Loss()(x, y).item()
    1.0
    """

    def __init__(self, reduction: str = "mean", name: str | None = None):
        super().__init__()
        self.name = name
        self.reduction = checked_reduction("L1Loss", reduction)

    def forward(self, input: Any, label: Any) -> Any:
        """The loss."""
        return F.l1_loss(input, label, self.reduction, name=self.name)


class SmoothL1Loss(Layer):
    """Squared below `delta`, absolute above.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([1.0, 4.0])
    >>> paddle.nn.SmoothL1Loss()(x, y).item()
    0.75
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0, name: str | None = None):
        super().__init__()
        self.name = name
        self.reduction, self.delta = checked_reduction("SmoothL1Loss", reduction), delta

    def forward(self, input: Any, label: Any) -> Any:
        """The loss."""
        return F.smooth_l1_loss(input, label, self.reduction, self.delta)


class BCELoss(Layer):
    """Binary cross entropy of probabilities.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([0.5, 0.5], "float64"), paddle.to_tensor([1.0, 0.0], "float64")
    >>> round(paddle.nn.BCELoss()(x, y).item(), 3)
    0.693
    """

    def __init__(self, weight: Any = None, reduction: str = "mean", name: str | None = None):
        super().__init__()
        self.name = name
        self.weight, self.reduction = weight, checked_reduction("BCELoss", reduction)

    def forward(self, input: Any, label: Any) -> Any:
        """The loss."""
        return F.binary_cross_entropy(input, label, self.weight, self.reduction, name=self.name)


class BCEWithLogitsLoss(Layer):
    """Sigmoid and binary cross entropy of scores.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([0.0, 0.0], "float64"), paddle.to_tensor([1.0, 0.0], "float64")
    >>> round(paddle.nn.BCEWithLogitsLoss()(x, y).item(), 3)
    0.693
    """

    def __init__(self, weight: Any = None, reduction: str = "mean", pos_weight: Any = None, name: str | None = None):
        super().__init__()
        self.name = name
        self.weight, self.pos_weight = weight, pos_weight
        self.reduction = checked_reduction("BCEWithLogitsLoss", reduction)

    def forward(self, logit: Any, label: Any) -> Any:
        """The loss."""
        return F.binary_cross_entropy_with_logits(logit, label, self.weight, self.reduction, self.pos_weight,
                                                  name=self.name)


class NLLLoss(Layer):
    """Negative log likelihood of log probabilities with integer labels.

    >>> import proa as paddle
    >>> scores = paddle.to_tensor([[-0.5, -1.0]])
    >>> paddle.nn.NLLLoss()(scores, paddle.to_tensor([0])).item()
    0.5
    """

    def __init__(self, weight: Any = None, ignore_index: int = -100, reduction: str = "mean", name: str | None = None):
        super().__init__()
        self._weight, self._ignore_index, self._name = weight, ignore_index, name
        self._reduction = checked_reduction("NLLLoss", reduction)

    def forward(self, input: Any, label: Any) -> Any:
        """The loss."""
        return F.nll_loss(input, label, self._weight, self._ignore_index, self._reduction)


class KLDivLoss(Layer):
    """label · (log label − input): the Kullback–Leibler divergence of log probabilities `input` from `label`.

    Both are of one shape, `label` holds probabilities. `reduction`: 'mean' divides by the number of elements,
    'batchmean' by the number of rows, which is what the formula of the divergence means; 'sum'; 'none'.

    >>> import proa as paddle
    >>> label, scores = paddle.to_tensor([[0.5, 0.5]]), paddle.to_tensor([[2.0, 0.0]])
    >>> log_probabilities = paddle.nn.functional.log_softmax(scores)
    >>> round(paddle.nn.KLDivLoss("batchmean")(log_probabilities, label).item(), 4)
    0.4338
    """

    def __init__(self, reduction: str = "mean"):
        super().__init__()
        self.reduction = reduction

    def forward(self, input: Any, label: Any) -> Any:
        """The loss."""
        return F.kl_div(input, label, self.reduction)
