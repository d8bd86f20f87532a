"""`paddle.distributed.passes`: what would rewrite Programs for several processes."""

from __future__ import annotations

from typing import Any

from ...core.lazy import listed
from ..refusals import PASSES, refuse

__all__ = ["PassContext", "PassManager", "new_pass"]
__dir__ = listed(__name__)


class PassContext:
    """What passes would share: NotImplementedError.

    >>> import proa as paddle
    >>> paddle.distributed.passes.PassContext()
    Traceback (most recent call last):
        ...
    NotImplementedError: paddle.distributed.passes.PassContext: passes that rewrite Programs for several...
    """

    def __init__(self) -> None:
        refuse("paddle.distributed.passes.PassContext", PASSES)


class PassManager:
    """Would apply passes in order: NotImplementedError.

    >>> import proa as paddle
    >>> paddle.distributed.passes.PassManager([])
    Traceback (most recent call last):
        ...
    NotImplementedError: paddle.distributed.passes.PassManager: passes that rewrite Programs for several...
    """

    def __init__(self, passes: Any, context: Any = None, auto_solve_conflict: bool = True):
        refuse("paddle.distributed.passes.PassManager", PASSES)


def new_pass(name: str, pass_attrs: Any = None) -> Any:
    """Would make a pass: NotImplementedError.

    >>> import proa as paddle
    >>> paddle.distributed.passes.new_pass("fuse_all_reduce")
    Traceback (most recent call last):
        ...
    NotImplementedError: paddle.distributed.passes.new_pass: passes that rewrite Programs for several...
    """
    refuse("paddle.distributed.passes.new_pass", PASSES)
