"""CHANGELOG.md and CONTRIBUTING.md, which stand in the repository's root, as pages."""

from __future__ import annotations

import os
from typing import Any

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}


def on_files(files: Any, config: Any) -> Any:
    from mkdocs.structure.files import File

    for source, page in PAGES.items():
        with open(os.path.join(ROOT, source), encoding="utf-8") as file:
            files.append(File.generated(config, page, content=file.read().replace("](docs/", "](")))
    return files
