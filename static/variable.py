"""`paddle.static.Variable` and `Parameter`, which code asks of values of either mode.

As in `isinstance(x, paddle.static.Variable)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ops.array.full import is_value_type
from .building.mode import in_dynamic_mode
from .ir import variable as of_programs

if TYPE_CHECKING:  # what a checker knows it by is what functions give
    from .ir.variable import ParameterVariable as Parameter
    from .ir.variable import Variable
else:

    class _OfTheMode(type(of_programs.Variable)):
        """What a Program has are its instances in either mode, Tensors while operations run at once, as in Paddle.

        What is set as an attribute of the class is set for all of these, and it equals what they are made of:
        `type(x) == paddle.static.Variable`.
        """

        _made_of: type

        def __instancecheck__(cls, value: Any) -> bool:
            return cls.__subclasscheck__(type(value))

        def __subclasscheck__(cls, other: type) -> bool:
            return issubclass(other, cls._made_of) or (
                is_value_type(other) and in_dynamic_mode() and (other.is_parameter or not cls._made_of.is_parameter))

        def __eq__(cls, other: object) -> bool:
            return other is cls or ("_made_of" in vars(cls) and other is cls._made_of)

        def __hash__(cls) -> int:
            return hash(cls._made_of) if "_made_of" in vars(cls) else type.__hash__(cls)

        def __setattr__(cls, name: str, value: Any) -> None:
            setattr(cls._made_of, name, value)

        def __delattr__(cls, name: str) -> None:
            delattr(cls._made_of, name)

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

        _made_of = of_programs.Variable

    class Parameter(of_programs.ParameterVariable, metaclass=_OfTheMode):
        """A Variable that is trained. While operations run at once, parameters of Layers count as instances.

        >>> import proa as paddle
        >>> isinstance(paddle.nn.Linear(1, 1).weight, paddle.static.Parameter)
        True
        """

        _made_of = of_programs.ParameterVariable
