"""`paddle.jit.sot.opcode_translator`, a path to what was translated."""

from . import executor

__all__ = ["executor"]
