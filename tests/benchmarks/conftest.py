"""Makes `benchmarks` importable as the worker does: it lies beside the package, not in it."""

import importlib.util
import os
import sys

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "benchmarks")

spec = importlib.util.spec_from_file_location(
    "benchmarks", os.path.join(FOLDER, "__init__.py"), submodule_search_locations=[FOLDER])
sys.modules["benchmarks"] = importlib.util.module_from_spec(spec)
