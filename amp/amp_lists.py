"""Which operators `auto_cast` computes in 16 bits, and which it keeps in 32, by dtype and level."""

from __future__ import annotations

import functools

from ..ops.amp import lists


@functools.lru_cache(maxsize=64)
def types_of(names: frozenset[str]) -> frozenset[str]:
    """The types of the operators that a user's list names: as files have them, or as Paddle's functions are called.

    Eager code for Paddle says "divide" where a Program has "elementwise_div". What ends in "_grad" is the gradient's.
    """
    if not names:
        return names
    from ..static.files.pir.operators import correspondences  # loaded where somebody has a list

    found = correspondences()
    bare = {name: name.removesuffix("_grad") for name in names}
    return names | {found[called].type + name[len(called):] for name, called in bare.items() if called in found}


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
