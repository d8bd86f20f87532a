"""Forks of the process wait for what they must not cut in two: a module half imported, a kernel half compiled.

A forked child has one thread. A lock that another thread of the parent held stays held there for ever, so whoever takes
locks for longer than a moment (importing takes some as well) does it in a block `with unforked():`. Locks that are
taken too often for that, such as those of random generators, are named to `held_by_forks`: a fork takes them itself.

What waits here must not hold what is waited for: `logging` has a fork take its lock too, and what is imported makes
loggers. Of what is to be done before a fork the latest comes first, so this is registered behind logging's.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

PATIENCE = 10.0  # seconds that a fork waits at most: what it waits for might wait for the thread that forks

_changed = threading.Condition()
_inside: dict[int, int] = {}  # how many blocks each thread is in
_forking: set[int] = set()  # the threads that want to fork
_named: list[Callable[[], Iterable[Any]]] = []
_held: list[Any] = []  # the locks that the fork has taken
_registering = threading.Lock()
_is_registered = False


def held_by_forks(locks: Callable[[], Iterable[Any]]) -> None:
    """Lets forks take the locks that `locks()` gives, and give them back in the parent and in the child."""
    _register()
    _named.append(locks)


@contextlib.contextmanager
def unforked() -> Iterator[None]:
    """Within the block, other threads do not fork: they wait until it ends. Any number of threads may be in one.

    Take it before the locks that it is for: a thread that is in no block yet waits here for those that want to fork.
    """
    _register()
    thread = threading.get_ident()
    with _changed:
        if thread not in _inside:
            _changed.wait_for(lambda: not _forking - {thread})
        _inside[thread] = _inside.get(thread, 0) + 1
    try:
        yield
    finally:
        with _changed:
            _inside[thread] -= 1
            if not _inside[thread]:
                del _inside[thread]
                _changed.notify_all()


def _before() -> None:
    _changed.acquire()
    thread = threading.get_ident()
    _forking.add(thread)
    _changed.wait_for(lambda: not _inside.keys() - {thread}, PATIENCE)
    for locks in _named:
        for lock in locks():
            lock.acquire()
            _held.append(lock)


def _release() -> None:
    while _held:
        _held.pop().release()


def _in_parent() -> None:
    _release()
    _forking.discard(threading.get_ident())
    _changed.notify_all()
    _changed.release()


def _in_child() -> None:
    global _changed
    _release()
    _changed = threading.Condition()
    thread = threading.get_ident()
    for other in _inside.keys() - {thread}:
        del _inside[other]
    _forking.clear()


def _register() -> None:
    """Has forks wait, from now on."""
    global _is_registered
    if _is_registered:
        return
    import logging  # noqa: F401  # which registers its own

    with _registering:
        if not _is_registered and hasattr(os, "register_at_fork"):
            os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
        _is_registered = True
