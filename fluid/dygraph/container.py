"""Layers that hold layers or parameters: Sequential, LayerList, ParameterList."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .layers import Layer


class Sequential(Layer):
    """Layers that follow one another: given as layers, or as (name, layer) pairs.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     net = fluid.dygraph.Sequential(fluid.dygraph.Linear(3, 4), fluid.dygraph.Linear(4, 2))
    ...     net(fluid.dygraph.to_variable(np.ones([1, 3], "float32"))).shape, len(net)
    ([1, 2], 2)
    """

    def __init__(self, *layers: Any):
        super().__init__()
        for number, item in enumerate(layers):
            name, layer = item if isinstance(item, (list, tuple)) else (number, item)
            self.add_sublayer(str(name), layer)

    def __getitem__(self, name: Any) -> Any:
        return self._sub_layers[str(name)]

    def __setitem__(self, name: Any, layer: Any) -> None:
        self.add_sublayer(str(name), layer)

    def __delitem__(self, name: Any) -> None:
        del self._sub_layers[str(name)]

    def __len__(self) -> int:
        return len(self._sub_layers)

    def forward(self, input: Any) -> Any:
        """The last layer's output."""
        for layer in self._sub_layers.values():
            input = layer(input)
        return input


class ParameterList(Layer):
    """A list of parameters."""

    def __init__(self, parameters: Iterable[Any] | None = None):
        super().__init__()
        for parameter in parameters or ():
            self.append(parameter)

    def __getitem__(self, idx: int) -> Any:
        return self._parameters[str(idx)]

    def __setitem__(self, idx: int, param: Any) -> None:
        setattr(self, str(idx), param)

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parameters.values())

    def append(self, parameter: Any) -> ParameterList:
        """Adds a parameter at the end."""
        self.add_parameter(str(len(self._parameters)), parameter)
        return self


class LayerList(Layer):
    """A list of layers, of which a loop in `forward` makes use."""

    def __init__(self, sublayers: Iterable[Any] | None = None):
        super().__init__()
        self.extend(sublayers or ())

    def __getitem__(self, idx: Any) -> Any:
        layers = list(self._sub_layers.values())
        return type(self)(layers[idx]) if isinstance(idx, slice) else layers[idx]

    def __setitem__(self, idx: int, sublayer: Any) -> None:
        if not -len(self) <= idx < len(self):
            raise IndexError(f"LayerList has {len(self)} layers. Received index {idx}.")
        self.add_sublayer(str(idx % len(self)), sublayer)

    def __delitem__(self, idx: Any) -> None:
        layers = list(self._sub_layers.values())
        del layers[idx]
        self._fill(layers)

    def _fill(self, layers: list[Any]) -> None:
        self._sub_layers.clear()
        self.extend(layers)

    def __len__(self) -> int:
        return len(self._sub_layers)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._sub_layers.values())

    def append(self, sublayer: Any) -> LayerList:
        """Adds a layer at the end."""
        self.add_sublayer(str(len(self)), sublayer)
        return self

    def insert(self, index: int, sublayer: Any) -> None:
        """Puts a layer before the one at `index`."""
        if not isinstance(index, int) or not 0 <= index <= len(self):
            raise IndexError(f"LayerList.insert(index): must lie in [0, {len(self)}]. Received {index!r}.")
        layers = list(self._sub_layers.values())
        layers.insert(index, sublayer)
        self._fill(layers)

    def extend(self, sublayers: Iterable[Any]) -> LayerList:
        """Adds several layers at the end."""
        for layer in sublayers:
            self.append(layer)
        return self


__all__ = ["LayerList", "ParameterList", "Sequential"]
