"""Losses of sequences, of very many classes and of likelihoods, as layers."""

from __future__ import annotations

from typing import Any

from .. import functional as F
from ..layer import Layer
from .loss import checked_reduction


class CTCLoss(Layer):
    """Connectionist temporal classification of scores [steps, batch, classes]; see `nn.functional.ctc_loss`.

    >>> import proa as paddle
    >>> labels, lengths = paddle.to_tensor([[1]], dtype="int32"), (paddle.to_tensor([2]), paddle.to_tensor([1]))
    >>> round(float(paddle.nn.CTCLoss()(paddle.zeros([2, 1, 2]), labels, *lengths)), 4)
    0.2877
    """

    def __init__(self, blank: int = 0, reduction: str = "mean"):
        super().__init__()
        self.blank, self.reduction = blank, checked_reduction("CTCLoss", reduction)

    def forward(self, log_probs: Any, labels: Any, input_lengths: Any, label_lengths: Any,
                norm_by_times: bool = False) -> Any:
        """The loss."""
        return F.ctc_loss(log_probs, labels, input_lengths, label_lengths, self.blank, self.reduction, norm_by_times)


class RNNTLoss(Layer):
    """The transducer's loss of log probabilities [batch, steps, symbols + 1, C]; see `nn.functional.rnnt_loss`.

    >>> import proa as paddle
    >>> scores = paddle.zeros([1, 3, 2, 4])  # batch, frames, labels + 1, classes
    >>> labels = paddle.to_tensor([[1]], "int32")
    >>> loss = paddle.nn.RNNTLoss()(scores, labels, paddle.to_tensor([3], "int32"), paddle.to_tensor([1], "int32"))
    >>> loss.item() > 0
    False
    """

    def __init__(self, blank: int = 0, fastemit_lambda: float = 0.001, reduction: str = "mean",
                 name: str | None = None):
        super().__init__()
        self.name = name
        self.blank, self.fastemit_lambda = blank, fastemit_lambda
        self.reduction = checked_reduction("RNNTLoss", reduction)

    def forward(self, input: Any, label: Any, input_lengths: Any, label_lengths: Any) -> Any:
        """The loss."""
        return F.rnnt_loss(input, label, input_lengths, label_lengths, self.blank, self.fastemit_lambda,
                           self.reduction, name=self.name)


class HSigmoidLoss(Layer):
    """The cross entropy [N, 1] of the way to each label through a tree of classes; see `nn.functional.hsigmoid_loss`.

    The tree is a complete one with `weight` [num_classes - 1, feature_size] and `bias` [num_classes - 1, 1]; with
    `is_custom` forward is given ways through another, of `num_classes` inner nodes.

    >>> import proa as paddle
    >>> paddle.nn.HSigmoidLoss(3, 5)(paddle.ones([2, 3]), paddle.to_tensor([[0], [4]])).shape
    [2, 1]
    """

    def __init__(self, feature_size: int, num_classes: int, weight_attr: Any = None, bias_attr: Any = None,
                 is_custom: bool = False, is_sparse: bool = False, name: str | None = None):
        super().__init__()
        if num_classes < 2 and not is_custom:
            raise ValueError(f"HSigmoidLoss(num_classes): must be at least 2. Received {num_classes}.")
        self._feature_size, self._num_classes = feature_size, num_classes
        self._is_custom, self._is_sparse = is_custom, is_sparse
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        nodes = num_classes if is_custom else num_classes - 1
        self.weight = self.create_parameter([nodes, feature_size], weight_attr)
        self.bias = self.create_parameter([nodes, 1], bias_attr, is_bias=True)

    def forward(self, input: Any, label: Any, path_table: Any = None, path_code: Any = None) -> Any:
        """The losses [N, 1]; ValueError where `is_custom` and the ways do not go together."""
        if self._is_custom != (path_table is not None) or self._is_custom != (path_code is not None):
            raise ValueError(f"HSigmoidLoss: path_table and path_code must "
                             f"{'' if self._is_custom else 'not '}be given with is_custom={self._is_custom}.")
        return F.hsigmoid_loss(input, label, self._num_classes, self.weight, self.bias, path_table, path_code,
                               self._is_sparse)


class GaussianNLLLoss(Layer):
    """(log(variance) + (input - label)² / variance) / 2; see `nn.functional.gaussian_nll_loss`.

    >>> import proa as paddle
    >>> one = paddle.ones([2])
    >>> paddle.nn.GaussianNLLLoss()(one, one + 1, one).item()
    0.5
    """

    def __init__(self, full: bool = False, epsilon: float = 1e-6, reduction: str = "mean", name: str | None = None):
        super().__init__()
        self.name = name
        self.full, self.epsilon = full, epsilon
        self.reduction = checked_reduction("GaussianNLLLoss", reduction)

    def forward(self, input: Any, label: Any, variance: Any) -> Any:
        """The loss."""
        return F.gaussian_nll_loss(input, label, variance, self.full, self.epsilon, self.reduction, name=self.name)


class PoissonNLLLoss(Layer):
    """exp(input) - label * input, without `log_input` input - label * log(input + epsilon).

    >>> import proa as paddle
    >>> round(paddle.nn.PoissonNLLLoss()(paddle.zeros([2]), paddle.ones([2])).item(), 3)
    1.0
    """

    def __init__(self, log_input: bool = True, full: bool = False, epsilon: float = 1e-8, reduction: str = "mean",
                 name: str | None = None):
        super().__init__()
        if epsilon <= 0:
            raise ValueError(f"PoissonNLLLoss(epsilon): must be positive. Received {epsilon}.")
        self.log_input, self.full, self.epsilon = log_input, full, epsilon
        self.reduction = checked_reduction("PoissonNLLLoss", reduction)

    def forward(self, input: Any, label: Any) -> Any:
        """The loss."""
        return F.poisson_nll_loss(input, label, self.log_input, self.full, self.epsilon, self.reduction)
