"""Two operands element by element, with 1.x's `axis` and `act`; scale, sum, clip, logical operators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...ops.array.full import is_value
from ...ops.math.casting import dtype_of
from ..layer_helper import LayerHelper, need_floats
from ..mode import face


def _elementwise(type: str, sign: str) -> Callable[..., Any]:
    def layer(x: Any, y: Any, axis: int = -1, act: str | None = None, name: str | None = None) -> Any:
        helper = LayerHelper(type, name=name)
        return helper.activated(helper.apply(type, x, y, axis=axis), act)

    layer.__name__ = layer.__qualname__ = type
    layer.__doc__ = f"act({sign}): y's dimensions are those of x from `axis` on, by default the last ones."
    return face(layer)


elementwise_add, elementwise_sub = _elementwise("elementwise_add", "x + y"), _elementwise("elementwise_sub", "x - y")
elementwise_mul, elementwise_div = _elementwise("elementwise_mul", "x * y"), _elementwise("elementwise_div", "x / y")
elementwise_max = _elementwise("elementwise_max", "the larger of x and y")
elementwise_min = _elementwise("elementwise_min", "the smaller of x and y")
elementwise_pow = _elementwise("elementwise_pow", "x to the power of y")
elementwise_mod = _elementwise("elementwise_mod", "the remainder of x / y")
elementwise_floordiv = _elementwise("elementwise_floordiv", "x / y, rounded down")


def _logical(type: str) -> Callable[..., Any]:
    def layer(x: Any, y: Any, out: Any = None, name: str | None = None) -> Any:
        return LayerHelper(type, name=name).apply(type, x, y, out=out)

    layer.__name__ = layer.__qualname__ = type
    layer.__doc__ = f"{type.removeprefix('logical_')} of two bools each, written to `out` where that is given."
    return face(layer)


logical_and, logical_or, logical_xor = _logical("logical_and"), _logical("logical_or"), _logical("logical_xor")


@face
def logical_not(x: Any, out: Any = None, name: str | None = None) -> Any:
    """Not of each bool, written to `out` where that is given."""
    return LayerHelper("logical_not", name=name).apply("logical_not", x, out=out)


@face
def scale(x: Any, scale: Any = 1.0, bias: float = 0.0, bias_after_scale: bool = True, act: str | None = None,
          name: str | None = None) -> Any:
    """act(scale * x + bias), or act(scale * (x + bias)).

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program()):
    ...     fluid.layers.scale(fluid.data("x", [None, 4]), 2.0).shape
    (-1, 4)
    """
    helper = LayerHelper("scale", name=name)
    tensor, factor = (scale, 1.0) if is_value(scale) else (None, float(scale))
    result = helper.apply("scale", x, tensor, scale=factor, bias=float(bias), bias_after_scale=bias_after_scale)
    return helper.activated(result, act)


@face
def sum(x: Any) -> Any:
    """The sum of several values of one shape."""
    return LayerHelper("sum").apply("sum", list(x) if isinstance(x, (list, tuple)) else [x])


@face
def sums(input: Any, out: Any = None) -> Any:
    """The sum of several values of one shape, written to `out` where that is given."""
    return LayerHelper("sum").apply("sum", list(input) if isinstance(input, (list, tuple)) else [input], out=out)


@face
def clip(x: Any, min: float, max: float, name: str | None = None) -> Any:
    """Each element brought between min and max."""
    return LayerHelper("clip", name=name).apply("clip", x, None, None, min=float(min), max=float(max))


@face
def clip_by_norm(x: Any, max_norm: float, name: str | None = None) -> Any:
    """x scaled down to the Euclidean norm `max_norm` where its own exceeds that."""
    return LayerHelper("clip_by_norm", name=name).apply("clip_by_norm", x, max_norm=float(max_norm))


@face
def mean(x: Any, name: str | None = None) -> Any:
    """The mean of all elements, [1].

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program()):
    ...     fluid.layers.mean(fluid.data("x", [None, 4])).shape
    (1,)
    """
    need_floats("mean(x)", x)
    return LayerHelper("mean", name=name).apply("mean", x)


@face
def pow(x: Any, factor: Any = 1.0, name: str | None = None) -> Any:
    """x to the power of `factor`."""
    tensor, number = (factor, 1.0) if is_value(factor) else (None, float(factor))
    return LayerHelper("pow", name=name).apply("pow", x, tensor, factor=number)


def _reduction(type: str, what: str) -> Callable[..., Any]:
    def layer(input: Any, dim: int | Sequence[int] | None = None, keep_dim: bool = False,
              name: str | None = None) -> Any:
        dims = [] if dim is None else [dim] if isinstance(dim, int) else list(dim)
        kept = dtype_of(input) if type == "reduce_sum" and dtype_of(input).name == "int32" else None
        return LayerHelper(type, name=name).apply(type, input, dim=dims or [0], keep_dim=keep_dim,
                                                  reduce_all=not dims, in_dtype=kept, out_dtype=kept)

    layer.__name__ = layer.__qualname__ = type
    layer.__doc__ = f"{what} along dimensions; of all elements, [1], where `dim` is None."
    return face(layer)


reduce_sum, reduce_mean = _reduction("reduce_sum", "The sum"), _reduction("reduce_mean", "The mean")
reduce_max, reduce_min = _reduction("reduce_max", "The largest"), _reduction("reduce_min", "The smallest")
reduce_prod, reduce_all = _reduction("reduce_prod", "The product"), _reduction("reduce_all", "Whether all are true")
reduce_any = _reduction("reduce_any", "Whether any is true")

__all__ = ["clip", "clip_by_norm", "elementwise_add", "elementwise_div", "elementwise_floordiv", "elementwise_max",
           "elementwise_min", "elementwise_mod", "elementwise_mul", "elementwise_pow", "elementwise_sub",
           "logical_and", "logical_not", "logical_or", "logical_xor", "mean", "pow", "reduce_all", "reduce_any",
           "reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_sum", "scale", "sum", "sums"]
