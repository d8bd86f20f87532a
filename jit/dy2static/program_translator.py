"""Names of `paddle.jit.dy2static.program_translator`."""

from ..concrete_program import ConcreteProgram
from ..conversion import convert as convert_to_static
from ..program_translator import ProgramTranslator
from ..static_function import StaticFunction

__all__ = ["ConcreteProgram", "ProgramTranslator", "StaticFunction", "convert_to_static"]
