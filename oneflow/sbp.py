"""`flow.sbp`: how values are divided among devices, by other names than `flow.distribute`'s. There is one device."""

from __future__ import annotations

from .distribute import BroadcastDistribute, Distribute, split


class _Broadcast(BroadcastDistribute):
    """Every device has all of it. Calling it gives it too."""

    def __call__(self) -> _Broadcast:
        """Itself."""
        return self


class PartialSum(Distribute):
    """Every device has a part of the sum. Calling it gives it too."""

    def __call__(self) -> PartialSum:
        """Itself."""
        return self

    def __repr__(self) -> str:
        return "partial_sum"


broadcast, partial_sum = _Broadcast(), PartialSum()

__all__ = ["broadcast", "partial_sum", "split"]
