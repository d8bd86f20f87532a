"""Names of `paddle.jit.dy2static.program_translator`."""

from __future__ import annotations

from typing import Any

from ..convert.functions import convert as convert_to_static
from ..program_translator import ProgramTranslator
from ..static_function import StaticFunction, enable_to_static
from ..tracing.concrete_program import ConcreteProgram
from ..tracing.program_cache import ProgramCache


def unwrap_decorators(func: Any) -> tuple[list[StaticFunction], Any]:
    """The `to_static`s around a function, from the outside in, and what the innermost of them is put on.

    >>> import proa as paddle
    >>> def f(x):
    ...     return x
    >>> around, inner = paddle.jit.dy2static.program_translator.unwrap_decorators(paddle.jit.to_static(f))
    >>> len(around), inner is f
    (1, True)
    """
    found = []
    while isinstance(func, StaticFunction):
        found.append(func)
        func = func.dygraph_function
    return found, func


__all__ = ["ConcreteProgram", "ProgramCache", "ProgramTranslator", "StaticFunction", "convert_to_static",
           "enable_to_static", "unwrap_decorators"]
