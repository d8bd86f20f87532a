"""Lengths as masks and beams as sequences: sequence_mask, gather_tree."""


from typing import Any

from ...core import dtype as dt
from ...core.dtype import DType, convert_dtype
from ..array.full import is_value, whole
from ..core.infer import check_same_shape
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import in_dtype


def _sequence_mask(xp, x, max_len_tensor=None, *, maxlen: int = -1, out_dtype: DType = dt.int64):
    if max_len_tensor is not None:
        maxlen = int(max_len_tensor.reshape(()))
    elif maxlen < 0:
        maxlen = int(x.max()) if x.size else 0
    return (xp.arange(maxlen) < x[..., None]).astype(out_dtype.dtype)


def _infer_mask(x, max_len_tensor=None, *, maxlen=-1, out_dtype=dt.int64):
    return Spec((*x.shape, maxlen if max_len_tensor is None else -1), out_dtype)


def _with_int32_length(x: Any, max_len_tensor: Any = None, **attrs: Any) -> tuple[tuple, dict[str, Any]]:
    return (x, None if max_len_tensor is None else in_dtype(max_len_tensor, dt.int32)), attrs


sequence_mask_op = operator("sequence_mask", "X, MaxLenTensor? -> Y", kernel=_sequence_mask, infer=_infer_mask,
                            adapted=_with_int32_length, lod="drop")


def sequence_mask(x: Any, maxlen: Any = None, dtype: Any = "int64", name: str | None = None) -> Any:
    """1 at the positions below each length in x, else 0: [..., maxlen] for x [...].

    `maxlen`: an int or a tensor of one element; by default the greatest length, which a Program need not know before
    it runs. Raises ValueError for a negative maxlen.

    >>> import proa as paddle
    >>> paddle.nn.functional.sequence_mask(paddle.to_tensor([1, 3])).tolist()
    [[1, 0, 0], [1, 1, 1]]
    """
    tensor = maxlen if is_value(maxlen) else None
    number = -1 if maxlen is None or tensor is not None else whole(maxlen)
    if maxlen is not None and tensor is None and number < 0:
        raise ValueError(f"sequence_mask(maxlen): must not be negative. Received {maxlen}.")
    return apply(sequence_mask_op, x, tensor, maxlen=number, out_dtype=convert_dtype(dtype))


def _gather_tree(xp, ids, parents):
    result = xp.empty_like(ids)
    steps, batch, width = ids.shape
    if steps and parents.size and (int(parents.min()) < 0 or int(parents.max()) >= width):
        raise ValueError(f"gather_tree(ids, parents): parents must lie in [0, {width}), the beams. "
                         f"Received {int(parents.min())} to {int(parents.max())}.")
    rows = xp.arange(batch)[:, None]
    beam = xp.broadcast_to(xp.arange(width), (batch, width))
    for t in range(steps - 1, -1, -1):
        result[t] = ids[t][rows, beam]
        beam = parents[t][rows, beam]
    return result


def _infer_tree(ids, parents):
    if ids.rank != 3 or parents.rank != 3:
        raise ValueError(f"gather_tree(ids, parents): both must be [steps, batch, beams]. Received "
                         f"{list(ids.shape)} and {list(parents.shape)}.")
    check_same_shape("gather_tree(ids, parents)", ids, parents)
    return ids


gather_tree_op = operator("gather_tree", "Ids, Parents -> Out", kernel=_gather_tree, infer=_infer_tree, fails="values",
                          lod="drop")


def gather_tree(ids: Any, parents: Any) -> Any:
    """The whole sequences of a beam search, from its last step back: all are [steps, batch, beams] of integers.

    `ids` are the symbols of each step, and `parents` the beams of the step before that they came from.

    >>> import proa as paddle
    >>> ids, parents = paddle.to_tensor([[[5, 6]], [[7, 8]]]), paddle.to_tensor([[[0, 0]], [[1, 0]]])
    >>> paddle.nn.functional.gather_tree(ids, parents).tolist()
    [[[6, 5]], [[7, 8]]]
    """
    return apply(gather_tree_op, ids, parents)
