"""Layers of dynamic mode that multiply and look up: Linear, FC, Embedding, BilinearTensorProduct."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...ops.core.operator import find
from ...ops.core.trace import apply
from .applied import activated, biased
from .layers import Layer, older


class Linear(Layer):
    """act(x · weight + bias) over the last dimension.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     linear = fluid.dygraph.Linear(3, 2, act="relu")
    ...     linear(fluid.dygraph.to_variable(np.ones([4, 3], "float32"))).shape, linear.bias.name
    ([4, 2], 'linear_0.b_0')
    """

    def __init__(self, input_dim: int, output_dim: int, param_attr: Any = None, bias_attr: Any = None,
                 act: str | None = None, dtype: str = "float32"):
        super().__init__()
        self._act, self._dtype = act, dtype
        self.weight = self.create_parameter([input_dim, output_dim], param_attr, dtype)
        self.bias = self.create_parameter([output_dim], bias_attr, dtype, is_bias=True)

    def forward(self, input: Any) -> Any:
        """[…, output_dim] of an input […, input_dim]."""
        product = apply(find("matmul"), input, self.weight, transpose_X=False, transpose_Y=False, alpha=1.0)
        return activated(biased(product, self.bias, len(input.shape) - 1), self._act)


class FC(Layer):
    """1.5's dense layer: act(input · W + b), the input flattened to a matrix behind `num_flatten_dims` dimensions.

    The weight is made at the first call, for the input's size. Several inputs, given as a list, are each multiplied by
    a weight of its own, and the products are summed.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     fc = fluid.dygraph.FC("fc", 10)
    ...     fc(fluid.dygraph.to_variable(np.ones([4, 3, 2], "float32"))).shape, fc.weight.name, fc.weight.shape
    ([4, 10], 'fc_0.w_0', [6, 10])
    """

    def __init__(self, name_scope: str, size: int, num_flatten_dims: int = 1, param_attr: Any = None,
                 bias_attr: Any = None, act: str | None = None, is_test: bool = False, dtype: str = "float32"):
        super().__init__(name_scope, dtype)
        self._size, self._num_flatten_dims, self._act = size, num_flatten_dims, act
        self._param_attr, self._bias_attr = param_attr, bias_attr
        self._weights: list[str] = []

    def _build_once(self, input: Any, *args: Any) -> None:
        given = list(input) if isinstance(input, (list, tuple)) else [input]
        attrs = self._param_attr if isinstance(self._param_attr, (list, tuple)) else [self._param_attr] * len(given)
        if len(attrs) != len(given):
            raise ValueError(f"FC(param_attr): give one, or one for each of the {len(given)} inputs. "
                             f"Received {len(attrs)}.")
        for number, (x, attr) in enumerate(zip(given, attrs, strict=True)):
            rows = math.prod(x.shape[self._num_flatten_dims:])
            setattr(self, f"_w{number}", self.create_parameter([rows, self._size], attr, self._dtype))
            self._weights.append(f"_w{number}")
        self._b = self.create_parameter([self._size], self._bias_attr, self._dtype, is_bias=True)

    @property
    def weight(self) -> Any:
        """The weight, or a list of one for each input; None before the first call."""
        held = [getattr(self, name) for name in self._weights]
        return (held[0] if len(held) == 1 else held) if held else None

    @weight.setter
    def weight(self, value: Any) -> None:
        for name, one in zip(self._weights, value if isinstance(value, (list, tuple)) else [value], strict=True):
            setattr(self, name, one)

    @property
    def bias(self) -> Any:
        """The bias; None before the first call, or where there is none."""
        return self._b if self._weights else None

    @bias.setter
    def bias(self, value: Any) -> None:
        self._b = value

    def forward(self, input: Any) -> Any:
        """[…, size] of an input whose first `num_flatten_dims` dimensions are these …"""
        given = list(input) if isinstance(input, (list, tuple)) else [input]
        products = [apply(find("mul"), x, getattr(self, name), x_num_col_dims=self._num_flatten_dims, y_num_col_dims=1)
                    for x, name in zip(given, self._weights, strict=True)]
        total = products[0] if len(products) == 1 else apply(find("sum"), products)
        return activated(biased(total, self._b, self._num_flatten_dims), self._act)


class Embedding(Layer):
    """The rows of a table of shape `size` by their numbers. 1.5's form: `Embedding(name_scope, size, …)`.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     ids = fluid.dygraph.to_variable(np.array([[1, 3, 1]], "int64"))
    ...     fluid.dygraph.Embedding([5, 4])(ids).shape, fluid.dygraph.Embedding("table", [5, 4]).weight.name
    ([1, 3, 4], 'table_0.w_0')
    """

    @older("size is_sparse is_distributed padding_idx param_attr dtype")
    def __init__(self, size: Sequence[int], is_sparse: bool = False, is_distributed: bool = False,
                 padding_idx: int | None = None, param_attr: Any = None, dtype: str = "float32"):
        super().__init__()
        self._size, self._is_sparse, self._is_distributed, self._dtype = size, is_sparse, is_distributed, dtype
        self._padding_idx = -1 if padding_idx is None else padding_idx if padding_idx >= 0 else size[0] + padding_idx
        self.weight = self.create_parameter(size, param_attr, dtype)

    def forward(self, input: Any) -> Any:
        """[…, size[1]] of numbers […]."""
        return apply(find("lookup_table_v2"), input, self.weight, is_sparse=self._is_sparse,
                     is_distributed=self._is_distributed, padding_idx=self._padding_idx,
                     remote_prefetch=self._is_sparse and not self._is_distributed)


class BilinearTensorProduct(Layer):
    """act(x · W_i · y + b_i) for each i below `output_dim`: [N, output_dim] of x [N, M] and y [N, K].

    1.5's form: `BilinearTensorProduct(name_scope, size, …)`.
    """

    @older("output_dim name act param_attr bias_attr", input1_dim=lambda given, x, y: x.shape[1],
           input2_dim=lambda given, x, y: y.shape[1])
    def __init__(self, input1_dim: int, input2_dim: int, output_dim: int, name: str | None = None,
                 act: str | None = None, param_attr: Any = None, bias_attr: Any = None, dtype: str = "float32"):
        super().__init__()
        self._act, self._dtype = act, dtype
        self.weight = self.create_parameter([output_dim, input1_dim, input2_dim], param_attr, dtype)
        self.bias = self.create_parameter([1, output_dim], bias_attr, dtype, is_bias=True)

    def forward(self, x: Any, y: Any) -> Any:
        """[N, output_dim]."""
        return activated(apply(find("bilinear_tensor_product"), x, y, self.weight, self.bias), self._act)


__all__ = ["FC", "BilinearTensorProduct", "Embedding", "Linear"]
