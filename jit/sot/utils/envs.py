"""Blocks that set how Paddle's translator of bytecode works. Results are the same within and outside of them here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def strict_mode_guard(value: bool) -> Iterator[None]:
    """A block, or a decorator: functions that cannot become Programs run as they were written either way.

    >>> import proa as paddle
    >>> with paddle.jit.sot.utils.strict_mode_guard(False):
    ...     pass
    """
    yield


@contextmanager
def min_graph_size_guard(value: int) -> Iterator[None]:
    """A block, or a decorator: a Program is made of a function of any number of operations."""
    yield


@contextmanager
def cost_model_guard(value: bool) -> Iterator[None]:
    """A block, or a decorator: whether a Program pays is not measured."""
    yield
