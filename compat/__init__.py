"""Answers `import paddle` with proa, for scripts and packages that are not to be changed."""

from .alias import install

__all__ = ["install"]
