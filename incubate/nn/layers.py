"""The layers of `paddle.incubate.nn`, with the parameters that Paddle's have."""

from __future__ import annotations

from typing import Any

from ...nn import Layer
from . import functional


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


class FusedDropoutAdd(Layer):
    """dropout(x) + y.

    >>> import proa as paddle
    >>> layer = paddle.incubate.nn.FusedDropoutAdd(0.5)
    >>> layer.eval()
    >>> layer(paddle.ones([2]), paddle.ones([2])).tolist()
    [2.0, 2.0]
    """

    def __init__(self, p: float = 0.5, mode: str = "upscale_in_train", name: str | None = None):
        super().__init__()
        self.p, self.mode, self.name = p, mode, name

    def forward(self, x: Any, y: Any) -> Any:
        """The sum."""
        return functional.fused_dropout_add(x, y, self.p, self.training, self.mode)

    def extra_repr(self) -> str:
        """The settings."""
        return f"p={self.p}, mode={self.mode}"
