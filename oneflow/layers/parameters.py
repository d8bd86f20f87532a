"""Variables of layers: `NAME-weight` and the like, or as the user names them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core import unique_name
from ..job.current import current
from ..scope import namespace
from ..variables import get_variable

_DEFAULTS = frozenset({"BatchNorm", "Conv1d", "Conv2d", "Conv3d", "Dense", "LayerNorm", "PRelu"})


def layer_name(name: str | None, kind: str) -> str:
    """The layer's name; for None the next one of its kind, `Conv2D_0`, `Conv2D_1`…

    The name that it has by default serves the first of a job's layers that was given none, `Dense`; then come
    `Dense_1`, `Dense_2`…
    """
    job = current(f"flow.layers: {kind}")
    if name is None:
        return job.automatic_name(kind)
    if name not in _DEFAULTS:
        return name
    count = unique_name.generate(f"unnamed {job.prefixed(name)}").rpartition("_")[2]  # afresh in each trace
    return name if count == "0" else f"{name}_{count}"


def layer_variable(layer: str, what: str, given: str | None = None, **options: Any) -> Any:
    """The variable `LAYER-what`, or the one that is called as given, behind the namespaces that are open.

    ValueError when the job has it already: two layers of one name would share their variables.
    """
    if given is not None:
        return get_variable(given, reuse=False, **options)
    with namespace(layer):
        return get_variable(what, reuse=False, **options)


def activated(activation: Callable[..., Any] | None, layer: str, value: Any) -> Any:
    """activation(value, name="activation") within the layer's namespace; the value for None, and for kNone, which is 0.

    TypeError for anything else: OneFlow passes over it.
    """
    if not activation:
        return value
    if not callable(activation):
        raise TypeError(f"The layer {layer!r}: activation must be a function of a value, such as flow.nn.relu. "
                        f"Received {activation!r}.")
    with namespace(layer):
        return activation(value, name="activation")
