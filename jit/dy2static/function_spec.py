"""Names of `paddle.jit.dy2static.function_spec`: the Tensors of a Layer by name."""

from __future__ import annotations

from typing import Any

from ...nn.layer import Layer

__all__ = ["get_buffers", "get_parameters"]


def get_parameters(layer_instance: Layer | None, include_sublayer: bool = True) -> dict[str, Any]:
    """The parameters of a Layer by their own names; none of None.

    >>> import proa as paddle
    >>> len(paddle.jit.dy2static.function_spec.get_parameters(paddle.nn.Linear(2, 3)))
    2
    """
    found = () if layer_instance is None else layer_instance.parameters(include_sublayers=include_sublayer)
    return {each.name: each for each in found}


def get_buffers(layer_instance: Layer | None, include_sublayer: bool = True) -> dict[str, Any]:
    """The buffers of a Layer by their own names; none of None."""
    found = () if layer_instance is None else layer_instance.buffers(include_sublayers=include_sublayer)
    return {each.name: each for each in found}
