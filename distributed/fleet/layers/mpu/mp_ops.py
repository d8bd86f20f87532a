"""Exchanges between the parts of a divided layer: with one process the part is the whole.

`_c_identity` would sum gradients over processes, `_mp_allreduce` values; `_c_split` and `_c_concat` divide the last
dimension and put it together. `group` must have one process. Packages of Paddle's import these names.
"""

from __future__ import annotations

from typing import Any

from .....nn import functional as F
from ....collectives import ReduceOp
from ....environment import require_one_process


def _c_identity(tensor: Any, group: Any = None, skip_c_identity_dynamic: bool = False) -> Any:
    return _whole("_c_identity", tensor)


def _c_concat(tensor: Any, group: Any = None) -> Any:
    return _whole("_c_concat", tensor)


def _c_split(tensor: Any, group: Any = None) -> Any:
    return _whole("_c_split", tensor)


def _mp_allreduce(tensor: Any, op: int = ReduceOp.SUM, group: Any = None, use_calc_stream: bool = True,
                  use_model_parallel: bool = True, skip_c_identity_dynamic: bool = False) -> Any:
    return _whole("_mp_allreduce", tensor)


def _c_lookup_table(table: Any, index: Any, start_index: int = 0, vocab_size: int = -1, name: str | None = None) -> Any:
    """Rows of a table whose first one has the number `start_index`."""
    require_one_process("_c_lookup_table")
    return F.embedding(index - start_index if start_index else index, table)


def _c_softmax_with_cross_entropy(logits: Any, label: Any, group: Any = None, return_softmax: bool = False,
                                  ignore_index: int = -100) -> Any:
    """The cross entropy of each element, [..., 1], of logits [..., classes] and class numbers [...] or [..., 1]."""
    require_one_process("_c_softmax_with_cross_entropy")
    if label.ndim == logits.ndim - 1:
        label = label.unsqueeze(-1)
    return F.softmax_with_cross_entropy(logits, label, ignore_index=ignore_index, return_softmax=return_softmax)


def _whole(function: str, tensor: Any) -> Any:
    require_one_process(function)
    return tensor
