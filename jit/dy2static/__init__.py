"""What is `paddle.jit.dy2static`: pieces of the conversion, for code that calls them itself. Nothing new is in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core import lazy

if TYPE_CHECKING:
    from . import (
        convert_call_func,
        convert_operators,
        function_spec,
        logging_utils,
        partial_program,
        program_translator,
        utils,
    )
    from .convert_call_func import convert_call
    from .convert_call_func import convert_call as Call
    from .convert_operators import (
        convert_assert,
        convert_enumerate,
        convert_ifelse,
        convert_len,
        convert_load,
        convert_logical_and,
        convert_logical_not,
        convert_logical_or,
        convert_print,
        convert_range,
        convert_shape,
        convert_var_dtype,
        convert_while_loop,
        convert_zip,
    )
    from .convert_operators import convert_assert as Assert
    from .convert_operators import convert_ifelse as IfElse
    from .convert_operators import convert_len as Len
    from .convert_operators import convert_load as Ld
    from .convert_operators import convert_logical_and as And
    from .convert_operators import convert_logical_not as Not
    from .convert_operators import convert_logical_or as Or
    from .convert_operators import convert_shape as Shape
    from .convert_operators import convert_var_dtype as AsDtype
    from .convert_operators import convert_while_loop as While
    from .program_translator import convert_to_static
    from .utils import UndefinedVar

__getattr__, __dir__ = lazy.attach(__name__)
