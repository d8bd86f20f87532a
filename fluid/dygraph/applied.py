"""What the layers of dynamic mode share: a bias, an activation, sizes that are given as one or several ints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ops.core.operator import find
from ...ops.core.trace import apply


def biased(x: Any, bias: Any, axis: int) -> Any:
    """x + bias, which stands at the dimension `axis` of x; x without one."""
    return x if bias is None else apply(find("elementwise_add"), x, bias, axis=axis)


def activated(x: Any, act: str | None) -> Any:
    """What an activation, named by its operator, makes of x."""
    return x if act is None else apply(find(act), x)


def sizes(value: int | Sequence[int], count: int, name: str) -> list[int]:
    """`count` ints: those of a sequence, or one for all; ValueError for another number of them."""
    if isinstance(value, (int,)):
        return [value] * count
    result = [int(n) for n in value]
    if len(result) != count:
        raise ValueError(f"{name}: must be an int or {count} of them. Received {list(value)}.")
    return result


def channels(given: dict[str, Any], x: Any, *others: Any) -> int:
    """The channels of an input [N, C, …]."""
    return int(x.shape[1])
