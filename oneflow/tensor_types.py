"""`flow.FloatTensor`, `flow.LongTensor`, …: tensors of a type, of sizes or of data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core import dtype as dt
from ..core.dtype import DType
from .tensors import Tensor

_tensor: Any = Tensor


def _of(dtype: DType) -> Callable[..., Any]:
    def make(*args: Any, device: Any = None, requires_grad: bool = False) -> Any:
        """A tensor of this type: of sizes, `(2, 3)`, or of data, `([2, 3])`."""
        return _tensor(*args, device=device, dtype=dtype, requires_grad=requires_grad)

    return make


FloatTensor, DoubleTensor, HalfTensor = _of(dt.float32), _of(dt.float64), _of(dt.float16)
LongTensor, IntTensor, CharTensor = _of(dt.int64), _of(dt.int32), _of(dt.int8)
ByteTensor, BoolTensor = _of(dt.uint8), _of(dt.bool_)
