"""The garbage collector (`gc`) rests while much is made that stays: it would look at all of it, for nothing."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def resting() -> Iterator[None]:
    """Within the block nothing is collected, unless somebody asks; where nothing was before, that stays so."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextlib.contextmanager
def staying() -> Iterator[None]:
    """As `resting`, for what is made once and stays: afterwards only a collection of everything looks at it.

    The young objects of a process, all that there are then, become its old ones: `gc.unfreeze` gives what is frozen to
    the oldest generation, without a look at it. Where the user has frozen objects of their own, nothing is moved.
    """
    is_outermost = gc.isenabled()
    with resting():
        yield
        if is_outermost and not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()
