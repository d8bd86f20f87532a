"""coalesce_tensor: values one behind the other in one array, so that one exchange serves many of them.

In Paddle they then share memory: what is written to one of them, or to the whole, is seen in the other. Here values do
not change; a compiled plan puts the whole together before it is read, and takes it apart before the values are
(`static/compiler/coalesced.py`).
"""

from typing import Any

import numpy as np

from ...core.dtype import DType, float32
from ..core.infer import product
from ..core.operator import operator
from ..core.spec import Spec


def _coalesce(xp, x, *, dtype: DType = float32, copy_data: bool = False, set_constant: bool = False,
              constant: float = 0.0, check_name: bool = False, persist_output: bool = False, use_align: bool = True,
              align_size: int = -1, user_defined_size_of_dtype: int = -1):
    if copy_data:
        whole = xp.concatenate([each.reshape(-1) for each in x]).astype(dtype.dtype, copy=False)
    else:
        whole = xp.full(sum(each.size for each in x), constant if set_constant else 0, dtype.dtype)
    return [part.copy() for part in _parts(whole, [each.shape for each in x])], whole


def _parts(whole: Any, shapes: list[tuple[int, ...]]) -> list[Any]:
    ends = np.cumsum([0, *(int(np.prod(shape, dtype=int)) for shape in shapes)])
    return [whole[begin:end].reshape(shape) for begin, end, shape in zip(ends[:-1], ends[1:], shapes, strict=True)]


def _infer_coalesced(x, *, dtype=float32, **_):
    sizes = [product(spec.shape) for spec in x]
    return [Spec(spec.shape, dtype) for spec in x], Spec((-1 if -1 in sizes else sum(sizes),), dtype)


def _whole(xp, x):
    return xp.concatenate([each.reshape(-1) for each in x])


def _infer_whole(x):
    sizes = [product(spec.shape) for spec in x]
    return Spec((-1 if -1 in sizes else sum(sizes),), x[0].dtype)


coalesce_op = operator("coalesce_tensor", "Input* -> Output*, FusedOutput", kernel=_coalesce, infer=_infer_coalesced)
whole_op = operator("coalesced_whole", "X* -> Out", kernel=_whole, infer=_infer_whole, moves=True, only_here=True)
parts_op = operator("coalesced_parts", "X, Like* -> Out*~X", moves=True, only_here=True,
                    kernel=lambda xp, x, like: _parts(x, [each.shape for each in like]),
                    infer=lambda x, like: ([Spec(each.shape, x.dtype) for each in like],))
