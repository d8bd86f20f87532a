"""What a Program that reads its own input holds of its readers: where the batch of each run comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class EOFException(Exception):
    """A reader has no further batch: the epoch is over. `paddle.fluid.core.EOFException`.

    `Executor.run` raises it for a Program with a reader that is not iterable. Fix: catch it, and `reset` the reader:

        reader.start()
        try:
            while True:
                exe.run(main, fetch_list=[loss])
        except fluid.core.EOFException:
            reader.reset()
    """


class BatchSource(Protocol):
    """Gives the values of some variables of a Program, batch by batch. Copies of the Program share it."""

    @property
    def names(self) -> Sequence[str]:
        """The variables that a batch fills."""
        ...

    @property
    def drop_last(self) -> bool:
        """Whether batches are left out at the end that are too few for all devices."""
        ...

    def take(self) -> dict[str, Any]:
        """The next batch by the names of the variables; raises EOFException behind the last one."""
        ...
