"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.oneflow.utils`."""

from . import data

__all__ = ['data']
