"""`fluid.DataFeedDesc`: how lines of text files are read, from a file in protobuf's text form."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Any

from ..core.lazy import listed

__all__ = ["DataFeedDesc"]
__dir__ = listed(__name__)

_FIELD = re.compile(r'\s*(?:(\w+)\s*:\s*("(?:[^"\\]|\\.)*"|[\w.+-]+)|(\w+)\s*:?\s*\{|(\}))\s*')
_SLOT = {"name": '""', "type": '""', "is_dense": "false", "is_used": "false"}


class DataFeedDesc:
    """The name of what reads, the size of batches, and the slots of a line: name, type, dense or not, used or not.

    `proto_file` holds them: `name: "MultiSlotDataFeed" batch_size: 2 multi_slot_desc { slots { name: "words" type:
    "uint64" } }`. ValueError where it is not of that form.
    """

    def __init__(self, proto_file: str | os.PathLike):
        with open(proto_file, encoding="utf-8") as file:
            self._fields, self._slots = _read(file.read(), os.fspath(proto_file))

    def set_batch_size(self, batch_size: int) -> None:
        """How many lines a batch has."""
        self._fields["batch_size"] = str(int(batch_size))

    def set_dense_slots(self, dense_slots_name: Iterable[str]) -> None:
        """The slots, by their names, whose values are as many in each line."""
        self._set("set_dense_slots", dense_slots_name, "is_dense")

    def set_use_slots(self, use_slots_name: Iterable[str]) -> None:
        """The slots, by their names, that are fed."""
        self._set("set_use_slots", use_slots_name, "is_used")

    def _set(self, what: str, names: Iterable[str], field: str) -> None:
        known = {slot["name"].strip('"'): slot for slot in self._slots}
        for name in names:
            if name not in known:
                raise ValueError(f"DataFeedDesc.{what}: there is no slot {name!r}. There are {list(known)}.")
            known[name][field] = "true"

    def desc(self) -> str:
        """All of it in protobuf's text form."""
        lines = [f"{name}: {self._fields[name]}" for name in ("name", "batch_size") if name in self._fields]
        lines.append("multi_slot_desc {")
        for slot in self._slots:
            lines += ["  slots {", *(f"    {name}: {value}" for name, value in slot.items()), "  }"]
        others = [f"{name}: {value}" for name, value in self._fields.items() if name not in ("name", "batch_size")]
        return "\n".join([*lines, "}", *others]) + "\n"


def _read(text: str, path: str) -> tuple[dict[str, str], list[dict[str, str]]]:
    fields, slots = {"batch_size": "32", "pipe_command": '"cat"'}, list[dict[str, str]]()
    within: list[str] = []
    of: dict[str, dict[str, str]] = {"": fields}
    place, end = 0, len(text.rstrip())
    while place < end:
        found: Any = _FIELD.match(text, place)
        if found is None or (found[4] and not within):
            raise ValueError(f"DataFeedDesc({path!r}): line {text.count(chr(10), 0, place) + 1} is not of the form "
                             "`name: value` or `name {{ … }}`.")
        if found[1]:
            of[within[-1] if within else ""][found[1]] = found[2]
        elif found[3]:
            within.append(found[3])
            of[found[3]] = {}
            if found[3] == "slots":
                slots.append(dict(_SLOT))
                of["slots"] = slots[-1]
        else:
            within.pop()
        place = found.end()
    if within:
        raise ValueError(f"DataFeedDesc({path!r}): `{within[-1]} {{` is not closed.")
    return fields, slots
