"""Answers `import paddle` with proa, for scripts and packages that are not to be changed; `paddle.compat` of 1.x."""

from .alias import install
from .texts import floor_division, get_exception_message, int_type, long_type, round, to_bytes, to_text

__all__ = ["floor_division", "get_exception_message", "install", "int_type", "long_type", "round", "to_bytes",
           "to_text"]
