"""Puts the folders of helpers that several test files share on the path: tests are not part of the package."""

import sys
from pathlib import Path

for folder in ("", "ops", "jit"):
    sys.path.insert(0, str(Path(__file__).parent / folder))
