"""Results of a function that are None in some runs: the Program gives a flag and a content, and the run chooses.

Knows nested structures alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...core import nest


class OptionalResult(NamedTuple):
    """What a run gives for a value that is None where the flag does not hold."""

    flag: Any
    content: Any


def flags_of(result: Any) -> list[Any]:
    """What says of the parts of a result whether they are None."""
    if type(result) is OptionalResult:
        return [result.flag, *flags_of(result.content)]
    parts = result.values() if isinstance(result, dict) else result if isinstance(result, (list, tuple)) else ()
    return [flag for part in parts for flag in flags_of(part)]


def chosen(value: Any) -> Any:
    """What a run has come to, with None or the content for each OptionalResult."""
    if type(value) is OptionalResult:
        return chosen(value.content) if bool(value.flag) else None
    if isinstance(value, dict):
        return nest.alike(value, {key: chosen(part) for key, part in value.items()})
    if isinstance(value, (list, tuple)):
        return nest.alike(value, [chosen(part) for part in value])
    return value
