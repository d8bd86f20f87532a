"""The lists of operators by which a Program is cast."""

from __future__ import annotations

from collections.abc import Iterable

from ...ops.amp.autocast import Precision, precision
from ...ops.amp.lists import black_list, white_list


class AutoMixedPrecisionLists:
    """Which operators compute in 16 bits and which in float32, by Paddle's types: the usual ones, changed.

    What reads or writes a variable of `custom_black_varnames` computes in float32. ValueError where the custom lists
    overlap, or for another dtype than 'float16' and 'bfloat16'.

    >>> import proa as paddle
    >>> lists = paddle.static.amp.CustomOpLists(custom_black_list=["conv2d"])
    >>> "conv2d" in lists.black_list, "matmul_v2" in lists.white_list
    (True, True)
    """

    def __init__(self, custom_white_list: Iterable[str] | None = None, custom_black_list: Iterable[str] | None = None,
                 custom_black_varnames: Iterable[str] | None = None, dtype: str = "float16"):
        if dtype not in ("float16", "bfloat16"):
            raise ValueError(f"CustomOpLists(dtype): must be 'float16' or 'bfloat16'. Received {dtype!r}.")
        self.amp_dtype = dtype
        self._white, self._black = frozenset(custom_white_list or ()), frozenset(custom_black_list or ())
        if self._white & self._black:
            raise ValueError(f"CustomOpLists: {sorted(self._white & self._black)} stand on both lists.")
        self.white_list = set((white_list(dtype) | self._white) - self._black)
        self.black_list = set((black_list(dtype) - self._white) | self._black)
        self.black_varnames = frozenset(custom_black_varnames or ())

    def precision(self, level: str, promotes: bool) -> Precision:
        """What decides the dtypes at a level."""
        return precision(self.amp_dtype, level, self._white, self._black, promotes)


CustomOpLists = AutoMixedPrecisionLists
