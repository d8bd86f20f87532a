"""How much of the Fluid code that was counted runs here: `python -m tests.fluid.usage FILE [--missing]`.

FILE is a table `name TAB uses TAB files` with a head line. A row counts as there where its name is found, as under
`proa run --api 1.8`, and calling it does nothing but refuse it no more than Paddle does.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_MISSING: Any = object()


def found(name: str) -> Any:
    """What a name such as `paddle.fluid.layers.fc` stands for; `_MISSING` where there is nothing."""
    parts = name.replace("paddle", "proa", 1).split(".")
    value: Any = importlib.import_module(parts[0])
    for depth, part in enumerate(parts[1:], 1):
        inner = getattr(value, part, _MISSING)
        if inner is _MISSING and inspect.ismodule(value):
            try:
                inner = importlib.import_module(".".join(parts[:depth + 1]))
            except ImportError:
                return _MISSING
        if inner is _MISSING:
            return _MISSING
        value = inner
    return value


def refuses(value: Any) -> bool:
    """Whether calling it can do nothing but raise NotImplementedError, as its documentation says."""
    return (inspect.getdoc(value) or "").startswith(("Not supported", "Raises NotImplementedError"))


def rows(path: Path) -> Iterable[tuple[str, int]]:
    """The names that count, with their uses."""
    for line in path.read_text("utf-8").splitlines()[1:]:
        name, uses, _ = line.split("\t")
        yield name, int(uses)


def main(arguments: list[str]) -> int:
    """Prints the share, and the rows that are missing where that is asked for."""
    total = there = 0
    missing = []
    for name, uses in rows(Path(arguments[0])):
        total += uses
        value = found(name)
        if value is _MISSING or refuses(value):
            missing.append((uses, name, "refused" if value is not _MISSING else "not there"))
        else:
            there += uses
    print(f"{there} of {total} uses: {100 * there / total:.2f} %")
    if "--missing" in arguments:
        for uses, name, why in missing:
            print(f"{uses:5} {name}: {why}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
