"""WeightNormParamAttr: a weight given by its direction and its length, each a parameter of its own."""

from __future__ import annotations

from typing import Any

from ...core.dtype import DType
from ...core.param_attr import ParamAttr
from ...ops.core.trace import current_trace
from ...ops.math.elementwise import divide, multiply
from ...ops.math.reduce import sum
from ...ops.math.unary import sqrt, square
from ..ir.program import Program
from ..ir.variable import Variable


class WeightNormParamAttr(ParamAttr):
    """A weight `g * v / ||v||` with parameters v, of the weight's shape, and g, its length.

    `dim`: the dimension along which each slice has a length of its own; None: the whole weight has one. The other
    arguments are ParamAttr's; the initializer fills v, and g begins as v's length. For layers of `paddle.static.nn`.
    After "Weight Normalization" (Salimans and Kingma, 2016).

    >>> import proa as paddle
    >>> from proa import static
    >>> main = static.Program()
    >>> with static.program_guard(main, static.Program()):
    ...     attr = static.WeightNormParamAttr(dim=1, name="w")
    ...     y = static.nn.fc(static.data("x", [None, 4]), 3, weight_attr=attr, bias_attr=False)
    >>> [(p.name, p.shape) for p in main.all_parameters()]
    [('w_g', (1, 3)), ('w_v', (4, 3))]
    """

    def __init__(self, dim: int | None = None, name: str | None = None, initializer: Any = None,
                 learning_rate: float = 1.0, regularizer: Any = None, trainable: bool = True,
                 do_model_average: bool = False, need_clip: bool = True):
        super().__init__(name, initializer, learning_rate, regularizer, trainable, do_model_average, need_clip)
        self.dim = dim


def _length(value: Any, dim: int | None) -> Any:
    """The length of the slices along `dim`, or of the whole, with all dimensions kept."""
    rank = len(value.shape)
    axes = [n for n in range(rank) if dim is None or n != dim % rank]
    return sqrt(sum(square(value), axes, keepdim=True))


def _counterpart(program: Program, variable: Variable) -> Variable:
    return program.global_block().var(variable.name)


def normalized_parameter(shape: tuple[int, ...], dtype: DType, attr: ParamAttr, dim: int | None,
                         initializer: Any) -> Any:
    """The weight that is made of two parameters named after `attr.name`."""
    def named(suffix: str) -> ParamAttr:
        return ParamAttr(f"{attr.name}_{suffix}", None, attr.learning_rate, attr.regularizer, attr.trainable,
                         attr.do_model_average, attr.need_clip)

    trace = current_trace()
    v = trace.parameter(shape, dtype, named("v"), initializer)
    lengths = tuple(size if dim is not None and n == dim % len(shape) else 1 for n, size in enumerate(shape))
    g = trace.parameter(lengths, dtype, named("g"), lambda *_: _length(_counterpart(trace.startup, v), dim))
    block = trace.main.global_block()
    block.add_var(block.vars.pop(v.name))  # files and lists of parameters have g before v, which begins first
    return multiply(v, divide(g, _length(v, dim)))
