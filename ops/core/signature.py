"""The slots of an operator, from the text in which its declaration gives them.

`"X, Bias?, Rest* -> Out, Mask"` declares a required, an optional and a repeated input, and two outputs. What an output
has to do with the inputs' memory stands behind its name:

- `Out~X` may be a view of X: it may lie in the memory of X, at some shapes, dtypes or attributes. `Out~X~Y`: of either.
- `MeanOut=Mean` is the input Mean with a new value, in memory of its own, or Mean itself where that has not changed.
- `ParamOut:=Param` is the same, written into the memory of the input where that may be written to.
- An output without any of these lies in memory of its own.

`lod^X` are the offsets of X (its LoD, see `static/ir/lod.py`): a list of int64 vectors, the outermost level
first, empty where X has none; of an output `lod^Out` those that it has from then on. Files do not hold them.

An input `dim@` is one that files keep as an attribute: the name of a variable in the place of a number, or several
names. An operator that has such inputs `stands_for` the one that files name.

A caller that appends operations by their slots need not name an output `Index?`, which is of use to some alone, nor
`Mask&`, which only the gradient reads (PaddlePaddle calls it intermediate). The kernel gives them all the same.

An output written `XShape!` exists in files only, for Paddle's sake: its shape is that of the first input behind a 0,
and no kernel computes it.
"""

from __future__ import annotations

import functools
import re
from typing import NamedTuple


class Slot(NamedTuple):
    """One input or output of an operator."""

    name: str
    optional: bool = False
    """Whether an input may be missing, or a result be left unnamed."""
    many: bool = False
    file_only: bool = False
    alias: str | None = None
    """The input that this output is with a new value."""
    writes: bool = False
    """Whether the new value is written into the memory of the old one."""
    views: tuple[str, ...] = ()
    """The inputs in whose memory this output may lie; not the one of `alias`."""
    offsets_of: str | None = None
    """The slot on the same side whose offsets this one holds."""
    is_attribute: bool = False
    """Whether files have it as an attribute."""
    for_gradient: bool = False
    """Whether this output is there for the gradient alone."""

    @property
    def nothing(self) -> list | None:
        """What a kernel gets where nothing is given: offsets are a list, which may be empty."""
        return [] if self.offsets_of else None


_SLOT = re.compile(r"(\w+(?:-\w+)*)(\*?)(@?)(\??)(!?)(&?)(?:\^(\w+))?(?:(:?)=(\w+))?((?:~\w+)*)")


@functools.cache  # most operators have slots that others have
def _parse_slot(text: str) -> Slot:
    match = _SLOT.fullmatch(text)
    if match is None:
        raise ValueError(f"Not a slot: {text!r}. A slot is a name, then any of * @ ? ! &, then ^SLOT for the offsets "
                         "of a slot, =INPUT or :=INPUT for a new value of an input, ~INPUT for each input that it may "
                         "be a view of.")
    name, many, attribute, optional, file_only, for_gradient, offsets_of, writes, alias, views = match.groups()
    return Slot(name, bool(optional), bool(many or offsets_of), bool(file_only), alias, bool(writes),
                tuple(views.split("~")[1:]), offsets_of, bool(attribute),
                bool(for_gradient or file_only and not optional))


def parse_signature(text: str) -> tuple[tuple[Slot, ...], tuple[Slot, ...]]:
    """The input and output slots of a signature such as `"X, Y -> Out"`."""
    left, arrow, right = text.partition("->")
    if not arrow:
        raise ValueError(f"A signature reads 'inputs -> outputs'. Received {text!r}.")
    sides = [[part.strip() for part in side.split(",")] for side in (left, right)]
    inputs, outputs = (tuple([_parse_slot(part) for part in side if part]) for side in sides)
    names = {slot.name for slot in inputs}
    for slot in outputs:
        for of in (*slot.views, *([slot.alias] if slot.alias else [])):
            if of not in names:
                raise ValueError(f"The output {slot.name} names {of!r}, which is no input. Received {text!r}.")
    for side in (inputs, outputs):
        for slot in side:
            if slot.offsets_of and slot.offsets_of not in {other.name for other in side}:
                raise ValueError(f"{slot.name} holds the offsets of {slot.offsets_of!r}, which is no slot on its side. "
                                 f"Received {text!r}.")
    return inputs, outputs


Pairs = tuple[tuple[int, int], ...]
"""(result, input), or slots of one side, by their positions."""


def new_values(results: tuple[Slot, ...], inputs: tuple[Slot, ...]) -> Pairs:
    """The results that are inputs with a new value."""
    names = [slot.name for slot in inputs]
    return tuple((i, names.index(slot.alias)) for i, slot in enumerate(results) if slot.alias)


def offsets(slots: tuple[Slot, ...]) -> Pairs:
    """The slots that hold offsets, with the slots that these are of."""
    names = [slot.name for slot in slots]
    return tuple((i, names.index(slot.offsets_of)) for i, slot in enumerate(slots) if slot.offsets_of)


def views(results: tuple[Slot, ...], inputs: tuple[Slot, ...]) -> Pairs:
    """The results that may be views of inputs."""
    names = [slot.name for slot in inputs]
    return tuple((i, names.index(name)) for i, slot in enumerate(results) for name in slot.views)
