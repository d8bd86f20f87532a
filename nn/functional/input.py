"""Numbers as vectors, masks and sequences: embedding, one_hot, diag_embed, sequence_mask, gather_tree."""

from __future__ import annotations

from typing import Any

from ...ops.array.assign import one_hot
from ...ops.array.diagonal import diag_embed
from ...ops.core.infer import check_rank
from ...ops.core.trace import apply, drawing
from ...ops.nn.embedding import lookup_op
from ...ops.sequence.masks import gather_tree, sequence_mask

__all__ = ["diag_embed", "embedding", "gather_tree", "one_hot", "sequence_mask"]


def embedding(x: Any, weight: Any, padding_idx: int | None = None, sparse: bool = False,
              name: str | None = None) -> Any:
    """The rows of `weight` [n, d] that the integers in x [...] name: [..., d].

    The row `padding_idx` (negative: counted from the end) counts as zeros and gets no gradient. With `sparse` the
    gradient of `weight` on the host holds the rows looked up and costs by them: `weight.grad` then answers True to
    `is_selected_rows()`, and is the whole matrix to whatever asks for its value. Raises ValueError for a number outside
    [0, n).

    >>> import proa as paddle
    >>> table = paddle.to_tensor([[1.0], [2.0], [3.0]])
    >>> paddle.nn.functional.embedding(paddle.to_tensor([2, 0]), table).tolist()
    [[3.0], [1.0]]
    """
    check_rank("embedding(weight)", weight, 2)
    rows = weight.shape[0]
    if padding_idx is None:
        padding_idx = -1
    elif rows < 0 and padding_idx < 0:
        raise ValueError(f"embedding(x, weight, padding_idx): to count {padding_idx} from the end, the number of rows "
                         "must be known. Declare weight's first size, or count from 0.")
    elif rows >= 0 and not -rows <= padding_idx < rows:
        raise ValueError(f"embedding(x, weight, padding_idx): padding_idx must lie in [{-rows}, {rows}). "
                         f"Received {padding_idx}.")
    elif padding_idx < 0:
        padding_idx += rows
    drawing("embedding", name)
    return apply(lookup_op, x, weight, is_sparse=sparse, padding_idx=padding_idx, remote_prefetch=sparse)
