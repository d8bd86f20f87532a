"""`paddle.static.amp.fp16_lists`: the lists of operators of mixed precision, by Paddle's path."""

from __future__ import annotations

from typing import Any

from ...core.absent import refusal
from ...core.dtype import DType, convert_dtype
from ...ops.amp import lists
from .lists import AutoMixedPrecisionLists, CustomOpLists


def check_amp_dtype(dtype: Any) -> None:
    """Raises ValueError unless the dtype is float16 or bfloat16.

    >>> from proa.static.amp.fp16_lists import check_amp_dtype
    >>> check_amp_dtype("bfloat16")
    """
    if convert_dtype(dtype).name not in ("float16", "bfloat16"):
        raise ValueError(f"amp: the dtype must be 'float16' or 'bfloat16'. Received {dtype!r}.")


def get_low_precision_vartype(dtype: Any) -> DType:
    """The dtype, which must be float16 or bfloat16."""
    check_amp_dtype(dtype)
    return convert_dtype(dtype)


def get_low_precision_dtypestr(dtype: Any) -> str:
    """The name of the dtype, which must be float16 or bfloat16."""
    return get_low_precision_vartype(dtype).name


def __getattr__(name: str) -> Any:
    """`white_list` and `black_list`, which are what the operators' declarations say."""
    if name in ("white_list", "black_list"):
        return set(getattr(lists, name)())
    raise refusal(__name__, name)


__all__ = ["AutoMixedPrecisionLists", "CustomOpLists", "check_amp_dtype", "get_low_precision_dtypestr",
           "get_low_precision_vartype"]
