"""The operators that PaddlePaddle 2.6.2 has not, or cannot run: a file that holds one is proa's alone."""

from __future__ import annotations

from collections.abc import Iterable

from ...ops.core.operator import find, is_declared


def unknown_to_paddle(types: Iterable[str]) -> list[str]:
    """Those of the operators' types that PaddlePaddle has no operator for, or none that runs, in order."""
    return sorted(type for type in set(types) if is_declared(type) and find(type).only_here)
