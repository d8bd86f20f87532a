"""`paddle.distributed.passes`: what would rewrite Programs for several processes."""

from __future__ import annotations

from typing import Any

from ..refusals import PASSES, refuse

__all__ = ["PassContext", "PassManager", "new_pass"]


class PassContext:
    """What passes would share: NotImplementedError."""

    def __init__(self) -> None:
        refuse("paddle.distributed.passes.PassContext", PASSES)


class PassManager:
    """Would apply passes in order: NotImplementedError."""

    def __init__(self, passes: Any, context: Any = None, auto_solve_conflict: bool = True):
        refuse("paddle.distributed.passes.PassManager", PASSES)


def new_pass(name: str, pass_attrs: Any = None) -> Any:
    """Would make a pass: NotImplementedError."""
    refuse("paddle.distributed.passes.new_pass", PASSES)
