"""Functions that conversion cannot read: their source is not to be had, or this Python is newer than what it knows.

There is no upper bound on Python's version: what a new one changes of syntax trees and bytecode may matter to a
function or not. Where it does, the function runs as it was written, with this reason. Knows versions and errors only.
"""

from __future__ import annotations

import sys

OLDEST, NEWEST = (3, 10), (3, 14)  # the versions of Python that conversion knows


class SourceUnavailable(OSError):
    """The source of a function could not be had: made by `exec`, typed at a prompt, or its file has changed."""


def newer_python(error: Exception) -> str | None:
    """What an error says of conversion by a Python that is newer than those known; None where this one is known."""
    running = sys.version_info[:2]
    if running <= NEWEST:
        return None
    return (f"conversion knows Python {_text(OLDEST)} to {_text(NEWEST)}, and could not read it as {_text(running)} "
            f"has it: {type(error).__name__}: {error}")


def _text(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"
