"""The place in the user's source that is running: generated code has the user's own file and lines.

Knows frames alone.
"""

from __future__ import annotations

import sys

from ..errors import place


def here() -> str:
    """The nearest place outside the operators, as errors print it."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame = frame.f_back
    return place(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)
