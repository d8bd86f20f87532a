"""`flow._C`: what OneFlow's own Python code calls its functions by, and some scripts too.

They are those of `flow` and `flow.nn.functional`; `gather` looks rows up along an axis.
"""

from __future__ import annotations

import importlib
from typing import Any

from ..ops.array import gather as gathering
from ..ops.array import reshape as reshaping
from .charge import flowing

__all__ = ["amp_white_identity", "gather"]


@flowing
def gather(x: Any, indices: Any, axis: int = 0) -> Any:
    """What stands at indices of any shape along an axis.

    >>> import proa.oneflow as flow
    >>> flow._C.gather(flow.tensor([1.0, 2.0]), flow.tensor([[1], [0]]), axis=0).tolist()
    [[2.0], [1.0]]
    """
    axis %= len(x.shape)
    found = gathering.gather(x, reshaping.flatten(indices), axis)
    return reshaping.reshape(found, [*x.shape[:axis], *indices.shape, *x.shape[axis + 1:]])


def amp_white_identity(x: Any) -> Any:
    """The value: what computes with it decides its precision."""
    return x


def __getattr__(name: str) -> Any:
    if not name.startswith("_"):
        for module in (f"{__package__}.nn.functional", str(__package__)):
            found = getattr(importlib.import_module(module), name, None)
            if callable(found):
                return found
    raise AttributeError(f"flow._C has no {name!r}: it has the functions of flow and of flow.nn.functional.")
