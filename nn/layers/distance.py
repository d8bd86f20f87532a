"""How near vectors are to each other, and bilinear forms of them."""

from __future__ import annotations

from typing import Any

from .. import functional as F
from ..layer import Layer


class CosineSimilarity(Layer):
    """The cosine of the angle between two inputs along `axis`.

    >>> import proa as paddle
    >>> paddle.nn.CosineSimilarity()(paddle.to_tensor([[3.0, 0.0]]), paddle.to_tensor([[5.0, 0.0]])).tolist()
    [1.0]
    """

    def __init__(self, axis: int = 1, eps: float = 1e-8):
        super().__init__()
        self._axis, self._eps = axis, eps

    def forward(self, x1: Any, x2: Any) -> Any:
        """One number for each pair of vectors."""
        return F.cosine_similarity(x1, x2, self._axis, self._eps)

    def extra_repr(self) -> str:
        """The settings."""
        return f"axis={self._axis}, eps={self._eps}"


class PairwiseDistance(Layer):
    """The norm of order p of x - y + epsilon along the last dimension.

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([[0.0, 0.0]], "float64"), paddle.to_tensor([[3.0, 4.0]], "float64")
    >>> paddle.nn.PairwiseDistance()(x, y).numpy().round(3).tolist()
    [5.0]
    """

    __shows_its_name__ = True

    def __init__(self, p: float = 2.0, epsilon: float = 1e-6, keepdim: bool = False, name: str | None = None):
        super().__init__()
        self.name = name
        self.p, self.epsilon, self.keepdim = p, epsilon, keepdim

    def forward(self, x: Any, y: Any) -> Any:
        """One number for each pair of vectors."""
        return F.pairwise_distance(x, y, self.p, self.epsilon, self.keepdim)

    def extra_repr(self) -> str:
        """The settings."""
        text = f"p={self.p}"
        if self.epsilon != 1e-6:
            text += f", epsilon={self.epsilon}"
        return f"{text}, keepdim={self.keepdim}" if self.keepdim else text


class Bilinear(Layer):
    """x1 · weight[k] · x2 + bias for each of `out_features` k; weight is [out, in1, in2], bias [1, out].

    >>> import proa as paddle
    >>> paddle.nn.Bilinear(2, 3, 4)(paddle.ones([5, 2]), paddle.ones([5, 3])).shape
    [5, 4]
    """

    __shows_its_name__ = True

    def __init__(self, in1_features: int, in2_features: int, out_features: int, weight_attr: Any = None,
                 bias_attr: Any = None, name: str | None = None):
        super().__init__()
        self._name = name
        self._in1_features, self._in2_features, self._out_features = in1_features, in2_features, out_features
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        self.weight = self.create_parameter([out_features, in1_features, in2_features], weight_attr)
        self.bias = self.create_parameter([1, out_features], bias_attr, is_bias=True)

    def forward(self, x1: Any, x2: Any) -> Any:
        """[N, in1] and [N, in2] to [N, out]."""
        return F.bilinear(x1, x2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The sizes."""
        return (f"in1_features={self._in1_features}, in2_features={self._in2_features}, "
                f"out_features={self._out_features}, dtype={self._dtype}")
