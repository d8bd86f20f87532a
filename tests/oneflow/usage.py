"""How many of OneFlow 0.6.0's public names are here: `python -m tests.oneflow.usage [--missing] [--refused]`.

A name is there, refused with a reason (`proa/oneflow/refused.py`), or missing.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NAMES = Path(__file__).parents[1] / "fixtures" / "oneflow" / "names.json"


def public_names() -> Iterator[str]:
    """The names below `oneflow`, such as `math.add`."""
    for module, names in json.loads(NAMES.read_text("utf-8")).items():
        yield from (f"{module}.{name}".lstrip(".") for name in names)


def state(name: str) -> str:
    """'there', 'refused' or 'missing'."""
    value: Any = importlib.import_module("proa.oneflow")
    try:
        for part in name.split("."):
            value = getattr(value, part)
    except AttributeError as error:
        return "refused" if "is not supported: " in str(error) else "missing"
    return "there"


def main(arguments: list[str]) -> int:
    """Prints the counts, and the names that are asked for."""
    states = {name: state(name) for name in public_names()}
    for kind in ("there", "refused", "missing"):
        found = [name for name, its in states.items() if its == kind]
        print(f"{kind}: {len(found)}")
        if f"--{kind}" in arguments:
            print(*(f"    {name}" for name in found), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
