"""`paddle.jit.sot`: functions as Programs by the path of Paddle's translator of bytecode. Conversion is `to_static`'s."""

from . import opcode_translator, psdb, utils
from .translate import symbolic_translate

__all__ = ["opcode_translator", "psdb", "symbolic_translate", "utils"]
