"""Names of `paddle.jit.dy2static.program_translator`."""

from ..convert.functions import convert as convert_to_static
from ..program_translator import ProgramTranslator
from ..static_function import StaticFunction
from ..tracing.concrete_program import ConcreteProgram

__all__ = ["ConcreteProgram", "ProgramTranslator", "StaticFunction", "convert_to_static"]
