"""Which of the user's lines is running: the innermost frame outside this package."""

from __future__ import annotations

import sys

PACKAGE = __name__.partition(".")[0]


def _is_ours(module: str) -> bool:
    return module == PACKAGE or module.startswith(PACKAGE + ".")


def user_line() -> str:
    """'FILE:LINE' of the user's code that led here; empty when there is none."""
    frame = sys._getframe(1)
    while frame is not None:
        if not _is_ours(frame.f_globals.get("__name__", "")):
            return f"{frame.f_code.co_filename}:{frame.f_lineno}"
        frame = frame.f_back  # type: ignore[assignment]
    return ""
