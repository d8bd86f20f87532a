"""`paddle.jit.sot`: functions as Programs, by the path of Paddle's translator of bytecode. `to_static` converts."""

from . import opcode_translator, psdb, utils
from .translate import symbolic_translate

__all__ = ["opcode_translator", "psdb", "symbolic_translate", "utils"]
