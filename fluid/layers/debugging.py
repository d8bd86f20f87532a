"""Print, py_func and others that no family has: row_conv, add_position_encoding, continuous_value_model."""

from __future__ import annotations

from typing import Any

from ...ops.array.full import is_value
from ...static.building import debugging
from ..layer_helper import LayerHelper
from ..mode import face


@face
def Print(input: Any, first_n: int = -1, message: str | None = None, summarize: int = 20,
          print_tensor_name: bool = True, print_tensor_type: bool = True, print_tensor_shape: bool = True,
          print_tensor_lod: bool = True, print_phase: str = "both") -> Any:
    """A value that is printed when it is computed.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program()):
    ...     fluid.layers.Print(fluid.data("x", [None, 4]), message="x").shape
    (-1, 4)
    """
    return LayerHelper("print").apply(
        "print", input, first_n=first_n, summarize=summarize, message=message or "",
        print_tensor_name=print_tensor_name, print_tensor_type=print_tensor_type,
        print_tensor_shape=print_tensor_shape, print_tensor_lod=print_tensor_lod, print_phase=print_phase.upper())


@face
def py_func(func: Any, x: Any, out: Any, backward_func: Any = None, skip_vars_in_backward_input: Any = None) -> Any:
    """What a function of arrays gives when the Program runs, written to `out`."""
    return debugging.py_func(func, x, out, backward_func, skip_vars_in_backward_input)


@face
def row_conv(input: Any, future_context_size: int, param_attr: Any = None, act: str | None = None) -> Any:
    """act(each step with so many that follow it, weighed) (Wang et al., 2016)."""
    helper = LayerHelper("row_conv")
    weight = helper.parameter(param_attr, [future_context_size + 1, input.shape[-1]], input.dtype)
    return helper.activated(helper.apply("row_conv", input, weight, None), act)


@face
def add_position_encoding(input: Any, alpha: float, beta: float, name: str | None = None) -> Any:
    """alpha * input + beta * sines and cosines of the places (Vaswani et al., 2017).

    The input is [N, length, width], or rows of sequences, [rows, width], whose places begin with each sequence.
    """
    return LayerHelper("add_position_encoding", name=name).apply("add_position_encoding", input, None,
                                                                 alpha=float(alpha), beta=float(beta))


@face
def continuous_value_model(input: Any, cvm: Any, use_cvm: bool = True) -> Any:
    """The logarithms of shows and clicks in the first two columns of input, or the input without them."""
    return LayerHelper("cvm").apply("cvm", input, cvm, None, key="_generated_var", use_cvm=use_cvm)


@face
def merge_selected_rows(x: Any, name: str | None = None) -> Any:
    """x: rows are summed where they are held."""
    return _itself("merge_selected_rows", x)


@face
def get_tensor_from_selected_rows(x: Any, name: str | None = None) -> Any:
    """x: rows that are held are an array to everything that meets them."""
    return _itself("get_tensor_from_selected_rows", x)


def _itself(what: str, x: Any) -> Any:
    if not is_value(x):
        raise TypeError(f"{what}(x): must be a value. Received {type(x).__name__}.")
    return LayerHelper(what).apply("assign", x)


__all__ = ["Print", "add_position_encoding", "continuous_value_model", "get_tensor_from_selected_rows",
           "merge_selected_rows", "py_func", "row_conv"]
