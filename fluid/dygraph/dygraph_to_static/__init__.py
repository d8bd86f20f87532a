"""`fluid.dygraph.dygraph_to_static`: the switch for the conversion of functions, by 1.x's path."""

from .program_translator import ProgramTranslator

__all__ = ["ProgramTranslator"]
