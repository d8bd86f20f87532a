"""Functions as layers, so that quantization finds them in a network: add, subtract, multiply, matmul and more."""

from __future__ import annotations

from typing import Any

from ...ops.array import concat_split
from ...ops.array import reshape as shapes
from ...ops.linalg import matrix_product
from ...ops.math import elementwise
from ..layer import Layer


class FloatFunctionalLayer(Layer):
    """A function that is to be seen by quantization."""


class add(FloatFunctionalLayer):
    """x + y.

    >>> import proa as paddle
    >>> paddle.nn.quant.add()(paddle.ones([2]), paddle.ones([2])).tolist()
    [2.0, 2.0]
    """

    def forward(self, x: Any, y: Any, name: str | None = None) -> Any:
        """The sum."""
        return elementwise.add(x, y)


class subtract(FloatFunctionalLayer):
    """x - y."""

    def forward(self, x: Any, y: Any, name: str | None = None) -> Any:
        """The difference."""
        return elementwise.subtract(x, y)


class multiply(FloatFunctionalLayer):
    """x · y, element by element."""

    def forward(self, x: Any, y: Any, name: str | None = None) -> Any:
        """The products."""
        return elementwise.multiply(x, y)


class divide(FloatFunctionalLayer):
    """x / y."""

    def forward(self, x: Any, y: Any, name: str | None = None) -> Any:
        """The quotients."""
        return elementwise.divide(x, y)


class reshape(FloatFunctionalLayer):
    """x in another shape."""

    def forward(self, x: Any, shape: Any, name: str | None = None) -> Any:
        """The elements in that shape."""
        return shapes.reshape(x, shape)


class transpose(FloatFunctionalLayer):
    """x with its dimensions in another order."""

    def forward(self, x: Any, perm: Any, name: str | None = None) -> Any:
        """The elements, by the permutation of dimensions."""
        return shapes.transpose(x, perm)


class concat(FloatFunctionalLayer):
    """Tensors behind one another."""

    def forward(self, x: Any, axis: int = 0, name: str | None = None) -> Any:
        """The tensors joined along a dimension."""
        return concat_split.concat(x, axis)


class flatten(FloatFunctionalLayer):
    """Some dimensions of x as one."""

    def forward(self, x: Any, start_axis: int = 0, stop_axis: int = -1, name: str | None = None) -> Any:
        """x with one dimension in their place."""
        return shapes.flatten(x, start_axis, stop_axis)


class matmul(FloatFunctionalLayer):
    """The product of two matrices."""

    def forward(self, x: Any, y: Any, transpose_x: bool = False, transpose_y: bool = False,
                name: str | None = None) -> Any:
        """The product."""
        return matrix_product.matmul(x, y, transpose_x, transpose_y)
