"""What is fed, in the dtype that a Program has for it."""

from __future__ import annotations

from typing import Any

import numpy as np


def in_dtype(variable: Any, array: Any) -> Any:
    """The array in the variable's dtype; TypeError where it is of another kind.

    uint16 for a bfloat16 variable are bfloat16's bits, as PaddlePaddle has them in NumPy.
    """
    if array.dtype == variable.dtype.dtype:
        return array
    if array.dtype == np.uint16 and variable.dtype.name == "bfloat16":
        return array.view(variable.dtype.dtype)
    if not np.can_cast(array.dtype, variable.dtype.dtype, "same_kind"):
        raise TypeError(
            f"feed: {variable.name!r} takes dtype {variable.dtype.name}. Received dtype {array.dtype}. "
            f"Convert it with .astype('{variable.dtype.name}')."
        )
    return array.astype(variable.dtype.dtype)
