"""Names of `paddle.jit.dy2static.utils`."""

from __future__ import annotations

import inspect
import io
import textwrap
import tokenize
from collections.abc import Callable, Sequence
from typing import Any

from ...core import nest
from ...static.ir.input_spec import InputSpec
from ..errors import Dygraph2StaticException
from ..operators.undefined import Undefined as UndefinedVar


def parse_arg_and_kwargs(function: Callable[..., Any]) -> tuple[list[str], dict[str, Any]]:
    """The names of a function's arguments, and the values of those that may be left out.

    >>> from proa.jit.dy2static.utils import parse_arg_and_kwargs
    >>> parse_arg_and_kwargs(lambda x, axis=-1: x)
    (['x', 'axis'], {'axis': -1})
    """
    found = inspect.getfullargspec(function)
    given = found.defaults or ()
    return found.args, dict(zip(found.args[len(found.args) - len(given):], given, strict=True))


def unwrap(func: Any) -> Any:
    """The function under all of its decorators, as far as they say what they decorate.

    >>> import proa as paddle
    >>> def f(x):
    ...     return x
    >>> paddle.jit.dy2static.utils.unwrap(paddle.jit.to_static(f)) is f
    True
    """
    return inspect.unwrap(getattr(func, "__func__", func))


def func_to_source_code(function: Callable[..., Any], dedent: bool = True) -> str:
    """The source of a function without its comments; `dedent`: from the first column on, as of one in a class.

    Raises TypeError for what is no function or method, OSError where its source is not to be had.
    """
    if not (inspect.isfunction(function) or inspect.ismethod(function)):
        raise TypeError("func_to_source_code(function): must be a function or a method. Received a "
                        f"{type(function).__name__}.")
    source = "".join(inspect.getsourcelines(function)[0])
    lines = source.splitlines(keepends=True)
    for token in tokenize.generate_tokens(io.StringIO(textwrap.dedent(source)).readline):
        if token.type == tokenize.COMMENT:
            line = lines[token.start[0] - 1]
            at = len(line.rstrip()) - len(token.string)
            lines[token.start[0] - 1] = line[:at].rstrip() + "\n"
    source = "".join(lines)
    return textwrap.dedent(source) if dedent else source


def type_name(v: Any) -> str:
    """The name of the type of something."""
    return type(v).__name__


def input_specs_compatible(src_input_specs: Sequence[Any], desired_input_specs: Sequence[Any]) -> bool:
    """Whether arguments of the desired specs may be those that other specs describe, one by one.

    InputSpecs go together whose dtypes are one and whose sizes are equal where both are known; other values if they are
    equal.

    >>> from proa.jit.dy2static.utils import input_specs_compatible
    >>> from proa.static import InputSpec
    >>> input_specs_compatible([InputSpec([None, 2])], [InputSpec([3, 2])])
    True
    """
    of_first, of_second = nest.flatten(list(src_input_specs)), nest.flatten(list(desired_input_specs))
    return len(of_first) == len(of_second) and all(map(_compatible, of_first, of_second))


def _compatible(a: Any, b: Any) -> bool:
    if not (isinstance(a, InputSpec) and isinstance(b, InputSpec)):
        return type(a) is type(b) and bool(a == b)
    sizes = zip(a.shape, b.shape, strict=False)
    return a.dtype == b.dtype and len(a.shape) == len(b.shape) and all(
        m == n or -1 in (m, n) or None in (m, n) for m, n in sizes)


__all__ = ["Dygraph2StaticException", "UndefinedVar", "func_to_source_code", "input_specs_compatible",
           "parse_arg_and_kwargs", "type_name", "unwrap"]
