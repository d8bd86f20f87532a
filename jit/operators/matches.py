"""`match`: Python's own, unless it would compare sizes that are not known yet.

Knows what is symbolic.
"""

from __future__ import annotations

from typing import Any

from ..errors import ConversionError
from . import staging
from .where import here


def subject(value: Any) -> Any:
    """What a `match` with numbers in its patterns looks at; ConversionError for a list with symbolic numbers."""
    if isinstance(value, (list, tuple)) and any(staging.is_symbolic(v) and not v.shape for v in value):
        raise ConversionError(
            here(), "this `match` compares numbers, such as sizes, that are known only when the program runs.",
            "Use `if`, which becomes part of the program, or sizes that are known (no None in the InputSpec).")
    return value
