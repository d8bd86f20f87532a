"""What a Tensor is made of: the forms in which `paddle.Tensor(…)` is given it, the oldest ones by position."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.dtype import DType
from ..core.place import Place

_OF_VALUE = ("data", "place", "persistable", "zero_copy", "name", "stop_gradient")
_OF_TENSOR = ("data", "place", "name")
_OF_SIZES = ("dtype", "dims", "name", "type", "persistable")
_USUAL = ("data", "dtype", "place", "stop_gradient")


def parts(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments by name; `data` are zeros where sizes (`dims`) are given, and nothing (None) where nothing is."""
    second = args[1] if len(args) > 1 else None
    names: tuple[str, ...] = _USUAL
    if args and isinstance(args[0], DType):
        names = _OF_SIZES
    elif isinstance(second, Place):
        names = _OF_TENSOR if len(args) > 2 and isinstance(args[2], str) else _OF_VALUE
    if len(args) > len(names):
        raise TypeError(f"Tensor(…): takes {', '.join(names)}. Received {len(args)} arguments by position.")
    found = dict(zip(names, args, strict=False))
    for name, given in kwargs.items():
        name = "data" if name == "value" else name
        if name in found or name not in {*_OF_VALUE, *_OF_SIZES}:
            raise TypeError(f"Tensor(…): {name!r} is given twice." if name in found else
                            f"Tensor(…): there is no argument {name!r}.")
        found[name] = given
    if "dims" in found:
        found["data"] = np.zeros([int(size) for size in found["dims"]])
    return found
