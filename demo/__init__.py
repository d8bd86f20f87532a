"""The main job, end to end, on real handwriting: `python -m proa demo`."""

from .main import main

__all__ = ["main"]
