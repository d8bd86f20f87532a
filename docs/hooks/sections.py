"""`tutorials/*` in mkdocs.yml's nav stands for the pages of that folder, in the order of their names' numbers."""

from __future__ import annotations

import posixpath
from typing import Any


def on_files(files: Any, config: Any) -> Any:
    config.nav = [_filled(entry, files) for entry in config.nav]
    config.nav = [entry for entry in config.nav if entry is not None]
    return files


def _filled(entry: Any, files: Any) -> Any:
    (title, target), = entry.items()
    if not (isinstance(target, str) and target.endswith("/*")):
        return entry
    folder = target.removesuffix("/*")
    pages = sorted(file.src_uri for file in files.documentation_pages() if posixpath.dirname(file.src_uri) == folder)
    pages.sort(key=lambda path: not path.endswith("/index.md"))  # the folder's own page comes first
    return {title: pages} if pages else None
