"""What a Layer's state dict holds, and the places where Layers stand below another one."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .layers import Layer


def places(layer: Layer, path: str = "", above: tuple[Layer, ...] = ()) -> Iterator[tuple[str, Layer]]:
    """Every place of a layer below this one with what stands in it, the layer itself first."""
    yield path, layer
    for name, inner in layer._sub_layers.items():
        if inner is not None and inner is not layer and all(inner is not one for one in above):
            yield from places(inner, f"{path}.{name}" if path else name, (*above, layer))


def named_state(root: Layer, destination: dict[Any, Any] | None, include_sublayers: bool,
                structured_name_prefix: str, use_hook: bool, every_buffer: bool) -> dict[str, Any]:
    """Parameters and buffers by name, put into `destination`; what hooks of state dicts make of them."""
    state = OrderedDict() if destination is None else destination
    layers = places(root) if include_sublayers else [("", root)]
    for path, layer in layers:
        prefix = structured_name_prefix + (f"{path}." if path else "")
        for name, value in layer._parameters.items():
            if value is not None:
                state[prefix + name] = value
        for name, value in layer.__values_of_kind__("_buffers") if every_buffer else layer._buffers.items():
            if value is not None and (every_buffer or name not in layer._non_persistable_buffer_names_set):
                state[prefix + name] = value
    for hook in list(root._state_dict_hooks.values()) if use_hook else ():
        changed = hook(state)
        state = state if changed is None else changed
    return state
