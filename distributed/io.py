"""`paddle.distributed.io`: the persistable variables of a Program in files, one each or all in one."""

from __future__ import annotations

from typing import Any

from ..core.absent import asked_of
from ..static.files.save_vars import is_persistable, load_vars, save_vars

__all__ = ["is_persistable", "load_persistables", "save_persistables"]
__getattr__ = asked_of(__name__)


def save_persistables(executor: Any, dirname: str, main_program: Any = None, filename: str | None = None) -> Any:
    """Saves parameters and other persistable variables of a Program in a folder; in one file where that is named."""
    return save_vars(executor, dirname, main_program, None, is_persistable, filename)


def load_persistables(executor: Any, dirname: str, main_program: Any = None, filename: str | None = None) -> None:
    """Loads what `save_persistables` has saved."""
    load_vars(executor, dirname, main_program, None, is_persistable, filename)
