"""`paddle.static.Variable`, which code asks of values of either mode: `isinstance(x, paddle.static.Variable)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ops.array.full import is_value_type
from .building.mode import in_dynamic_mode
from .ir import variable as of_programs

if TYPE_CHECKING:  # what a checker knows it by is what functions give
    from .ir.variable import Variable
else:

    class _OfTheMode(type(of_programs.Variable)):
        """Variables are its instances in either mode, Tensors while operations run at once, as in Paddle.

        What is set as an attribute of the class is set for all Variables, and it equals what they are made of:
        `type(x) == paddle.static.Variable`.
        """

        def __instancecheck__(cls, value: Any) -> bool:
            return cls.__subclasscheck__(type(value))

        def __subclasscheck__(cls, other: type) -> bool:
            return issubclass(other, of_programs.Variable) or (is_value_type(other) and in_dynamic_mode())

        def __eq__(cls, other: object) -> bool:
            return other is cls or (cls is Variable and other is of_programs.Variable)

        def __hash__(cls) -> int:
            return hash(of_programs.Variable) if cls is Variable else type.__hash__(cls)

        def __setattr__(cls, name: str, value: Any) -> None:
            setattr(of_programs.Variable, name, value)

        def __delattr__(cls, name: str) -> None:
            delattr(of_programs.Variable, name)

    class Variable(of_programs.Variable, metaclass=_OfTheMode):
        """A value of a Program, known by name, shape (-1: a size not yet known) and dtype; it has no value of its own.

        While operations run at once, Tensors count as instances.

        >>> import proa as paddle
        >>> isinstance(paddle.ones([2]), paddle.static.Variable)
        True
        >>> with paddle.static.program_guard(paddle.static.Program()):
        ...     isinstance(paddle.static.data("x", [2]), paddle.static.Variable)
        True
        """
