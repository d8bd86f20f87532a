"""Losses of sequences and of very many classes: ctc_loss, rnnt_loss, hsigmoid_loss, margin_cross_entropy."""

from __future__ import annotations

from typing import Any

from ...ops.array.full import value_of
from ...ops.array.reshape import squeeze, unsqueeze
from ...ops.core.trace import apply
from ...ops.loss.class_sampling import class_center_sample
from ...ops.loss.ctc import warpctc_op
from ...ops.loss.hierarchical_sigmoid import hierarchical_sigmoid_op
from ...ops.loss.margin_cross_entropy import margin_cross_entropy_op
from ...ops.loss.transducer import warprnnt_op
from ...ops.math.casting import cast
from ...ops.math.elementwise import divide
from ...ops.math.reduce import mean, sum
from .loss import check_reduction, reduced

__all__ = ["class_center_sample", "ctc_loss", "hsigmoid_loss", "margin_cross_entropy", "rnnt_loss"]


def ctc_loss(log_probs: Any, labels: Any, input_lengths: Any, label_lengths: Any, blank: int = 0,
             reduction: str = "mean", norm_by_times: bool = False) -> Any:
    """-log of the probability that softmax(log_probs) reads as the labels, repeats merged and blanks dropped.

    log_probs [steps, batch, classes] are scores, which softmax normalizes; labels [batch, symbols] of int32, and both
    lengths [batch] of int64. A label that does not fit into its steps has the loss 0 and no gradient. 'mean' divides
    each loss by the length of its label first. `norm_by_times` divides the gradients, and not the losses, by the
    numbers of steps. Raises ValueError for lengths or labels out of range.

    After "Connectionist Temporal Classification" (Graves et al., 2006).

    >>> import proa as paddle
    >>> lengths = paddle.to_tensor([2]), paddle.to_tensor([1])
    >>> labels = paddle.to_tensor([[1]], dtype="int32")
    >>> round(float(paddle.nn.functional.ctc_loss(paddle.zeros([2, 1, 2]), labels, *lengths)), 4)
    0.2877
    """
    check_reduction("ctc_loss", reduction)
    loss = apply(warpctc_op, log_probs, labels, input_lengths, label_lengths, [], [], blank=blank,
                 norm_by_times=norm_by_times)[0]
    loss = squeeze(loss, [-1])
    if reduction == "mean":
        loss = divide(loss, cast(label_lengths, loss.dtype))
    return reduced(loss, reduction)


def rnnt_loss(input: Any, label: Any, input_lengths: Any, label_lengths: Any, blank: int = 0,
              fastemit_lambda: float = 0.001, reduction: str = "mean", name: str | None = None) -> Any:
    """-log of the sum over all alignments of a transducer.

    input holds log probabilities [batch, steps, symbols + 1, C]; label [batch, symbols] and both lengths [batch] are
    of int32. The gradient of the symbols is multiplied by 1 + fastemit_lambda ("FastEmit", Yu et al., 2021). Give
    log_softmax of the scores: nothing is normalized here.

    After "Sequence Transduction with Recurrent Neural Networks" (Graves, 2012).

    >>> import proa as paddle
    >>> scores = paddle.nn.functional.log_softmax(paddle.zeros([1, 1, 2, 2]))
    >>> label, one = paddle.to_tensor([[1]], dtype="int32"), paddle.to_tensor([1], dtype="int32")
    >>> round(float(paddle.nn.functional.rnnt_loss(scores, label, one, one)), 4)
    1.3863
    """
    check_reduction("rnnt_loss", reduction)
    loss = apply(warprnnt_op, input, label, input_lengths, label_lengths, blank=blank,
                 fastemit_lambda=float(fastemit_lambda))[0]
    return reduced(loss, reduction, name)


def hsigmoid_loss(input: Any, label: Any, num_classes: int, weight: Any, bias: Any = None, path_table: Any = None,
                  path_code: Any = None, is_sparse: bool = False, name: str | None = None) -> Any:
    """The cross entropy [N, 1] of the way to each label through a tree of classes: log(classes) products, not classes.

    input [N, D], label [N] or [N, 1], weight [num_classes - 1, D], bias [num_classes - 1, 1]. The tree is a complete
    one unless path_table [N, L], the inner nodes on each way (negative: none), and path_code, its turns, are given.
    As in PaddlePaddle log(2) is added for each place by which a way is shorter than the longest. `is_sparse`, which
    concerns how gradients are held there, is passed over.

    After "Hierarchical Probabilistic Neural Network Language Model" (Morin and Bengio, 2005).

    >>> import proa as paddle
    >>> x, label, weight = paddle.zeros([1, 2]), paddle.to_tensor([3]), paddle.zeros([3, 2])
    >>> round(float(paddle.nn.functional.hsigmoid_loss(x, label, 4, weight)), 4)
    1.3863
    """
    return apply(hierarchical_sigmoid_op, input, weight, label, path_table, path_code, bias, num_classes=num_classes,
                 is_sparse=is_sparse)[0]


def margin_cross_entropy(logits: Any, label: Any, margin1: float = 1.0, margin2: float = 0.5, margin3: float = 0.0,
                         scale: float = 64.0, group: Any = None, return_softmax: bool = False,
                         reduction: str | None = "mean") -> Any:
    """Cross entropy of cosines [N, C]: the label's angle t counts as cos(margin1 * t + margin2) - margin3.

    All are multiplied by `scale`. label is [N] or [N, 1]; losses are [N, 1] with reduction None (or 'none').
    `return_softmax` gives the softmax too, through which no gradient flows. Raises NotImplementedError for a `group` of
    several processes.

    After "ArcFace" (Deng et al., 2019).

    >>> import proa as paddle
    >>> cosines, label = paddle.to_tensor([[1.0, 0.0]]), paddle.to_tensor([0])
    >>> round(float(paddle.nn.functional.margin_cross_entropy(cosines, label, 1.0, 0.0, 0.0, 1.0)), 4)
    0.3133
    """
    logits, label = value_of(logits), value_of(label)
    if group not in (None, False):
        raise NotImplementedError("margin_cross_entropy(group): classes are not spread over processes here. Leave "
                                  "group out, or give False.")
    check_reduction("margin_cross_entropy", reduction or "none")
    if len(label.shape) == len(logits.shape) - 1:
        label = unsqueeze(label, -1)
    softmax, loss = apply(margin_cross_entropy_op, logits, label, return_softmax=return_softmax, ring_id=0, rank=0,
                          nranks=1, margin1=float(margin1), margin2=float(margin2), margin3=float(margin3),
                          scale=float(scale))
    loss = mean(loss) if reduction == "mean" else sum(loss) if reduction == "sum" else loss
    return (loss, softmax) if return_softmax else loss
