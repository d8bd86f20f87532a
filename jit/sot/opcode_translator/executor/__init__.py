"""`paddle.jit.sot.opcode_translator.executor`, a path to what was translated."""

from . import executor_cache

__all__ = ["executor_cache"]
