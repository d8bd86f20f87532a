"""hierarchical_sigmoid: the cross entropy of the way through a binary tree of classes.

The way to a label goes by inner nodes `index[j]`, where it turns by `code[j]`, 0 or 1; the loss is the sum over j of
log(1 + exp(p[j])) - code[j] * p[j], with p[j] = x · weight[index[j]] + bias[index[j]] cut to [-40, 40]. Unless other
ways are given, they are those of a complete tree. As in PaddlePaddle each place beyond the end of a way shorter than
the longest adds log(2), which no gradient sees.
After "Hierarchical Probabilistic Neural Network Language Model" (Morin and Bengio, 2005).
"""


from typing import Any

from ...core import dtype as dt
from ..array.full import full_of_shape
from ..array.gather import gather_op, put_at_op
from ..array.gradient_shapes import reshape_to
from ..array.reshape import reshape, squeeze, unsqueeze
from ..array.unknown_sizes import size_at
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import cast, dtype_of, in_dtype
from ..math.reduce import sum as reduce_sum
from ..nn.activation import sigmoid

_CUT = 40.0


def _depth(classes: int) -> int:
    return (classes - 1).bit_length()


def _way(xp, label, table=None, codes=None, *, num_classes: int):
    """The nodes of each label's way, its turns, and which of them count; [N, L] each."""
    if table is not None:
        if codes is None or codes.shape != table.shape:
            raise ValueError("hsigmoid_loss(path_table, path_code): both must be given, with one shape.")
        inside = table >= 0
        return xp.where(inside, table, 0).astype("int64"), xp.where(inside, codes, 0).astype("int64"), inside
    number = label.reshape(-1, 1).astype("int64")
    if number.size and (int(number.min()) < 0 or int(number.max()) >= num_classes):
        raise ValueError(f"hsigmoid_loss(input, label): labels must lie in [0, {num_classes}). "
                         f"Received labels from {int(number.min())} to {int(number.max())}.")
    bit = xp.arange(_depth(num_classes))
    leaf = number + num_classes
    index = (leaf >> (bit + 1)) - 1
    inside = index >= 0
    return xp.where(inside, index, 0), xp.where(inside, (leaf >> bit) & 1, 0), inside


def _infer_way(label, table=None, codes=None, *, num_classes):
    shape = table.shape if table is not None else (label.shape[0], _depth(num_classes))
    return Spec(shape, dt.int64), Spec(shape, dt.int64), Spec(shape, dt.bool_)


way_op = operator("hierarchical_way", "Label, PathTable?, PathCode? -> Index, Code, Inside", kernel=_way,
                  infer=_infer_way, only_here=True, fails="values")


def _hierarchical_sigmoid(xp, x, w, label, table=None, codes=None, bias=None, *, num_classes: int = 2,
                          is_sparse: bool = False):
    index, code, inside = _way(xp, label, table, codes, num_classes=num_classes)
    scores = xp.einsum("nd,nld->nl", x, w[index])
    if bias is not None:
        scores = scores + bias.reshape(-1)[index]
    scores = xp.where(inside, xp.clip(scores, -_CUT, _CUT), 0).astype(x.dtype)
    softplus = xp.log1p(xp.exp(scores))
    return (softplus - code.astype(x.dtype) * scores).sum(1, keepdims=True, dtype=x.dtype), softplus


def _infer(x, w, label, table=None, codes=None, bias=None, *, num_classes=2, is_sparse=False):
    if x.rank != 2 or w.rank != 2 or (x.shape[1] != w.shape[1] and -1 not in (x.shape[1], w.shape[1])):
        raise ValueError(f"hsigmoid_loss(input, weight): input must be [N, D] and weight [nodes, D]. Received "
                         f"{list(x.shape)} and {list(w.shape)}.")
    if num_classes < 2:
        raise ValueError(f"hsigmoid_loss(num_classes): must be at least 2. Received {num_classes}.")
    depth = _depth(num_classes) if table is None else table.shape[1]
    return Spec((x.shape[0], 1), x.dtype), Spec((x.shape[0], depth), x.dtype)


def _gradients(g: Any, X: Any, W: Any, W_shape: Any, Label: Any, PathTable: Any, PathCode: Any, Bias: Any,
               Bias_shape: Any, num_classes: int) -> tuple[Any, Any, Any]:
    """The gradients of the inputs, of the rows of the weight and of the bias."""
    dtype = dtype_of(X)
    index, code, inside = apply(way_op, Label, PathTable, PathCode, num_classes=num_classes)
    flat = reshape(index, [-1])
    depth, width = size_at(index, -1), size_at(W, -1)
    rows = reshape(apply(gather_op, W, flat, None, axis=0), [-1, depth, width])
    scores = reduce_sum(rows * unsqueeze(X, 1), 2)
    if Bias is not None:
        scores = scores + reshape(apply(gather_op, reshape(Bias, [-1]), flat, None, axis=0), [-1, depth])
    counted = cast(inside, dtype) * cast(scores < _CUT, dtype) * cast(scores > -_CUT, dtype)
    slope = unsqueeze((sigmoid(scores) - cast(code, dtype)) * counted * g, 2)
    of_rows = reshape(slope * unsqueeze(X, 1), [-1, width])
    of_weight = apply(put_at_op, full_of_shape(W_shape, 0.0, dtype), flat, of_rows, None, axis=0)
    of_bias = None
    if Bias is not None:
        nothing = reshape(full_of_shape(Bias_shape, 0.0, dtype), [-1])
        of_bias = reshape_to(apply(put_at_op, nothing, flat, reshape(squeeze(slope, 2), [-1]), None, axis=0),
                             Bias_shape)
    return reduce_sum(slope * rows, 1), of_weight, of_bias


def _with_int64_labels(x: Any, w: Any, label: Any, table: Any = None, code: Any = None, bias: Any = None,
                       **attrs: Any) -> tuple[tuple, dict[str, Any]]:
    whole = [None if value is None else in_dtype(value, dt.int64) for value in (label, table, code)]
    return (x, w, *whole, bias), attrs


hierarchical_sigmoid_op = operator(
    "hierarchical_sigmoid", "X, W, Label, PathTable?, PathCode?, Bias? -> Out, PreOut&", kernel=_hierarchical_sigmoid,
    infer=_infer, adapted=_with_int64_labels, grad={"X, W, Bias": _gradients}, fails="values", lod="first")
