"""`flow.placement` and `flow.sbp`: where a tensor lies and how it is divided, of which there is one way here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class placement:
    """The devices that a tensor is on: `flow.placement("cpu", ranks=[0])`. With one process there is rank 0 alone.

    >>> import proa.oneflow as flow
    >>> flow.placement("cpu", ranks=[0])
    oneflow.placement(type="cpu", ranks=[0])
    """

    def __init__(self, type: str, ranks: Any = (0,), *others: Any):
        if type not in ("cpu", "cuda"):
            raise ValueError(f"placement(type): must be 'cpu' or 'cuda'. Received {type!r}.")
        found = sorted({int(n) for rank in (ranks.values() if isinstance(ranks, dict) else [ranks])
                        for n in (rank if isinstance(rank, Sequence) else [rank])})
        if found != [0]:
            raise ValueError(f"placement(ranks): with one process there is rank 0 alone. Received {ranks!r}.")
        self.type, self.ranks = type, [0]

    @staticmethod
    def all(type: str) -> placement:
        """All devices of a type: the one of rank 0."""
        return placement(type, [0])

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, placement) and other.type == self.type

    def __hash__(self) -> int:
        return hash(self.type)

    def __repr__(self) -> str:
        return f'oneflow.placement(type="{self.type}", ranks=[0])'
