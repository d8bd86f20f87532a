"""ProgramTranslator: converts functions, and turns their conversion on and off, as Paddle 1.8 has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....jit.program_translator import ProgramTranslator as _ProgramTranslator
from ....static.program import Program


class ProgramTranslator(_ProgramTranslator):
    """Turns conversion on and off, and gives what it makes of a function. There is one: each call gives the same.

    >>> import proa.fluid as fluid
    >>> translator = fluid.dygraph.ProgramTranslator()
    >>> translator is fluid.dygraph.ProgramTranslator()
    True
    """

    _instance = None

    @property
    def enable_declarative(self) -> bool:
        """Whether decorated functions are converted."""
        return self.enable_to_static

    def enable(self, enable_declarative: bool) -> None:
        """Turns conversion on or off; when off, decorated functions run as they were written."""
        super().enable(enable_declarative)

    def get_program(self, dygraph_func: Callable[..., Any], *args: Any,
                    **kwargs: Any) -> tuple[Program, Program, list[Any], list[Any]]:
        """The Programs, main and startup, of a call of the function, and the variables of its inputs and results."""
        concrete = self.get_func(dygraph_func).get_concrete_program(*args, **kwargs)[0]  # type: ignore[attr-defined]
        return concrete.main_program, Program(), list(concrete.inputs), list(concrete.outputs)

    def get_program_cache(self) -> Any:
        """NotImplementedError: each function keeps its own Programs."""
        raise NotImplementedError("ProgramTranslator.get_program_cache: there is no cache of all functions' Programs. "
                                  "Each keeps its own: translator.get_func(function).program_cache.")


__all__ = ["ProgramTranslator"]
