"""`paddle.batch`: batches of what a reader gives."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any


def batch(reader: Callable[[], Iterable[Any]], batch_size: int,
          drop_last: bool = False) -> Callable[[], Iterator[list[Any]]]:
    """A reader of lists of `batch_size` items of `reader`, which is a function that gives an iterable.

    The last list may be shorter; `drop_last` leaves it out. Raises ValueError for a batch_size below 1.

    >>> import proa as paddle
    >>> list(paddle.batch(lambda: range(3), 2)())
    [[0, 1], [2]]
    """
    if int(batch_size) < 1:
        raise ValueError(f"batch(batch_size): must be at least 1. Received {batch_size}.")

    def batches() -> Iterator[list[Any]]:
        items = iter(reader())
        while found := list(itertools.islice(items, int(batch_size))):
            if len(found) == batch_size or not drop_last:
                yield found

    return batches
