"""Factories of quanters: a class and its arguments, of which each layer gets an instance of its own."""

from __future__ import annotations

import abc
import sys
from collections.abc import Callable
from typing import Any

from ..nn.layer import Layer
from .base_quanter import BaseQuanter


class ClassWithArguments(metaclass=abc.ABCMeta):
    """A class to be, and the arguments for it."""

    def __init__(self, *args: Any, **kwargs: Any):
        self._args, self._kwargs = args, kwargs

    @property
    def args(self) -> tuple:
        """The positional arguments."""
        return self._args

    @property
    def kwargs(self) -> dict[str, Any]:
        """The arguments by name."""
        return self._kwargs

    @abc.abstractmethod
    def _get_class(self) -> type:
        """The class."""

    def __repr__(self) -> str:
        given = [*map(str, self._args), *(f"{name}={value}" for name, value in self._kwargs.items())]
        return f"{type(self).__name__}({','.join(given)})"


class QuanterFactory(ClassWithArguments):
    """Makes quanters of a class, which takes the layer that it is for and the arguments."""

    def _instance(self, layer: Layer | None) -> BaseQuanter:
        """A quanter for a layer."""
        return self._get_class()(layer, *self._args, **self._kwargs)


ObserverFactory = QuanterFactory


def quanter(class_name: str) -> Callable[[type], type]:
    """Decorator of a quanter's class: defines its factory under `class_name` in the module that it stands in.

    The class takes the layer first, and then what the factory is given.

    >>> import proa as paddle
    >>> @paddle.quantization.quanter("Halver")
    ... class HalverLayer(paddle.quantization.BaseQuanter):
    ...     def __init__(self, layer, by=2.0):
    ...         super().__init__()
    ...         self.by = by
    ...     def forward(self, input):
    ...         return input / self.by
    ...     def scales(self):
    ...         return paddle.ones([1])
    ...     def zero_points(self):
    ...         return None
    ...     def quant_axis(self):
    ...         return -1
    ...     def bit_length(self):
    ...         return 8
    >>> Halver(by=4.0)
    Halver(by=4.0)
    """
    names = sys._getframe(1).f_globals

    def define(target: type) -> type:
        def get_class(self: Any) -> type:
            return target

        factory = type(class_name, (QuanterFactory,), {
            "__module__": target.__module__, "__doc__": f"Makes {target.__name__}s.", "_get_class": get_class})
        names[class_name] = factory
        if "__all__" in names and class_name not in names["__all__"]:
            names["__all__"] = [*names["__all__"], class_name]
        return target

    return define
