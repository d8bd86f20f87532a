"""State dicts of PyTorch's modules for Layers: other names, transposed weights of Linear, projections in one array."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from .. import nn
from ..backend import to_numpy
from ..nn.layers.batch_norm import _BatchNormBase
from ..nn.layers.norm import _InstanceNormBase

__all__ = ["from_pytorch"]

#: What a Layer's own parameter or part is called there, where that differs.
_PARAMETERS: dict[type, dict[str, str]] = {
    _BatchNormBase: {"_mean": "running_mean", "_variance": "running_var"},
    _InstanceNormBase: {"scale": "weight"},
    nn.PReLU: {"_weight": "weight"},
}
_PARTS: dict[type, dict[str, str]] = {nn.TransformerDecoderLayer: {"cross_attn": "multihead_attn"}}
_PROJECTIONS = ("q_proj", "k_proj", "v_proj")
_UNNEEDED = ("num_batches_tracked",)


def from_pytorch(layer: nn.Layer, state: Mapping[str, Any], in_order: bool = False) -> dict[str, np.ndarray]:
    """The state dict for `layer.set_state_dict` that holds the values of a PyTorch module's state dict.

    `layer` is built as the module is, its parts under the same names. `state`: arrays, or Tensors, by PyTorch's names:
    `paddle.load("model.pt")`, `paddle.load("model.safetensors")`. Weights of Linear are transposed ([out, in] there,
    [in, out] here), `running_mean` becomes `_mean`, `in_proj_weight` is divided into the three projections, "module."
    before all names (of DataParallel) goes away. `in_order=True`, for a layer whose parts have other names and stand in
    the same order: the first value goes to the first parameter, and so on, where shape and kind (`weight`, `bias`,
    `running_mean`) agree. Raises KeyError with the names that are missing or left over, and ValueError where a shape
    differs.

    >>> import numpy as np, proa as paddle
    >>> layer = paddle.nn.Linear(2, 3)
    >>> state = {"weight": np.ones((3, 2), np.float32), "bias": np.zeros(3, np.float32)}
    >>> layer.set_state_dict(paddle.interchange.from_pytorch(layer, state))
    ([], [])
    """
    arrays = {str(name): _array(value) for name, value in state.items()}
    if arrays and all(name.startswith("module.") for name in arrays):
        arrays = {name.removeprefix("module."): value for name, value in arrays.items()}
    if in_order:
        arrays = _by_the_layers_names(layer, arrays)
    used: set[str] = set()
    missing: list[str] = []
    taken: dict[int, np.ndarray] = {}  # by parameter: one that stands under two names has one value
    result: dict[str, np.ndarray] = {}
    for name, there, owner, own, value in _values(layer, "", ""):
        source = there + _renamed(_PARAMETERS, owner, own)
        if source in arrays or id(value) not in taken:
            array = _found(arrays, source, there, owner, own, used)
            if array is None:
                missing.append(source)
                continue
            taken[id(value)] = _fitting(array, value, owner, own, name, source)
        result[name] = taken[id(value)]
    left = [name for name in arrays if name not in used and name.rpartition(".")[2] not in _UNNEEDED]
    if missing or left:
        raise KeyError(f"from_pytorch(layer, state): names do not agree. The layer needs {missing or 'nothing more'}; "
                       f"the state also has {left or 'nothing more'}. Give the layer's parts the module's names, "
                       "rename the state's keys before, or, where both have the same parts in the same order, take "
                       "from_pytorch(layer, state, in_order=True).")
    return result


def _by_the_layers_names(layer: Any, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays under the names that the layer's values would have there, one after the other."""
    wanted: dict[int, str] = {}
    for _, there, owner, own, value in _values(layer, "", ""):
        wanted.setdefault(id(value), there + _renamed(_PARAMETERS, owner, own))
    names = [name for name in arrays if name.rpartition(".")[2] not in _UNNEEDED]
    for position, (here, there) in enumerate(zip(wanted.values(), names, strict=False)):
        if here.rpartition(".")[2] != there.rpartition(".")[2]:
            raise KeyError(f"from_pytorch(layer, state, in_order=True): value {position} is {here!r} in the layer and "
                           f"{there!r} in the state: they do not stand in the same order.")
    if len(wanted) != len(names):
        raise KeyError(f"from_pytorch(layer, state, in_order=True): the layer has {len(wanted)} values and the state "
                       f"{len(names)}: they do not have the same parts.")
    return dict(zip(wanted.values(), (arrays[name] for name in names), strict=True))


def _array(value: Any) -> np.ndarray:
    return value if isinstance(value, np.ndarray) else to_numpy(getattr(value, "_array", value))


def _renamed(table: dict[type, dict[str, str]], owner: Any, name: str) -> str:
    return next((names.get(name, name) for kind, names in table.items() if isinstance(owner, kind)), name)


def _values(layer: Any, path: str, there: str) -> Iterator[tuple[str, str, Any, str, Any]]:
    """The name here, the owner's path there, the owner, its name in the owner, and the value, of all that is saved."""
    for name, value in layer.state_dict(include_sublayers=False).items():
        yield path + name, there, layer, name, value
    for name, part in layer.named_children():
        yield from _values(part, f"{path}{name}.", f"{there}{_renamed(_PARTS, layer, name)}.")


def _found(arrays: dict[str, np.ndarray], source: str, there: str, owner: Any, own: str,
           used: set[str]) -> np.ndarray | None:
    """The array of a name; a third of the joint projection's where attention keeps its three in one array."""
    if source in arrays:
        used.add(source)
        return arrays[source]
    outer, _, part = there.removesuffix(".").rpartition(".")
    joint = f"{outer}.in_proj_{own}".lstrip(".")
    if part not in _PROJECTIONS or joint not in arrays or not isinstance(owner, nn.Linear):
        return None
    used.add(joint)
    thirds: np.ndarray = np.split(arrays[joint], 3)[_PROJECTIONS.index(part)]
    return thirds


def _fitting(array: np.ndarray, value: Any, owner: Any, own: str, name: str, source: str) -> np.ndarray:
    """The array as the Layer holds it: its weight transposed for a Linear, a missing axis of one for Bilinear."""
    if isinstance(owner, nn.Linear) and own == "weight" and array.ndim == 2:
        array = np.ascontiguousarray(array.T)
    if isinstance(owner, nn.Bilinear) and own == "bias" and array.ndim == 1:
        array = array[None]
    if list(array.shape) != list(value.shape):
        raise ValueError(f"from_pytorch(layer, state): {name!r} has the shape {list(value.shape)} in the layer, and "
                         f"{source!r} of the state gives {list(array.shape)}.")
    return array
