"""What functions take. From Python 3.14 on annotations are computed when they are asked for, and may name what is not
there yet: such ones stay as they are written.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any

_LEFT: dict[str, Any] = {}
if sys.version_info >= (3, 14):
    import annotationlib

    _LEFT = {"annotation_format": annotationlib.Format.FORWARDREF}


def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """A function's signature; ValueError where a compiled one does not tell, TypeError where it is no function."""
    return inspect.signature(function, **_LEFT)
