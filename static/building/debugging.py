"""Python in the middle of a Program: `Print` shows a value whenever the Program runs, `py_func` calls a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.dtype import bool_
from ...core.errors import user_line
from ...ops.array.full import value_of
from ...ops.core.trace import apply, current_trace
from ...ops.program.print_assert import assert_value, print_op
from ...ops.program.py_func import py_func_op, register
from ..ir.variable import Variable
from .sequence_functions import new_offsets_of, offsets_of, with_lods


def Print(input: Any, first_n: int = -1, message: str | None = None, summarize: int = 20,
          print_tensor_name: bool = True, print_tensor_type: bool = True, print_tensor_shape: bool = True,
          print_tensor_layout: bool = True, print_tensor_lod: bool = True, print_phase: str = "both") -> Any:
    """Prints a value whenever the Program runs, and gives it.

    `first_n`: only so many times (-1: always; Prints with the same message count together). `summarize`: so many
    elements (-1: all). `print_phase`: 'forward', 'backward' (the gradient instead) or 'both'. There are no layouts or
    LoDs to print. Raises ValueError for another phase.

    >>> import numpy, proa as paddle
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.Print(paddle.static.data("x", [2]), message="here:", print_tensor_name=False)
    >>> _ = paddle.static.Executor().run(main, feed={"x": numpy.ones(2, "float32")})
    here: shape=[2] dtype=float32 [1.0, 1.0]
    """
    input = value_of(input)
    phase = print_phase.upper()
    if phase not in ("FORWARD", "BACKWARD", "BOTH"):
        raise ValueError(f"Print(print_phase): must be 'forward', 'backward' or 'both'. Received {print_phase!r}.")
    parts = [message or "", f"variable {input.name}" if print_tensor_name else ""]
    return apply(print_op, input, first_n=first_n, message=" ".join(part for part in parts if part),
                 summarize=summarize, print_tensor_name=print_tensor_name, print_tensor_type=print_tensor_type,
                 print_tensor_shape=print_tensor_shape, print_tensor_layout=print_tensor_layout,
                 print_tensor_lod=print_tensor_lod, print_phase=phase)


def Assert(cond: Any, data: Any = None, summarize: int = 20, name: str | None = None) -> None:
    """Raises AssertionError, whenever the Program runs, unless every element of `cond` (a bool Variable) is true.

    The error shows the first `summarize` elements of the Variables in `data`. `paddle.static.nn.control_flow.Assert`.

    >>> import numpy, proa as paddle
    >>> from proa.static.nn.control_flow import Assert
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data("x", [2])
    ...     Assert(x < 1.0, [x])
    >>> paddle.static.Executor().run(main, feed={"x": numpy.zeros(2, "float32")})
    []
    """
    if not isinstance(cond, Variable) or cond.dtype is not bool_:
        raise TypeError(f"Assert(cond): must be a bool Variable of the Program. Received {cond!r}.")
    assert_value(cond, _variables("data", data, "Assert"), f"the Assert at {user_line()} does not hold", summarize)


def _variables(argument: str, value: Any, what: str = "py_func") -> list[Variable]:
    values = [] if value is None else list(value) if isinstance(value, (list, tuple)) else [value]
    for one in values:
        if not isinstance(one, Variable):
            raise TypeError(f"{what}({argument}): must be a Variable of the Program, or several. "
                            f"Received {type(one).__name__}.")
    return values


def _check_callable(argument: str, function: Any) -> None:
    if not callable(function):
        raise TypeError(f"py_func({argument}): must be callable. Received {type(function).__name__}.")


def py_func(func: Callable[..., Any], x: Any, out: Any, backward_func: Callable[..., Any] | None = None,
            skip_vars_in_backward_input: Any = None) -> Any:
    """Calls `func` with the arrays of `x` whenever the Program runs, and gives `out` what it returns.

    `x`, `out`: a Variable, several, or None; `out` is made before, with `block.create_var(name, shape, dtype)`.
    An array of a variable with an LoD has `lod()`; what is for a variable with a `lod_level` is a LoDTensor. (Not with
    `backward_func`.)
    `backward_func`, when given, gets the arrays of x, of out and of out's gradients, without those of
    `skip_vars_in_backward_input`, and returns the gradients of x; without it no gradient flows. A file cannot hold
    the functions.

    >>> import numpy, proa as paddle
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data("x", [2])
    ...     y = main.current_block().create_var("y", [2], "float32")
    ...     y = paddle.static.py_func(lambda array: array + 1, x, y)
    >>> paddle.static.Executor().run(main, feed={"x": numpy.ones(2, "float32")}, fetch_list=[y])[0].tolist()
    [2.0, 2.0]
    """
    _check_callable("func", func)
    inputs, outputs = _variables("x", x), _variables("out", out)
    without = _as_list(skip_vars_in_backward_input)
    _variables("skip_vars_in_backward_input", [v for v in without if not isinstance(v, str)])
    skipped = {v if isinstance(v, str) else v.name for v in without}
    unknown = sorted(skipped - {v.name for v in (*inputs, *outputs)})
    if unknown:
        raise ValueError(f"py_func(skip_vars_in_backward_input): {unknown} are neither in x nor in out.")
    takes = None
    if backward_func is None and any(v.lod_level for v in (*inputs, *outputs)):
        behind = offsets_of(inputs), new_offsets_of(outputs)
        func = with_lods(func, *([len(v.lod) for v in values] for values in (inputs, outputs)))
        inputs, outputs = [*inputs, *behind[0]], [*outputs, *behind[1]]
        takes = len(inputs)
    attrs = {"forward_callable_id": register(func, [v.spec for v in outputs], takes=takes),
             "backward_callable_id": -1, "backward_skip_vars": sorted(skipped)}
    if backward_func is not None:
        _check_callable("backward_func", backward_func)
        taken = [v.name not in skipped for v in (*inputs, *outputs)] + [True] * len(outputs)
        attrs["backward_callable_id"] = register(backward_func, [v.spec for v in inputs], taken)
    for variable in outputs:
        stops = backward_func is None or all(v.stop_gradient for v in inputs)
        variable.stop_gradient = stops or not variable.dtype.is_differentiable
    block = (inputs or outputs)[0].program.current_block() if inputs or outputs else current_trace().block
    block.append(py_func_op.type, {"X": [v.name for v in inputs]}, {"Out": [v.name for v in outputs]}, attrs,
                 user_line())
    return out


def _as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple, set)) else [value]
