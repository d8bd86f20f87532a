"""Losses with a margin as layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import functional as F
from ..layer import Layer
from .loss import checked_reduction


class MarginRankingLoss(Layer):
    """max(0, -label * (input - other) + margin), label being 1 or -1.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([1.0]), paddle.to_tensor([3.0])
    >>> float(paddle.nn.MarginRankingLoss()(x, y, paddle.to_tensor([1.0])))
    2.0
    """

    def __init__(self, margin: float = 0.0, reduction: str = "mean", name: str | None = None):
        super().__init__()
        self.name = name
        self.margin, self.reduction = margin, checked_reduction("MarginRankingLoss", reduction)

    def forward(self, input: Any, other: Any, label: Any) -> Any:
        """The loss."""
        return F.margin_ranking_loss(input, other, label, self.margin, self.reduction, name=self.name)


class HingeEmbeddingLoss(Layer):
    """input where label is 1, max(0, margin - input) where it is -1.

    >>> import proa as paddle
    >>> paddle.nn.HingeEmbeddingLoss()(paddle.to_tensor([0.5, 0.25]), paddle.to_tensor([1.0, -1.0])).item()
    0.625
    """

    def __init__(self, margin: float = 1.0, reduction: str = "mean", name: str | None = None):
        super().__init__()
        self.name = name
        self.margin, self.reduction = margin, checked_reduction("HingeEmbeddingLoss", reduction)

    def forward(self, input: Any, label: Any) -> Any:
        """The loss."""
        return F.hinge_embedding_loss(input, label, self.margin, self.reduction, name=self.name)


class CosineEmbeddingLoss(Layer):
    """1 - cos(input1, input2) where label is 1, max(0, cos - margin) where it is -1; ValueError for |margin| > 1.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([[1.0, 0.0]]), paddle.to_tensor([[0.0, 1.0]])
    >>> paddle.nn.CosineEmbeddingLoss()(x, y, paddle.to_tensor([1])).item()
    1.0
    """

    def __init__(self, margin: float = 0, reduction: str = "mean", name: str | None = None):
        super().__init__()
        self.name = name
        if not -1 <= margin <= 1:
            raise ValueError(f"CosineEmbeddingLoss(margin): must lie in [-1, 1]. Received {margin}.")
        self.margin, self.reduction = margin, checked_reduction("CosineEmbeddingLoss", reduction)

    def forward(self, input1: Any, input2: Any, label: Any) -> Any:
        """The loss."""
        return F.cosine_embedding_loss(input1, input2, label, self.margin, self.reduction, name=self.name)


class SoftMarginLoss(Layer):
    """log(1 + exp(-label * input)), label being 1 or -1.

    >>> import proa as paddle
    >>> x, y = paddle.zeros([2], "float64"), paddle.to_tensor([1.0, -1.0], "float64")
    >>> round(paddle.nn.SoftMarginLoss()(x, y).item(), 3)
    0.693
    """

    def __init__(self, reduction: str = "mean", name: str | None = None):
        super().__init__()
        self.name = name
        self.reduction = checked_reduction("SoftMarginLoss", reduction)

    def forward(self, input: Any, label: Any) -> Any:
        """The loss."""
        return F.soft_margin_loss(input, label, self.reduction, name=self.name)


class MultiLabelSoftMarginLoss(Layer):
    """The mean binary cross entropy of scores [N, C] over the classes, weighed by `weight` [C].

    >>> import proa as paddle
    >>> x, y = paddle.zeros([1, 2], "float64"), paddle.to_tensor([[1.0, 0.0]], "float64")
    >>> round(paddle.nn.MultiLabelSoftMarginLoss()(x, y).item(), 3)
    0.693
    """

    def __init__(self, weight: Any = None, reduction: str = "mean", name: str | None = None):
        super().__init__()
        self.name = name
        self.weight, self.reduction = weight, checked_reduction("MultiLabelSoftMarginLoss", reduction)

    def forward(self, input: Any, label: Any) -> Any:
        """The loss."""
        return F.multi_label_soft_margin_loss(input, label, self.weight, self.reduction, name=self.name)


class MultiMarginLoss(Layer):
    """The mean over classes c but the label of max(0, margin - input[label] + input[c]) ** p.

    >>> import proa as paddle
    >>> paddle.nn.MultiMarginLoss()(paddle.to_tensor([[0.5, 0.25]]), paddle.to_tensor([0])).item()
    0.375
    """

    def __init__(self, p: int = 1, margin: float = 1.0, weight: Any = None, reduction: str = "mean",
                 name: str | None = None):
        super().__init__()
        self.name = name
        self.p, self.margin, self.weight = p, margin, weight
        self.reduction = checked_reduction("MultiMarginLoss", reduction)

    def forward(self, input: Any, label: Any) -> Any:
        """The loss."""
        return F.multi_margin_loss(input, label, self.p, self.margin, self.weight, self.reduction, name=self.name)


class TripletMarginLoss(Layer):
    """max(0, d(input, positive) - d(input, negative) + margin), d the norm of order p of the difference + epsilon.

    >>> import proa as paddle
    >>> a, b = paddle.to_tensor([[0.0, 0.0]]), paddle.to_tensor([[3.0, 4.0]])
    >>> round(float(paddle.nn.TripletMarginLoss()(a, b, a)), 3)
    6.0
    """

    def __init__(self, margin: float = 1.0, p: float = 2.0, epsilon: float = 1e-6, swap: bool = False,
                 reduction: str = "mean", name: str | None = None):
        super().__init__()
        self.name = name
        self.margin, self.p, self.epsilon, self.swap = margin, p, epsilon, swap
        self.reduction = checked_reduction("TripletMarginLoss", reduction)

    def forward(self, input: Any, positive: Any, negative: Any) -> Any:
        """The loss."""
        return F.triplet_margin_loss(input, positive, negative, self.margin, self.p, self.epsilon, self.swap,
                                     self.reduction, name=self.name)


class TripletMarginWithDistanceLoss(Layer):
    """As TripletMarginLoss, with a distance of one's own: a function of two tensors.

    >>> import proa as paddle
    >>> near, far = paddle.zeros([2, 3]), paddle.ones([2, 3])
    >>> paddle.nn.TripletMarginWithDistanceLoss()(near, near, far * 3).item()
    0.0
    """

    def __init__(self, distance_function: Callable[[Any, Any], Any] | None = None, margin: float = 1.0,
                 swap: bool = False, reduction: str = "mean", name: str | None = None):
        super().__init__()
        self.name = name
        if margin < 0:
            raise ValueError(f"TripletMarginWithDistanceLoss(margin): must not be negative. Received {margin}.")
        self.distance_function, self.margin, self.swap = distance_function, margin, swap
        self.reduction = checked_reduction("TripletMarginWithDistanceLoss", reduction)

    def forward(self, input: Any, positive: Any, negative: Any) -> Any:
        """The loss."""
        return F.triplet_margin_with_distance_loss(input, positive, negative, self.distance_function, self.margin,
                                                   self.swap, self.reduction, name=self.name)
