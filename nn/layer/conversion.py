"""What `layer.to`, `layer.float16` and their like do: parameters and buffers on another device, or of another dtype."""

from __future__ import annotations

from typing import Any

from ...core.dtype import DType, convert_dtype


def move_layers(layer: Any, device: Any, dtype: Any, excluded: tuple[type, ...] = (),
                floating_only: bool = False) -> Any:
    """Moves and converts what is in a layer and its sublayers, but for those of the excluded types; gives the layer.

    Parameters take the dtype, of which those of whole numbers keep theirs if `floating_only`, as buffers of whole
    numbers and bools always do: they are places and counts.
    """
    wanted = None if dtype is None else convert_dtype(dtype)
    for each in layer.sublayers(include_self=True):
        if type(each) in excluded:
            continue
        for kind in ("_parameters", "_buffers"):
            for _, value in each.__values_of_kind__(kind):
                if value is not None:
                    converts = value.dtype.is_floating or (kind == "_parameters" and not floating_only)
                    value.move_(device, wanted if converts else None)
        if wanted is not None:
            each.__dict__["_dtype"] = wanted.name
    return layer


def convert_layers(layer: Any, dtype: DType, excluded_layers: Any, base: type) -> Any:
    """`layer.float16()` and its like. `excluded_layers`: a type of layers or several, whose layers stay as they are.

    Without any, layers stay that say so themselves (`__keeps_its_dtype__`); those that are of a subclass do not.
    """
    if excluded_layers is None:
        kept = {type(each) for each in layer.sublayers(include_self=True)}
        excluded = tuple(kind for kind in kept if vars(kind).get("__keeps_its_dtype__"))
    elif isinstance(excluded_layers, type) and issubclass(excluded_layers, base):
        excluded = (excluded_layers,)
    elif isinstance(excluded_layers, (list, tuple)):
        excluded = tuple(excluded_layers)
    else:
        raise TypeError(f"{dtype.name}(excluded_layers): must be a type of layers, or a list of such. Received "
                        f"{excluded_layers!r}.")
    return move_layers(layer, None, dtype, excluded, floating_only=True)
