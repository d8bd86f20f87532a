"""Walks over a layer's sublayers, parameters and buffers: `named_sublayers`, `named_parameters`, `apply`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ...ops.array.full import is_value

if TYPE_CHECKING:
    from .layers import Layer


class Walked:
    """The part of Layer that lists what is in it."""

    _sub_layers: Any  # what Layer has

    def _as_layer(self) -> Any:
        return self

    def children(self) -> Iterator[Layer]:
        """The direct sublayers."""
        return (layer for _, layer in self.named_children())

    def named_children(self) -> Iterator[tuple[str, Layer]]:
        """The direct sublayers with their names, each once."""
        seen: set[int] = set()
        for name, layer in self._sub_layers.items():
            if layer is not None and id(layer) not in seen:
                seen.add(id(layer))
                yield name, layer

    def sublayers(self, include_self: bool = False) -> list[Layer]:
        """All sublayers, parents before children."""
        return [layer for _, layer in self.named_sublayers(include_self=include_self)]

    def named_sublayers(self, prefix: str = "", include_self: bool = False,
                        layers_set: set[Any] | None = None) -> Iterator[tuple[str, Layer]]:
        """All sublayers with their names, such as 'features.0', each once."""
        seen = set() if layers_set is None else layers_set
        if self in seen:
            return
        seen.add(self)
        if include_self:
            yield prefix, self._as_layer()
        for name, layer in self._sub_layers.items():
            if layer is not None:
                yield from layer.named_sublayers(f"{prefix}.{name}" if prefix else name, include_self=True,
                                                 layers_set=seen)

    def __named_members__(self, kind: str, prefix: str, include_sublayers: bool) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        layers: Iterable[tuple[str, Layer]] = [(prefix, self._as_layer())]
        if include_sublayers and self._sub_layers:
            layers = self.named_sublayers(prefix, include_self=True)
        for path, layer in layers:
            for name, value in layer.__values_of_kind__(kind):
                if value is not None and id(value) not in seen:
                    seen.add(id(value))
                    yield f"{path}.{name}" if path else name, value

    def __values_of_kind__(self, kind: str) -> Iterable[tuple[str, Any]]:
        """The layer's own parameters or buffers. A Tensor that is set as an attribute is a buffer too."""
        values = self.__dict__[kind].items()
        if kind == "_buffers":
            return [*values, *[(name, value) for name, value in self.__dict__.items() if is_value(value)]]
        return values

    def parameters(self, include_sublayers: bool = True) -> list[Any]:
        """All parameters, each once."""
        return [value for _, value in self.named_parameters(include_sublayers=include_sublayers)]

    def named_parameters(self, prefix: str = "", include_sublayers: bool = True) -> Iterator[tuple[str, Any]]:
        """All parameters with their names, such as 'features.0.weight', each once."""
        return self.__named_members__("_parameters", prefix, include_sublayers)

    def buffers(self, include_sublayers: bool = True) -> list[Any]:
        """All buffers, each once."""
        return [value for _, value in self.named_buffers(include_sublayers=include_sublayers)]

    def named_buffers(self, prefix: str = "", include_sublayers: bool = True) -> Iterator[tuple[str, Any]]:
        """All buffers with their names, each once: those that were registered, and Tensors set as attributes.

        >>> import proa as paddle
        >>> layer = paddle.nn.Layer()
        >>> layer.mask = paddle.ones([2])
        >>> [name for name, _ in layer.named_buffers()], list(layer.state_dict())
        (['mask'], [])
        """
        return self.__named_members__("_buffers", prefix, include_sublayers)

    def apply(self, fn: Callable[[Layer], Any]) -> Layer:
        """Calls `fn` on every sublayer, children first, and on the layer itself; gives the layer."""
        for layer in self.children():
            layer.apply(fn)
        layer = self._as_layer()
        fn(layer)
        return layer
