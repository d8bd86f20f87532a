"""FusedLinear: a linear layer whose weight may be transposed."""

from __future__ import annotations

from typing import Any

from ....nn import Layer
from .. import functional

__all__ = ["FusedLinear"]


class FusedLinear(Layer):
    """x · weight + bias, the weight [in_features, out_features], or the other way round where `transpose_weight`.

    >>> import proa as paddle
    >>> paddle.incubate.nn.FusedLinear(4, 3)(paddle.ones([2, 4])).shape
    [2, 3]
    """

    def __init__(self, in_features: int, out_features: int, weight_attr: Any = None, bias_attr: Any = None,
                 transpose_weight: bool = False, name: str | None = None):
        super().__init__()
        shape = [out_features, in_features] if transpose_weight else [in_features, out_features]
        self.weight = self.create_parameter(shape, weight_attr)
        self.bias = self.create_parameter([out_features], bias_attr, is_bias=True)
        self.transpose_weight, self.name = transpose_weight, name

    def forward(self, input: Any) -> Any:
        """[..., in_features] to [..., out_features]."""
        return functional.fused_linear(input, self.weight, self.bias, self.transpose_weight)
