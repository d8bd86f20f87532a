"""`fluid.layers.tensor`: values made of nothing, of numbers or of others: fill_constant, assign, cast, concat."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.dtype import convert_dtype, from_numpy_dtype
from ...core.unique_name import generate
from ...ops.array.full import is_value
from ...ops.core.trace import current_trace
from ...static.ir.variable import Variable
from ..initializer import Constant
from ..layer_helper import LayerHelper
from ..mode import computing, face
from ..param_attr import ParamAttr
from .elementwise import sums


@face
def create_tensor(dtype: Any, name: str | None = None, persistable: bool = False) -> Any:
    """A variable for something to be written to; a Tensor, of no elements yet, where operators are computed at once.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program()):
    ...     fluid.layers.create_tensor("float32", name="t").name
    't'
    """
    helper = LayerHelper("create_tensor", name=name)
    if computing():
        empty = fill_constant([0], dtype, 0)
        empty.name, empty.persistable = helper.name, persistable
        return empty
    return current_trace().block.new_var(helper.name, (), convert_dtype(dtype), persistable=persistable,
                                         stop_gradient=False)


@face
def create_parameter(shape: Sequence[int], dtype: Any, name: str | None = None, attr: Any = None,
                     is_bias: bool = False, default_initializer: Any = None) -> Any:
    """A parameter, of the Program or, under `dygraph.guard`, a Tensor.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     fluid.layers.create_parameter([4, 3], "float32", name="table").name
    'table'
    """
    helper = LayerHelper("create_parameter", name=name)
    return helper.parameter(ParamAttr(name=name) if attr is None else attr, shape, dtype, is_bias,
                            default_initializer)


@face
def create_global_var(shape: Sequence[int], value: float, dtype: Any, persistable: bool = False,
                      force_cpu: bool = False, name: str | None = None) -> Any:
    """A variable of the Program's outermost block that the startup Program fills with a number; or a Tensor of it.

    >>> import proa.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     fluid.layers.create_global_var([2], 1.5, "float32", name="rate").numpy().tolist()
    [1.5, 1.5]
    """
    helper = LayerHelper("global_var", name=name)
    if computing():
        filled = fill_constant(shape, dtype, value)
        filled.name, filled.persistable = name or generate("_generated_var"), persistable
        return filled
    block = current_trace().main.global_block()
    made = block.new_var(name or generate("_generated_var"), tuple(shape), convert_dtype(dtype),
                         persistable=persistable, stop_gradient=True)
    return helper.set_variable_initializer(made, Constant(float(value)))


@face
def cast(x: Any, dtype: Any) -> Any:
    """x in another dtype.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     fluid.layers.cast(fluid.data("x", [None, 4]), "int64").dtype == "int64"
    True
    """
    return LayerHelper("cast").apply("cast", x, in_dtype=x.dtype, out_dtype=convert_dtype(dtype))


@face
def assign(input: Any, output: Any = None) -> Any:
    """A copy of a value, or a constant with an array's elements; written to `output` where that is given.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     fluid.layers.assign(np.array([1, 2], "int32")).numpy().tolist()
    [1, 2]
    """
    helper = LayerHelper("assign")
    if is_value(input):
        return helper.apply("assign", input, out=output)
    array = np.asarray(input)
    return helper.apply("assign_value", out=output, shape=list(array.shape), dtype=from_numpy_dtype(array.dtype),
                        values=array)


@face
def fill_constant(shape: Any, dtype: Any, value: Any, force_cpu: bool = False, out: Any = None) -> Any:
    """A number in a shape, written to `out` where that is given; no gradient flows through it.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     fluid.layers.fill_constant([2, 3], "float32", 0.5).shape
    (2, 3)
    """
    helper, kind = LayerHelper("fill_constant"), convert_dtype(dtype)
    tensor, number = (value, 0.0) if is_value(value) else (None, value)
    sizes, shape_tensor, parts = helper.sizes(shape)
    text = "" if tensor is not None else str(int(number)) if kind.is_integer else str(float(number))
    made = helper.apply("fill_constant", tensor, shape_tensor, parts, out=out, shape=list(sizes), dtype=kind,
                        value=float(number), str_value=text)
    made.stop_gradient = True
    return made


@face
def fill_constant_batch_size_like(input: Any, shape: Sequence[int], dtype: Any, value: float, input_dim_idx: int = 0,
                                  output_dim_idx: int = 0, force_cpu: bool = False) -> Any:
    """A number in a shape of which one size is one of the input's."""
    kind = convert_dtype(dtype)
    made = LayerHelper("fill_constant_batch_size_like").apply(
        "fill_constant_batch_size_like", input, None, shape=list(shape), dtype=kind, value=float(value),
        str_value=str(int(value)) if kind.is_integer else str(float(value)), input_dim_idx=input_dim_idx,
        output_dim_idx=output_dim_idx)
    made.stop_gradient = True
    return made


@face
def ones(shape: Any, dtype: Any, force_cpu: bool = False) -> Any:
    """Ones."""
    return fill_constant(shape, dtype, 1.0)


@face
def zeros(shape: Any, dtype: Any, force_cpu: bool = False) -> Any:
    """Zeros."""
    return fill_constant(shape, dtype, 0.0)


@face
def full(shape: Any, fill_value: Any, out: Any = None, dtype: Any = None, device: str | None = None,
         stop_gradient: bool = True, name: str | None = None) -> Any:
    """A number in a shape."""
    return fill_constant(shape, dtype or "float32", fill_value, out=out)


@face
def zeros_like(x: Any, out: Any = None) -> Any:
    """Zeros in the shape and dtype of x."""
    made = LayerHelper("zeros_like").apply("fill_zeros_like", x, out=out)
    made.stop_gradient = True
    return made


@face
def ones_like(x: Any, out: Any = None) -> Any:
    """Ones in the shape and dtype of x."""
    return LayerHelper("ones_like").apply("fill_any_like", x, out=out, value=1.0, dtype=x.dtype)


@face
def full_like(input: Any, fill_value: float, out: Any = None, dtype: Any = None, device: str | None = None,
              stop_gradient: bool = True, name: str | None = None) -> Any:
    """A number in the shape of a value."""
    kind = input.dtype if dtype is None else convert_dtype(dtype)
    return LayerHelper("full_like", name=name).apply("fill_any_like", input, out=out, value=float(fill_value),
                                                     dtype=kind)


def _extreme(type: str, axis: int, x: Any) -> Any:
    made = LayerHelper(type).apply(type, x, axis=axis)
    made.stop_gradient = True
    return made


@face
def argmin(x: Any, axis: int = 0) -> Any:
    """The place of the smallest element along an axis."""
    return _extreme("arg_min", axis, x)


@face
def argmax(x: Any, axis: int = 0) -> Any:
    """The place of the largest element along an axis."""
    return _extreme("arg_max", axis, x)


@face
def argsort(input: Any, axis: int = -1, descending: bool = False, name: str | None = None) -> Any:
    """The elements in order along an axis, and the places where they were."""
    values, places = LayerHelper("argsort", name=name).apply("argsort", input, axis=axis, descending=descending)
    if isinstance(values, Variable):  # in dynamic mode gradients flow
        values.stop_gradient = True
    return values, places


@face
def reverse(x: Any, axis: Any) -> Any:
    """x in reverse along one axis or several."""
    return LayerHelper("reverse").apply("reverse", x, axis=[axis] if isinstance(axis, int) else list(axis))


@face
def has_inf(x: Any) -> Any:
    """Whether any element is infinite, [1]."""
    return LayerHelper("isinf").apply("isinf", x)


@face
def has_nan(x: Any) -> Any:
    """Whether any element is not a number, [1]."""
    return LayerHelper("isnan").apply("isnan", x)


@face
def isfinite(x: Any) -> Any:
    """Whether all elements are finite, [1]."""
    return LayerHelper("isfinite").apply("isfinite", x)


def _number(value: Any, dtype: Any) -> Any:
    if not is_value(value):
        return fill_constant([1], dtype, value)
    return value if value.dtype is dtype else cast(value, dtype)


@face
def range(start: Any, end: Any, step: Any, dtype: Any) -> Any:
    """The numbers from start up to end, without it, `step` apart."""
    kind, helper = convert_dtype(dtype), LayerHelper("range")
    made = helper.apply("range", _number(start, kind), _number(end, kind), _number(step, kind))
    made.stop_gradient = True
    return made


@face
def arange(start: Any, end: Any, step: Any = 1, dtype: Any = None, name: str | None = None) -> Any:
    """As `range`."""
    return range(start, end, step, dtype or "float32")


@face
def linspace(start: Any, stop: Any, num: Any, dtype: Any) -> Any:
    """`num` numbers from start to stop, both included."""
    kind, helper = convert_dtype(dtype), LayerHelper("linspace")
    return helper.apply("linspace", _number(start, kind), _number(stop, kind), _number(num, convert_dtype("int32")),
                        dtype=kind)


@face
def diag(diagonal: Any) -> Any:
    """A matrix with these elements on its diagonal."""
    made = LayerHelper("diag").apply("diag", diagonal if is_value(diagonal) else assign(diagonal))
    made.stop_gradient = True
    return made


@face
def eye(num_rows: int, num_columns: int | None = None, batch_shape: Sequence[int] | None = None,
        dtype: Any = "float32") -> Any:
    """A matrix with ones on its diagonal, repeated along new dimensions of the sizes `batch_shape`."""
    columns = num_rows if num_columns is None else num_columns
    made = LayerHelper("eye").apply("eye", num_rows=num_rows, num_columns=columns, dtype=convert_dtype(dtype))
    made.stop_gradient = True
    for count in reversed(batch_shape or ()):
        made = LayerHelper("stack").apply("stack", [made] * count, axis=0)
    return made


@face
def tril(input: Any, diagonal: int = 0, name: str | None = None) -> Any:
    """The part on and below a diagonal, zeros elsewhere."""
    return LayerHelper("tril", name=name).apply("tril_triu", input, diagonal=diagonal, lower=True)


@face
def triu(input: Any, diagonal: int = 0, name: str | None = None) -> Any:
    """The part on and above a diagonal, zeros elsewhere."""
    return LayerHelper("triu", name=name).apply("tril_triu", input, diagonal=diagonal, lower=False)


@face
def kron(x: Any, y: Any, out: Any = None, name: str | None = None) -> Any:
    """The Kronecker product."""
    return LayerHelper("kron", name=name).apply("kron", x, y, out=out)


@face
def trace(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1, out: Any = None, name: str | None = None) -> Any:
    """The sum along a diagonal."""
    return LayerHelper("trace", name=name).apply("trace", input, out=out, offset=offset, axis1=dim1, axis2=dim2)


@face
def tensor_array_to_tensor(input: Any, axis: int = 1, name: str | None = None, use_stack: bool = False) -> Any:
    """The items of a list of tensors side by side, or stacked, and their sizes along the axis."""
    return LayerHelper("tensor_array_to_tensor", name=name).apply("tensor_array_to_tensor", input, axis=axis,
                                                                  use_stack=use_stack)


@face
def concat(input: Any, axis: Any = 0, name: str | None = None) -> Any:
    """Several values side by side along a dimension.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     x = fluid.data("x", [None, 4])
    ...     fluid.layers.concat([x, x], axis=1).shape
    (-1, 8)
    """
    if not isinstance(input, (list, tuple)):
        warnings.warn(f"concat(input): is a list of values. Received {type(input).__name__}.", stacklevel=3)
        input = [input]
    helper = LayerHelper("concat", name=name)
    if getattr(input[0], "kind", "tensor") == "array":
        return helper.apply("tensor_array_to_tensor", input[0], axis=axis, use_stack=False)[0]
    tensor, number = (axis, 0) if is_value(axis) else (None, axis)
    return helper.apply("concat", list(input), tensor, axis=number)


__all__ = ["Variable", "arange", "argmax", "argmin", "argsort", "assign", "cast", "concat", "create_global_var",
           "create_parameter", "create_tensor", "diag", "eye", "fill_constant", "fill_constant_batch_size_like",
           "full", "full_like", "has_inf", "has_nan", "isfinite", "kron", "linspace", "ones", "ones_like", "range",
           "reverse", "sums", "tensor_array_to_tensor", "trace", "tril", "triu", "zeros", "zeros_like"]
