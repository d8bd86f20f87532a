"""A reader of the batches that are this process's, of several that train together."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any


def distributed_batch_reader(batch_reader: Callable[[], Iterable[Any]]) -> Callable[[], Iterator[Any]]:
    """A reader of every n-th batch, beginning with this process's own number.

    How many processes there are, and which this is, a launcher says in PADDLE_TRAINERS_NUM and PADDLE_TRAINER_ID: one
    and 0 otherwise. Batches that are left over at the end, too few for all, are left out. Raises ValueError for a
    number that is not below that of the processes.

    >>> import proa.fluid as fluid
    >>> list(fluid.contrib.reader.distributed_batch_reader(lambda: range(3))())
    [0, 1, 2]
    """
    count = int(os.environ.get("PADDLE_TRAINERS_NUM", 1))
    number = int(os.environ.get("PADDLE_TRAINER_ID", 0))
    if not 0 <= number < count:
        raise ValueError(f"distributed_batch_reader: PADDLE_TRAINER_ID must be below PADDLE_TRAINERS_NUM. "
                         f"Received {number} and {count}.")

    def batches() -> Iterator[Any]:
        found = iter(batch_reader())
        while len(group := list(islice(found, count))) == count:
            yield group[number]

    return batches
