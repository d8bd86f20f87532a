"""Layers that hold layers: Sequential, LayerList, LayerDict, ParameterList."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..core.errors import WrongKindError
from .layer import Layer


class Sequential(Layer):
    """Layers that follow one another: given as layers, or as (name, layer) pairs.

    >>> import proa as paddle
    >>> net = paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.ReLU())
    >>> net(paddle.ones([1, 2])).shape
    [1, 3]
    """

    def __init__(self, *layers: Any):
        super().__init__()
        if len(layers) == 1 and isinstance(layers[0], (list, tuple)) and not _is_pair(layers[0]):
            layers = tuple(layers[0])
        for number, item in enumerate(layers):
            name, layer = item if isinstance(item, (list, tuple)) else (str(number), item)
            self.add_sublayer(str(name), layer)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(*list(self._sub_layers.items())[index])
        if isinstance(index, str):
            return self._sub_layers[index]
        return list(self._sub_layers.values())[index]

    def __setitem__(self, name: Any, layer: Layer) -> None:
        key = list(self._sub_layers)[name] if isinstance(name, int) and name < len(self._sub_layers) else str(name)
        self.add_sublayer(key, layer)

    def __delitem__(self, name: Any) -> None:
        del self._sub_layers[list(self._sub_layers)[name] if isinstance(name, int) else str(name)]

    def __len__(self) -> int:
        return len(self._sub_layers)

    def forward(self, input: Any) -> Any:
        """The last layer's output."""
        for layer in self._sub_layers.values():
            input = layer(input)
        return input


def _is_pair(value: Any) -> bool:
    return len(value) == 2 and isinstance(value[0], str)


class LayerList(Layer):
    """A list of layers, of which a loop in `forward` makes use.

    >>> import proa as paddle
    >>> layers = paddle.nn.LayerList([paddle.nn.Linear(2, 2) for _ in range(3)])
    >>> layers.append(paddle.nn.Linear(2, 1))
    LayerList(
      (0): Linear(in_features=2, out_features=2, dtype=float32)
      (1): Linear(in_features=2, out_features=2, dtype=float32)
      (2): Linear(in_features=2, out_features=2, dtype=float32)
      (3): Linear(in_features=2, out_features=1, dtype=float32)
    )
    >>> len(layers), layers[-1].weight.shape, len(list(layers.parameters()))
    (4, [2, 1], 8)
    """

    def __init__(self, sublayers: Iterable[Layer] | None = None):
        super().__init__()
        self.extend(sublayers or [])

    def _key(self, index: int) -> str:
        size = len(self._sub_layers)
        if not -size <= index < size:
            raise IndexError(f"LayerList has {size} layers. Received index {index}.")
        return str(index % size)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self._sub_layers.values())[index])
        return self._sub_layers[self._key(index)]

    def __setitem__(self, index: int, layer: Layer) -> None:
        self.add_sublayer(self._key(index), layer)

    def __delitem__(self, index: Any) -> None:
        layers = list(self._sub_layers.values())
        del layers[index]
        self._fill(layers)

    def _fill(self, layers: list[Layer]) -> None:
        self._sub_layers.clear()
        self.extend(layers)

    def __len__(self) -> int:
        return len(self._sub_layers)

    def __iter__(self) -> Iterator[Layer]:
        return iter(self._sub_layers.values())

    def append(self, sublayer: Layer) -> LayerList:
        """Adds a layer at the end."""
        self.add_sublayer(str(len(self._sub_layers)), sublayer)
        return self

    def insert(self, index: int, sublayer: Layer) -> None:
        """Puts a layer before the one at `index`."""
        if not isinstance(index, int) or not -len(self) <= index <= len(self):
            raise IndexError(f"LayerList.insert(index): must lie in [{-len(self)}, {len(self)}]. Received {index!r}.")
        layers = list(self._sub_layers.values())
        layers.insert(index, sublayer)
        self._fill(layers)

    def extend(self, sublayers: Iterable[Layer]) -> LayerList:
        """Adds several layers at the end."""
        for layer in sublayers:
            self.append(layer)
        return self


class LayerDict(Layer):
    """Layers by name.

    >>> import proa as paddle
    >>> heads = paddle.nn.LayerDict({"a": paddle.nn.Linear(2, 1), "b": paddle.nn.Linear(2, 3)})
    >>> sorted(heads.keys()), heads["b"](paddle.ones([1, 2])).shape
    (['a', 'b'], [1, 3])
    """

    def __init__(self, sublayers: Any = None):
        super().__init__()
        if sublayers is not None:
            self.update(sublayers)

    def __getitem__(self, key: str) -> Layer:
        return self._sub_layers[key]

    def __setitem__(self, key: str, sublayer: Layer) -> None:
        self.add_sublayer(key, sublayer)

    def __delitem__(self, key: str) -> None:
        del self._sub_layers[key]

    def __len__(self) -> int:
        return len(self._sub_layers)

    def __iter__(self) -> Iterator[str]:
        return iter(self._sub_layers)

    def __contains__(self, key: str) -> bool:
        return key in self._sub_layers

    def clear(self) -> None:
        """Takes every layer out."""
        self._sub_layers.clear()

    def pop(self, key: str) -> Layer:
        """Takes a layer out and gives it."""
        return self._sub_layers.pop(key)

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._sub_layers.keys()

    def items(self) -> Iterable[tuple[str, Layer]]:
        """Names and layers."""
        return self._sub_layers.items()

    def values(self) -> Iterable[Layer]:
        """The layers."""
        return self._sub_layers.values()

    def update(self, sublayers: Any) -> None:
        """Adds layers from a dict or from (name, layer) pairs."""
        if not isinstance(sublayers, Iterable):
            raise WrongKindError("LayerDict.update(sublayers): must be a dict or pairs of a name and a layer. Received "
                                 f"{type(sublayers).__name__}.")
        for key, layer in sublayers.items() if isinstance(sublayers, (Mapping, LayerDict)) else sublayers:
            self.add_sublayer(key, layer)


class ParameterList(Layer):
    """A list of parameters.

    >>> import proa as paddle
    >>> values = paddle.nn.ParameterList([paddle.create_parameter([2], "float32") for _ in range(3)])
    >>> len(values), values[0].shape
    (3, [2])
    """

    def __init__(self, parameters: Iterable[Any] | None = None):
        super().__init__()
        for parameter in parameters or []:
            self.append(parameter)

    def __getitem__(self, index: int) -> Any:
        return list(self._parameters.values())[index]

    def __setitem__(self, index: int, parameter: Any) -> None:
        self.add_parameter(list(self._parameters)[index], parameter)

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parameters.values())

    def append(self, parameter: Any) -> ParameterList:
        """Adds a parameter at the end."""
        self.add_parameter(str(len(self._parameters)), parameter)
        return self
