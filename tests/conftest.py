"""Puts the folders of helpers that several test files share on the path: tests are not part of the package."""

import os
import sys
from pathlib import Path

os.environ.setdefault("FLAGS_verify_passes", "1")  # every Program that a test compiles is checked after every pass
os.environ.setdefault("FLAGS_kernel_after_elements", "0")  # what has a kernel is computed by it from the first call on

for folder in ("", "aliasing", "ops", "jit", "backend", "backend/kernels", "static", "static/compiler",
               "random_numbers"):
    sys.path.insert(0, str(Path(__file__).parent / folder))
