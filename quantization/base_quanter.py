"""BaseQuanter: a layer that makes of values what whole numbers of few bits show of them."""

from __future__ import annotations

import abc
from typing import Any

from ..nn.layer import Layer


class BaseQuanter(Layer, metaclass=abc.ABCMeta):
    """A layer in the way of an activation or a weight; a subclass computes, and tells what conversion needs.

    >>> import proa as paddle
    >>> from proa.quantization import BaseQuanter
    >>> class Halves(BaseQuanter):  # to multiples of 0.5
    ...     def forward(self, input):
    ...         return (input * 2).round() / 2
    ...     def scales(self):
    ...         return paddle.to_tensor(63.5)
    ...     def zero_points(self):
    ...         return None
    ...     def quant_axis(self):
    ...         return -1
    ...     def bit_length(self):
    ...         return 8
    >>> Halves()(paddle.to_tensor([0.3, 1.1])).tolist()
    [0.5, 1.0]
    """

    @abc.abstractmethod
    def forward(self, input: Any) -> Any:
        """What whole numbers show of the input."""

    @abc.abstractmethod
    def scales(self) -> Any:
        """The value of the largest whole number: a tensor of one, or of one for each place along `quant_axis()`."""

    @abc.abstractmethod
    def zero_points(self) -> Any:
        """The whole number that stands for zero; None where it is 0."""

    @abc.abstractmethod
    def quant_axis(self) -> Any:
        """The dimension along which scales differ; -1 or None where there is one scale."""

    @abc.abstractmethod
    def bit_length(self) -> Any:
        """The number of bits."""
