"""Layers that multiply, look up and sum: fc, embedding, bilinear_tensor_product."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..input import looked_up
from ..layer_helper import LayerHelper, need_floats
from ..mode import face


@face
def fc(input: Any, size: int, num_flatten_dims: int = 1, param_attr: Any = None, bias_attr: Any = None,
       act: str | None = None, name: str | None = None) -> Any:
    """act(input · W + b), the input flattened to a matrix behind `num_flatten_dims` dimensions.

    `input` may be a list: each is multiplied by a weight of its own, and the products are summed.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     fluid.layers.fc(fluid.data("x", [None, 4]), 3, act="relu").shape
    (-1, 3)
    """
    helper = LayerHelper("fc", input=input, param_attr=param_attr, name=name)
    products = []
    for x, attr in helper.iter_inputs_and_params():
        need_floats("fc(input)", x)
        columns = len(x.shape) - 1 if num_flatten_dims == -1 else num_flatten_dims
        width = math.prod(x.shape[columns:])
        if width < 0:
            raise ValueError(f"fc(input): the sizes behind the first {columns} must be known. Received shape "
                             f"{list(x.shape)}.")
        weight = helper.parameter(attr, [width, size], x.dtype)
        products.append(helper.apply("mul", x, weight, x_num_col_dims=columns, y_num_col_dims=1))
    total = products[0] if len(products) == 1 else helper.apply("sum", products)
    start = len(total.shape) - 1 if num_flatten_dims == -1 else num_flatten_dims
    return helper.activated(helper.biased(total, bias_attr, start), act)


@face
def embedding(input: Any, size: Sequence[int], is_sparse: bool = False, is_distributed: bool = False,
              padding_idx: int | None = None, param_attr: Any = None, dtype: Any = "float32") -> Any:
    """The rows of a parameter of shape `size` by their numbers, [..., size[1]] for an input [..., 1].

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     words = fluid.data("words", [None, 1], "int64")
    ...     fluid.layers.embedding(words, size=[100, 8]).shape
    (-1, 8)
    """
    return looked_up(LayerHelper("embedding"), "lookup_table", input, size, is_sparse, is_distributed, padding_idx,
                     param_attr, dtype)


@face
def bilinear_tensor_product(x: Any, y: Any, size: int, act: str | None = None, name: str | None = None,
                            param_attr: Any = None, bias_attr: Any = None) -> Any:
    """x · W_i · y + b_i for each i below `size`: [N, size] of x [N, M] and y [N, K]."""
    helper = LayerHelper("bilinear_tensor_product", name=name)
    weight = helper.parameter(param_attr, [size, x.shape[1], y.shape[1]], x.dtype)
    bias = helper.parameter(bias_attr, [1, size], x.dtype, is_bias=True)
    return helper.activated(helper.apply("bilinear_tensor_product", x, y, weight, bias), act)


__all__ = ["bilinear_tensor_product", "embedding", "fc"]
