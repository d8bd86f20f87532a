"""Activations of sparse tensors, and softmax over their entries, as layers."""

from __future__ import annotations

from typing import Any

from ...nn.layer import Layer
from . import functional as F


class ReLU(Layer):
    """`sparse.nn.functional.relu`.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[0, 2]], [-1.0, 2.0], [4])
    >>> paddle.sparse.nn.ReLU()(x).values().tolist()
    [0.0, 2.0]
    """

    def __init__(self, name: str | None = None):
        super().__init__()
        self._name = name

    def forward(self, x: Any) -> Any:
        """The result, with the places of x."""
        return F.relu(x)

    def extra_repr(self) -> str:
        """The name, where one was given."""
        return f"name={self._name}" if self._name else ""


class ReLU6(ReLU):
    """`sparse.nn.functional.relu6`.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [1, 0]], [-2.0, 8.0], [2, 2])
    >>> paddle.sparse.nn.ReLU6()(x).values().tolist()
    [0.0, 6.0]
    """

    def forward(self, x: Any) -> Any:
        """The result, with the places of x."""
        return F.relu6(x)


class LeakyReLU(ReLU):
    """`sparse.nn.functional.leaky_relu`.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [1, 0]], [-2.0, 8.0], [2, 2])
    >>> paddle.sparse.nn.LeakyReLU(0.5)(x).values().tolist()
    [-1.0, 8.0]
    """

    def __init__(self, negative_slope: float = 0.01, name: str | None = None):
        super().__init__(name)
        self._negative_slope = negative_slope

    def forward(self, x: Any) -> Any:
        """The result, with the places of x."""
        return F.leaky_relu(x, self._negative_slope)


class Softmax(ReLU):
    """`sparse.nn.functional.softmax`, along `axis`.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_csr_tensor([0, 2, 2], [0, 1], [1.0, 1.0], [2, 2])
    >>> paddle.sparse.nn.Softmax()(x).values().tolist()
    [0.5, 0.5]
    """

    def __init__(self, axis: int = -1, name: str | None = None):
        super().__init__(name)
        self._axis = axis

    def forward(self, x: Any) -> Any:
        """The result, with the places of x."""
        return F.softmax(x, self._axis)
