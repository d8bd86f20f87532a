"""A Program's inputs and persistable values: `data`, `create_parameter`, `create_global_var`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core import dtype as dt
from ...core.dtype import convert_dtype
from ...core.param_attr import ParamAttr, to_param_attr
from ...core.unique_name import generate
from ...ops.array.full import whole
from ...ops.core.trace import current_trace
from ..ir.lod import fed_offsets
from ..ir.variable import Variable
from .mode import default_main_program


def data(name: str, shape: Sequence[int | None], dtype: Any = None, lod_level: int = 0) -> Variable:
    """An input of the default main Program, to be fed by name; None or -1 for a size that may differ from run to run.

    `lod_level`: how many levels of sequences its rows are divided into; it is fed with an `LoDTensor` then.
    Raises TypeError for a name or shape of another kind, ValueError for a name that the Program has with another shape
    or dtype; one that it has with the same is the same Variable. The dtype is the default one unless given.

    >>> import proa as paddle
    >>> with paddle.static.program_guard(paddle.static.Program()):
    ...     paddle.static.data("x", [None, 3]).shape
    (-1, 3)
    """
    if not isinstance(name, str):
        raise TypeError(f"static.data(name): must be a str. Received {type(name).__name__}.")
    if not isinstance(shape, (list, tuple)):
        raise TypeError(f"static.data(shape): must be a list or tuple. Received {type(shape).__name__}.")
    dtype = convert_dtype(dt.get_default_dtype() if dtype is None else dtype)
    block = default_main_program().global_block()
    block.check_redeclared("static.data(name)", name, shape, dtype, persistable=False)
    if not block.has_var(name):
        variable = block.new_var(name, shape, dtype, is_data=True, lod_level=lod_level)
        fed_offsets(variable)
        return variable
    block.vars[name].stop_gradient = True
    return block.vars[name]


def create_parameter(shape: Sequence[int], dtype: Any, name: str | None = None, attr: Any = None, is_bias: bool = False,
                     default_initializer: Any = None) -> Any:
    """A parameter: of the default main Program in static mode, a Tensor otherwise.

    Filled by `attr.initializer`, else by the one that `paddle.nn.initializer.set_global_initializer` set, else by
    `default_initializer`, else XavierUniform (zeros for a bias). It is called `attr.name`, or `name` where there is no
    `attr`; beside one without a name, `name` begins what it is called (as "table.w_0").

    >>> import proa as paddle
    >>> paddle.create_parameter([2, 3], "float32").shape
    [2, 3]
    """
    from ...ops.random.default_initial_values import giving_values, initial_value

    param = to_param_attr(attr)
    if param is None:
        raise ValueError("create_parameter(attr): False means no parameter, which makes no sense here.")
    layer = name or generate("create_parameter")
    own = name if attr is None and name else param.name or generate(f"{layer}.{'b' if is_bias else 'w'}")
    initializer = param.initializer or initial_value(is_bias, default_initializer)
    named = ParamAttr(own, learning_rate=param.learning_rate, regularizer=param.regularizer, trainable=param.trainable,
                      do_model_average=param.do_model_average, need_clip=param.need_clip)
    return current_trace().parameter(tuple(map(whole, shape)), convert_dtype(dtype), named, giving_values(initializer))


def create_global_var(shape: Sequence[int], value: float, dtype: Any, persistable: bool = False,
                      force_cpu: bool = False, name: str | None = None) -> Any:
    """A value of the default main Program that is filled with a number by the startup Program.

    >>> import proa as paddle
    >>> from proa import static
    >>> main = static.Program()
    >>> with static.program_guard(main, static.Program()):
    ...     step = static.create_global_var([1], 0, "int64", persistable=True)
    >>> step.shape, step.persistable
    ((1,), True)
    """
    variable = current_trace().persistent(tuple(shape), convert_dtype(dtype), value, name or generate("_generated_var"))
    variable.persistable = True
    return variable
