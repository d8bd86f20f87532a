"""What the layers of a Program share: their parameters, and the activation that may stand behind them."""

from __future__ import annotations

from typing import Any

from ...core.dtype import DType
from ...core.param_attr import ParamAttr, to_param_attr
from ...core.unique_name import generate
from ...ops.array.full import full, whole
from ...ops.core.trace import current_trace
from ...ops.random.default_initial_values import giving_values, initial_value
from ...ops.random.sampling import gaussian
from ..building.weight_norm import WeightNormParamAttr, normalized_parameter


def parameter(layer: str, kind: str, attr: Any, shape: Any, dtype: DType, is_bias: bool = False,
              initializer: Any = None, trainable: bool = True) -> Any:
    """A parameter of a layer, or None where its attr is False: the first of a kind is `layer.kind_0`.

    Two layers of one name so have parameters of their own; those whose attr has a name share what has that name.
    Filled by the attr's initializer, else by the one that `set_global_initializer` set, else by `initializer`, else
    XavierUniform (zeros for a bias). What is not `trainable` is no weight: it begins with `initializer` in any case.
    """
    param = to_param_attr(attr)
    if param is None:
        return None
    fill = giving_values(param.initializer or (initial_value(is_bias, initializer) if trainable else initializer))
    named = ParamAttr(param.name or generate(f"{layer}.{kind}"), learning_rate=param.learning_rate,
                      trainable=trainable and param.trainable, regularizer=param.regularizer,
                      do_model_average=param.do_model_average, need_clip=param.need_clip)
    sizes = tuple(map(whole, shape))
    if isinstance(param, WeightNormParamAttr):
        return normalized_parameter(sizes, dtype, named, param.dim, fill)
    return current_trace().parameter(sizes, dtype, named, fill)


def constant(value: float) -> Any:
    """An initializer: everything is this number."""
    return lambda shape, dtype: full(list(shape), value, dtype)


def normal(deviation: float) -> Any:
    """An initializer: normally distributed around 0."""
    return lambda shape, dtype: gaussian(list(shape), 0.0, deviation, dtype=dtype)


def known_size(what: str, value: Any, axis: int) -> int:
    """A size that a parameter takes over; ValueError where it is not known."""
    if not -len(value.shape) <= axis < len(value.shape):
        raise ValueError(f"{what}: has no dimension {axis}. Received shape {list(value.shape)}.")
    size = value.shape[axis]
    if size < 0:
        raise ValueError(f"{what}: the size of dimension {axis} must be known. Received shape {list(value.shape)}.")
    return int(size)
