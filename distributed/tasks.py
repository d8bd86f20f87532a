"""What a collective gives: a task that can be waited for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..backend.comm.communicator import Pending
from ..backend.comm.exchanges import Exchange
from ..ops.core.trace import grad_mode


class Task:
    """An exchange of tensors: its results are there once it was waited for, or at once where `sync_op` was True."""

    def __init__(self, pending: Exchange | Pending | None = None, take: Callable[[Any], None] = lambda result: None):
        self._pending, self._take = pending, take

    def is_completed(self) -> bool:
        """Whether the exchange is over, so that waiting takes no time."""
        return self._pending is None or self._pending.is_completed()

    def wait(self, timeout: Any = None) -> bool:
        """Waits for the exchange and puts its results where they belong. Raises what the exchange raised."""
        if self._pending is not None:
            result = self._pending.wait()
            self._pending = None
            with grad_mode(False):
                self._take(result)
        return True

    synchronize = wait


def exchange(do: Callable[[], Any], take: Callable[[Any], None], at_once: bool,
             begin: Callable[[Callable[[], Any]], Any]) -> Task:
    """Has `do` exchange and gives its result to `take`: now, or when the task that `begin` gives is waited for."""
    if at_once:
        with grad_mode(False):
            take(do())
        return Task()
    return Task(begin(do), take)
