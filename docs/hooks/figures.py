"""Figures of the first page, taken from the pages that say how they were measured, so that they are said once.

`{figure: ROW | COLUMN}` is a cell of a table of performance.md, without its spread; `{names: weighted}` the share of
used names that api.md tells.
"""

from __future__ import annotations

import os
import re
from typing import Any

DOCS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    return filled(markdown) if page.file.src_uri == "index.md" else markdown


def filled(markdown: str) -> str:
    markdown = re.sub(r"\{figure: (.+?) \| (.+?)\}", lambda asked: figure(asked[1], asked[2]), markdown)
    return markdown.replace("{names: weighted}", weighted_names())


def _read(name: str) -> str:
    with open(os.path.join(DOCS, name), encoding="utf-8") as file:
        return file.read()


def figure(row: str, column: str) -> str:
    """The cell of the first table that has both; a KeyError where none has."""
    heads: list[str] = []
    for line in _read("performance.md").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            heads = []
        elif not heads:
            heads = cells
        elif cells[0] == row and column in heads:
            return cells[heads.index(column)].split(" (")[0].replace(" ± ", "±").split("±")[0] + _unit(
                cells[heads.index(column)])
    raise KeyError(f"performance.md has no row {row!r} with a column {column!r}, which index.md asks for")


def _unit(cell: str) -> str:
    """The unit behind a spread: of `4.54 ± 0.84 ms` that of the whole."""
    return "\u00a0" + cell.split()[-1] if "±" in cell else ""


def weighted_names() -> str:
    found = re.search(r"weighted by how often they are used, ([\d.]+%)", _read("api.md"))
    if found is None:
        raise KeyError("api.md does not say which share of used names is here, which index.md asks for")
    return found[1]
