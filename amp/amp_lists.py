"""Which operators `auto_cast` computes in 16 bits, and which it keeps in 32, by dtype and level."""

from __future__ import annotations

from ..ops.amp import lists


def white_list() -> dict[str, dict[str, set[str]]]:
    """The operators that are computed in 16 bits whatever they are given, by dtype and level ("OD", "O1", "O2").

    >>> import proa as paddle
    >>> "matmul_v2" in paddle.amp.white_list()["float16"]["O1"]
    True
    """
    return {dtype: {level: set(lists.white_list(dtype, level)) for level in ("OD", "O1", "O2")}
            for dtype in ("float16", "bfloat16")}


def black_list() -> dict[str, dict[str, set[str]]]:
    """The operators that are kept in 32 bits, by dtype and level ("OD", "O1", "O2").

    >>> import proa as paddle
    >>> "softmax" in paddle.amp.black_list()["bfloat16"]["O1"]
    True
    """
    return {dtype: {level: set(lists.black_list(dtype, level)) for level in ("OD", "O1", "O2")}
            for dtype in ("float16", "bfloat16")}
