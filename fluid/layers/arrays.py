"""Lists of tensors that a Program fills and reads by index: create_array, array_write, array_read, array_length.

increment counts the index.
"""

from __future__ import annotations

from typing import Any

from ... import tensor
from ...ops.core.trace import current_trace
from ...static.building.tensor_arrays import ArrayVariable
from ...static.ir.operation import IMPLIED
from ..layer_helper import LayerHelper
from ..mode import computing, face


def array_named(name: str) -> ArrayVariable:
    """A list without items in the block that is being written; no file has an operation for that."""
    block = current_trace().block
    made = block.new_var(name, kind="array", stop_gradient=False)
    block.append("empty_array", {}, {"Out": [name]}, {IMPLIED: True})
    return made


@face
def create_array(dtype: Any) -> Any:
    """A list without items; one of Python's where operators are computed at once.

    Its dtype is that of the first item; `dtype` says what is meant, as in Paddle.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program()):
    ...     first = fluid.layers.fill_constant([1], "int64", 0)
    ...     x = fluid.layers.array_write(fluid.data("x", [2]), first, fluid.layers.create_array("float32"))
    ...     fluid.layers.array_read(x, first).shape
    (2,)
    """
    return [] if computing() else array_named(f"{LayerHelper('array').name}.out")


@face
def array_write(x: Any, i: Any, array: Any = None) -> Any:
    """Makes x the item at the index i (int64, one element) of a list, and gives the list, a new one by default."""
    if computing():
        return tensor.array_write(x, i, array)
    helper = LayerHelper("array_write")
    if array is None:
        array = array_named(f"{helper.name}.out")
    _check_array("array_write", array)
    array.write(i, x)
    return array


@face
def array_read(array: Any, i: Any) -> Any:
    """The item at the index i (int64, one element) of a list."""
    if computing():
        return tensor.array_read(array, i)
    _check_array("array_read", array)
    made = LayerHelper("array_read").apply("read_from_array", array, i)[0]
    if made.dtype.is_differentiable:  # what is written later may want a gradient, in a loop too
        made.stop_gradient = False
    if current_trace().block is not array.block:  # what the rounds write may have another number of rows
        made.shape = (-1, *made.shape[1:])
    return made


@face
def array_length(array: Any) -> Any:
    """The number of items, an int64 tensor of one element; an int where operators are computed at once."""
    if computing():
        return tensor.array_length(array)
    _check_array("array_length", array)
    made = LayerHelper("array_length").apply("lod_array_length", array)
    made.stop_gradient = True
    return made


def _check_array(what: str, array: Any) -> None:
    if not isinstance(array, ArrayVariable):
        raise TypeError(f"{what}(array): must be a list that create_array or array_write has made. "
                        f"Received {type(array).__name__}.")


@face
def increment(x: Any, value: float = 1.0, in_place: bool = True) -> Any:
    """x, of one element, with `value` added: x itself, or a new variable without `in_place`."""
    helper = LayerHelper("increment")
    given = x if in_place else helper.apply("assign", x)
    return helper.apply("increment", given, step=float(value))


__all__ = ["array_length", "array_read", "array_write", "create_array", "increment"]
