"""The slots of an operator, from the text in which its declaration gives them.

`"X, Bias?, Rest* -> Out, Mask"` declares a required, an optional and a repeated input, and two outputs. An output
written `ParamOut=Param` is the input `Param` with a new value. An output written `XShape!` exists in files only, for
Paddle's sake: its shape is that of the first input behind a 0, and no kernel computes it.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Slot(NamedTuple):
    """One input or output of an operator."""

    name: str
    optional: bool = False
    many: bool = False
    file_only: bool = False
    alias: str | None = None


_SLOT = re.compile(r"(\w+)(\*?)(\??)(!?)(?:=(\w+))?")


def _parse_slot(text: str) -> Slot:
    match = _SLOT.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"Not a slot: {text!r}. A slot is a name, then any of * ? !, then =INPUT for an alias.")
    name, many, optional, file_only, alias = match.groups()
    return Slot(name, bool(optional), bool(many), bool(file_only), alias)


def parse_signature(text: str) -> tuple[tuple[Slot, ...], tuple[Slot, ...]]:
    """The input and output slots of a signature such as `"X, Y -> Out"`."""
    left, arrow, right = text.partition("->")
    if not arrow:
        raise ValueError(f"A signature reads 'inputs -> outputs'. Received {text!r}.")
    sides = [tuple(_parse_slot(part) for part in side.split(",") if part.strip()) for side in (left, right)]
    return sides[0], sides[1]
