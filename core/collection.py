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
