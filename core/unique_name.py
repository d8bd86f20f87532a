"""Unique names for parameters, layers and variables: a counter for each key, and guards that start afresh.

The counters decide the names that go into files (`linear_0.w_0`), so a guard gives a model built again the same names.
"""

from __future__ import annotations

import contextlib
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any


class UniqueNameGenerator:
    """Counts each key upwards from 0; `prefix` is put before every name."""

    def __init__(self, prefix: str = ""):
        self.prefix = prefix
        self.counts: defaultdict[str, int] = defaultdict(int)

    def __call__(self, key: str) -> str:
        """The next name for `key`, behind the prefix."""
        number = self.counts[key]
        self.counts[key] += 1
        return f"{self.prefix}{key}_{number}"


    @property
    def ids(self) -> defaultdict[str, int]:
        """The counters, as `counts`."""
        return self.counts


_current = [UniqueNameGenerator()]


class _Drawn(threading.local):
    """The names that this thread has drawn, where someone wants to know: generator, key, number."""

    log: list[tuple[UniqueNameGenerator, str, int]] | None = None


_drawn = _Drawn()


def generate(key: str) -> str:
    """The next name for `key`: `key_0`, `key_1`…

    >>> from proa.core import unique_name
    >>> with unique_name.guard():
    ...     unique_name.generate("fc"), unique_name.generate("fc")
    ('fc_0', 'fc_1')
    """
    generator = _current[0]
    if _drawn.log is not None:
        _drawn.log.append((generator, key, generator.counts[key]))
    return generator(key)


def generate_with_ignorable_key(key: str) -> str:
    """A name for something whose own name nobody asks for: `dygraph_tmp_0`, `dygraph_tmp_1`, whatever the key."""
    return generate("dygraph_tmp")


def generator() -> UniqueNameGenerator:
    """The generator in charge."""
    return _current[0]


@contextlib.contextmanager
def drawing() -> Iterator[Callable[[], None]]:
    """Gives a function that makes the names free again that this thread has drawn within the block.

    A name after which another thread has drawn one of the same key stays taken.
    """
    log: list[tuple[UniqueNameGenerator, str, int]] = []
    old, _drawn.log = _drawn.log, log

    def give_back() -> None:
        for generator, key, number in reversed(log):
            if generator.counts[key] == number + 1:
                generator.counts[key] = number
        log.clear()

    try:
        yield give_back
    finally:
        _drawn.log = old
        if old is not None:
            old.extend(log)


@contextlib.contextmanager
def given_back_on_failure() -> Iterator[None]:
    """Names that this thread draws within the block are free again if it ends in an exception."""
    with drawing() as give_back:
        try:
            yield
        except BaseException:
            give_back()
            raise


def switch(new_generator: UniqueNameGenerator | None = None,
           new_para_name_checker: Any = None) -> tuple[UniqueNameGenerator, Any]:
    """Puts another generator (a fresh one by default) in charge; the one it replaces, and None.

    `new_para_name_checker` has no meaning here: names of parameters are checked where they are made.

    >>> import proa as paddle
    >>> kept = paddle.utils.unique_name.switch()
    >>> paddle.utils.unique_name.generate("fc")
    'fc_0'
    >>> _ = paddle.utils.unique_name.switch(*kept)
    """
    old, _current[0] = _current[0], new_generator or UniqueNameGenerator()
    return old, None


@contextlib.contextmanager
def guard(new_generator: UniqueNameGenerator | str | None = None) -> Iterator[None]:
    """Within the block names count from 0 again, behind `new_generator` as prefix when that is a string.

    >>> import proa as paddle
    >>> with paddle.utils.unique_name.guard():
    ...     one = paddle.nn.Linear(2, 2).weight.name
    >>> with paddle.utils.unique_name.guard():
    ...     other = paddle.nn.Linear(2, 2).weight.name
    >>> one == other
    True
    """
    if isinstance(new_generator, (str, bytes)):
        prefix = new_generator if isinstance(new_generator, str) else new_generator.decode()
        new_generator = UniqueNameGenerator(prefix)
    old, _ = switch(new_generator)
    try:
        yield
    finally:
        switch(old)
