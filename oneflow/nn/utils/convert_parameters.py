"""Parameters as one vector, and back."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ...functions.arrays import cat, reshape


def parameters_to_vector(parameters: Iterable[Any]) -> Any:
    """The elements of all parameters, one behind the other."""
    return cat([reshape(p, -1) for p in parameters])


def vector_to_parameters(vec: Any, parameters: Iterable[Any]) -> None:
    """Gives parameters the elements of a vector."""
    begin = 0
    for parameter in parameters:
        count = math.prod(parameter.shape)
        parameter.data = reshape(vec[begin:begin + count], *parameter.shape).detach()
        begin += count
