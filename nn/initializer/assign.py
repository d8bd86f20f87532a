"""Initializers that set given or computed values: Assign, Dirac, Bilinear."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.errors import AssertedError, WrongKindError
from ...core.lazy import beside
from ...ops.array.creation import to_tensor
from ...ops.array.full import is_value
from .initializer import Initializer

if not TYPE_CHECKING:
    __getattr__ = beside(__name__)


class Assign(Initializer):
    """The given values: an array, nested lists or a tensor with as many elements as the parameter.

    With more or fewer elements a new parameter takes their shape instead of the one that was asked for, and a warning
    says so.

    >>> import proa as paddle
    >>> start = paddle.nn.initializer.Assign([[1.0], [2.0]])
    >>> paddle.nn.Linear(2, 1, weight_attr=start).weight.tolist()
    [[1.0], [2.0]]
    """

    def __init__(self, value: Any, name: str | None = None):
        if not is_value(value) and not isinstance(value, (np.ndarray, list, tuple)):
            raise WrongKindError("Assign(value): must be an array, a list, a tuple or a tensor. Received "
                                 f"{type(value).__name__}.")
        self.given = value

    def value(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """The values, in the parameter's shape; in their own when they are more or fewer, with a warning."""
        array = self.given.numpy() if is_value(self.given) else np.asarray(self.given)
        if array.size == math.prod(shape):
            return to_tensor(array.reshape(tuple(shape)), dtype)
        warnings.warn(f"Assign(value): a parameter of shape {list(shape)} was asked for, the value has "
                      f"{list(array.shape)}: the parameter has the value's.", stacklevel=2)
        return to_tensor(array, dtype)


class Dirac(Initializer):
    """A convolution's filter that passes its input on: 1 in the middle of filter (i, i) of a group, 0 elsewhere.

    >>> import proa as paddle
    >>> start = paddle.nn.initializer.Dirac()
    >>> keep = paddle.nn.Conv1D(2, 2, 3, padding=1, weight_attr=start, bias_attr=False)
    >>> keep(paddle.to_tensor([[[1.0, 2.0], [3.0, 4.0]]])).tolist()
    [[[1.0, 2.0], [3.0, 4.0]]]
    """

    def __init__(self, groups: int = 1, name: str | None = None):
        if not isinstance(groups, int) or groups <= 0:
            raise AssertedError(f"Dirac(groups): must be an int above 0. Received {groups!r}.")
        self.groups = groups

    def value(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """A filter [out, in, *window]; ValueError for another number of dimensions or an indivisible `out`."""
        if len(shape) not in (3, 4, 5) or shape[0] % self.groups:
            raise AssertedError(
                f"Dirac: a filter has 3 to 5 dimensions, the first divisible by groups. Received {list(shape)}."
            )
        array = np.zeros(shape)
        middle = tuple(n // 2 for n in shape[2:])
        outputs = shape[0] // self.groups
        for group in range(self.groups):
            for channel in range(min(outputs, shape[1])):
                array[(group * outputs + channel, channel, *middle)] = 1.0
        return to_tensor(array, dtype)


class Bilinear(Initializer):
    """The filter of a transposed convolution that enlarges by bilinear interpolation.

    >>> import proa as paddle
    >>> start = paddle.nn.initializer.Bilinear()
    >>> larger = paddle.nn.Conv2DTranspose(1, 1, 4, stride=2, padding=1, weight_attr=start, bias_attr=False)
    >>> larger(paddle.ones([1, 1, 3, 3])).shape
    [1, 1, 6, 6]
    """

    def value(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """A filter [in, out, n, n]; ValueError for another shape."""
        if len(shape) != 4 or shape[2] != shape[3]:
            raise ValueError(f"Bilinear: a filter has shape [in, out, n, n]. Received {list(shape)}.")
        factor = math.ceil(shape[3] / 2.0)
        centre = (2 * factor - 1 - factor % 2) / (2.0 * factor)
        line = 1 - np.abs(np.arange(shape[3]) / factor - centre)
        return to_tensor(np.broadcast_to(np.outer(line, line), shape), dtype)
