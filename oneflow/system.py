"""`flow.system`: assign, an older place of `flow.assign`."""

from __future__ import annotations

from typing import Any

from .array.choosing import assign as write


def assign(ref: Any, value: Any, validate_shape: bool | None = None, use_locking: bool | None = None,
           name: str | None = None) -> Any:
    """Writes a value to a variable, as `flow.assign`, and gives the variable."""
    write(ref, value)
    return ref


__all__ = ["assign"]
