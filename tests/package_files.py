"""The source files of the package: not those of tests, documents, or an environment that lies in the checkout."""

from collections.abc import Iterator
from pathlib import Path

import proa

ROOT = Path(proa.__file__).parent
BESIDE = ("tests", "benchmarks", "docs", "examples", "build")


def package_files() -> Iterator[Path]:
    """Each module, those of the root first; what installs the package is none of it."""
    yield from sorted(set(ROOT.glob("*.py")) - {ROOT / "setup.py"})
    for folder in sorted(ROOT.iterdir()):
        if (folder / "__init__.py").exists() and folder.name not in BESIDE:
            yield from sorted(folder.rglob("*.py"))
