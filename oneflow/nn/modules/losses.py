"""Losses as modules."""

from __future__ import annotations

from typing import Any

from .. import functional as F
from .. import loss
from ..functional.losses import check_reduction
from ..job_form import also_function
from ..module import Module


class _Loss(Module):
    def __init__(self, reduction: str = "mean"):
        super().__init__()
        check_reduction(type(self).__name__, reduction)
        self.reduction = reduction


class _Weighted(_Loss):
    def __init__(self, weight: Any = None, reduction: str = "mean"):
        super().__init__(reduction)
        self.register_buffer("weight", weight)


@also_function(loss.mse_loss, 2)
class MSELoss(_Loss):
    """(input - target)²."""

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return F.mse_loss(input, target, self.reduction)


@also_function(loss.l1_loss, 2)
class L1Loss(_Loss):
    """|input - target|."""

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return F.l1_loss(input, target, self.reduction)


class SmoothL1Loss(_Loss):
    """0.5 * d² / beta for a difference d below beta, d - 0.5 * beta above."""

    def __init__(self, reduction: str = "mean", beta: float = 1.0):
        super().__init__(reduction)
        self.beta = beta

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return F.smooth_l1_loss(input, target, self.beta, self.reduction)


class CrossEntropyLoss(_Weighted):
    """The negative logarithm of the probability that softmax of logits gives the right class.

    >>> import proa.oneflow as flow
    >>> round(flow.nn.CrossEntropyLoss()(flow.zeros(2, 4), flow.tensor([0, 3])).item(), 4)
    1.3863
    """

    def __init__(self, weight: Any = None, ignore_index: int = -100, reduction: str = "mean",
                 label_smoothing: float = 0.0):
        super().__init__(weight, reduction)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return F.cross_entropy(input, target, self.weight, self.ignore_index, self.reduction, self.label_smoothing)


class NLLLoss(_Weighted):
    """The negative of the logarithm of probability that input holds for the right class."""

    def __init__(self, weight: Any = None, ignore_index: int = -100, reduction: str = "mean"):
        super().__init__(weight, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return F.nll_loss(input, target, self.weight, self.ignore_index, self.reduction)


@also_function(loss.bce_loss, 2)
class BCELoss(_Weighted):
    """-(target * log(input) + (1 - target) * log(1 - input))."""

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return F.binary_cross_entropy(input, target, self.weight, self.reduction)


@also_function(loss.bce_with_logits_loss, 2)
class BCEWithLogitsLoss(_Weighted):
    """As BCELoss of sigmoid(input), without overflow."""

    def __init__(self, weight: Any = None, reduction: str = "mean", pos_weight: Any = None):
        super().__init__(weight, reduction)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return F.binary_cross_entropy_with_logits(input, target, self.weight, self.reduction, self.pos_weight)


@also_function(loss.kldivloss, 2)
class KLDivLoss(Module):
    """target * (log(target) - input), of logarithms `input`."""

    def __init__(self, reduction: str = "mean", log_target: bool = False):
        super().__init__()
        self.reduction, self.log_target = reduction, log_target

    def forward(self, input: Any, target: Any) -> Any:
        """The loss."""
        return F.kl_div(input, target, self.reduction, self.log_target)


@also_function(loss.margin_ranking_loss, 3)
class MarginRankingLoss(_Loss):
    """max(0, -target * (input1 - input2) + margin)."""

    def __init__(self, margin: float = 0.0, reduction: str = "mean"):
        super().__init__(reduction)
        self.margin = margin

    def forward(self, input1: Any, input2: Any, target: Any) -> Any:
        """The loss."""
        return F.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)


@also_function(loss.triplet_margin_loss, 3)
class TripletMarginLoss(_Loss):
    """max(0, |anchor - positive| - |anchor - negative| + margin), by p-norms."""

    def __init__(self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False,
                 size_average: Any = None, reduce: Any = None, reduction: str = "mean"):
        super().__init__(reduction)
        self.margin, self.p, self.eps, self.swap = margin, p, eps, swap

    def forward(self, anchor: Any, positive: Any, negative: Any) -> Any:
        """The loss."""
        return F.triplet_margin_loss(anchor, positive, negative, self.margin, self.p, self.eps, self.swap,
                                     self.reduction)


class CTCLoss(_Loss):
    """Connectionist temporal classification of log probabilities [time, batch, classes]."""

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False):
        super().__init__(reduction)
        self.blank, self.zero_infinity = blank, zero_infinity

    def forward(self, log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any) -> Any:
        """The loss."""
        return F.ctc_loss(log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction,
                          self.zero_infinity)


class CombinedMarginLoss(Module):
    """Cosines [N, classes] with that of each label's class made cos(m1 * angle + m2) - m3."""

    def __init__(self, m1: float = 1.0, m2: float = 0.0, m3: float = 0.0):
        super().__init__()
        self.m1, self.m2, self.m3 = m1, m2, m3

    def forward(self, x: Any, label: Any) -> Any:
        """The cosines with margins."""
        return loss.combined_margin_loss(x, label, self.m1, self.m2, self.m3)
