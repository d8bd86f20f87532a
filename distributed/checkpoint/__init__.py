"""`paddle.distributed.checkpoint`: files of state that is divided among processes; here each has the whole state."""

from __future__ import annotations

from typing import Any

from ...core.absent import asked_of
from ..refusals import SHARDS, refuse

__all__ = ["load_state_dict", "save_state_dict"]
__getattr__ = asked_of(__name__)


def save_state_dict(state_dict: dict[str, Any], path: str, process_group: Any = None,
                    coordinator_rank: int = 0) -> None:
    """Would save each process's part: NotImplementedError."""
    refuse("paddle.distributed.save_state_dict", SHARDS)


def load_state_dict(state_dict: dict[str, Any], path: str, process_group: Any = None,
                    coordinator_rank: int = 0) -> None:
    """Would load each process's part: NotImplementedError."""
    refuse("paddle.distributed.load_state_dict", SHARDS)
