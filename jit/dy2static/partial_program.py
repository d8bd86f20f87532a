"""Names of `paddle.jit.dy2static.partial_program`: what runs the Program of a function, which here it does itself."""

from __future__ import annotations

from ..tracing.concrete_program import ConcreteProgram
from ..tracing.concrete_program import ConcreteProgram as PartialProgramLayer


def partial_program_from(concrete_program: ConcreteProgram, from_method: bool = False) -> PartialProgramLayer:
    """What runs a ConcreteProgram on a list of Tensors: itself.

    >>> import proa as paddle
    >>> double = paddle.jit.to_static(lambda x: x * 2)
    >>> found, _ = double.get_concrete_program(paddle.ones([2]))
    >>> paddle.jit.dy2static.partial_program.partial_program_from(found)([paddle.ones([2])]).tolist()
    [2.0, 2.0]
    """
    return concrete_program


__all__ = ["PartialProgramLayer", "partial_program_from"]
