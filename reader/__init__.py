"""Readers of Paddle 1.x: functions that give generators of samples, and functions that make of such readers others.

`paddle.reader`. New code has `paddle.io.Dataset` and `paddle.io.DataLoader`.
"""

from . import decorator
from .decorator import (
    ComposeNotAligned,
    buffered,
    cache,
    chain,
    compose,
    firstn,
    map_readers,
    multiprocess_reader,
    shuffle,
    xmap_readers,
)

__all__ = [
    "ComposeNotAligned", "buffered", "cache", "chain", "compose", "firstn", "map_readers", "multiprocess_reader",
    "shuffle", "xmap_readers",
]
