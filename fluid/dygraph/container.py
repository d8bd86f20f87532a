"""Layers that hold layers or parameters, Sequential, LayerList, ParameterList: those of Paddle 2 as layers of 1.x."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...nn import container
from .layers import Layer


class Sequential(Layer, container.Sequential):
    """Layers that follow one another: given as layers, or as (name, layer) pairs.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     net = fluid.dygraph.Sequential(fluid.dygraph.Linear(3, 4), fluid.dygraph.Linear(4, 2))
    ...     net(fluid.dygraph.to_variable(np.ones([1, 3], "float32"))).shape, len(net)
    ([1, 2], 2)
    """

    def __init__(self, *layers: Any):
        Layer.__init__(self)
        for number, item in enumerate(layers):
            name, layer = item if isinstance(item, (list, tuple)) else (number, item)
            self.add_sublayer(str(name), layer)


class ParameterList(Layer, container.ParameterList):
    """A list of parameters."""

    def __init__(self, parameters: Iterable[Any] | None = None):
        Layer.__init__(self)
        for parameter in parameters or ():
            self.append(parameter)


class LayerList(Layer, container.LayerList):
    """A list of layers, of which a loop in `forward` makes use."""

    def __init__(self, sublayers: Iterable[Any] | None = None):
        Layer.__init__(self)
        self.extend(sublayers or ())


__all__ = ["LayerList", "ParameterList", "Sequential"]
