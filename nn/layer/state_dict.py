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
    """Parameters and buffers by name, put into `destination`; what hooks of state dicts make of them.

    The hooks of a layer below get what there is when all of that layer is in it, and may add and change values.
    """
    state = OrderedDict() if destination is None else destination
    waiting: list[tuple[str, Layer]] = []  # the place, and those that it is in, whose hooks have not been called
    for path, layer in places(root) if include_sublayers else [("", root)]:
        while use_hook and len(waiting) > 1 and not path.startswith(f"{waiting[-1][0]}."):
            state.update(_hooked(waiting.pop()[1], state))
        waiting.append((path, layer))
        prefix = structured_name_prefix + (f"{path}." if path else "")
        for name, value in layer._parameters.items():
            if value is not None:
                state[prefix + name] = value
        for name, value in layer.__values_of_kind__("_buffers") if every_buffer else layer._buffers.items():
            if value is not None and (every_buffer or name not in layer._non_persistable_buffer_names_set):
                state[prefix + name] = value
    while use_hook and len(waiting) > 1:
        state.update(_hooked(waiting.pop()[1], state))
    return _hooked(root, state) if use_hook else state


def _hooked(layer: Layer, state: dict[str, Any]) -> dict[str, Any]:
    for hook in list(layer._state_dict_hooks.values()):
        changed = hook(state)
        state = state if changed is None else changed
    return state
