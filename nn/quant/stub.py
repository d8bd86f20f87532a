"""Stub: a place in a network where quantization puts an observer."""

from __future__ import annotations

from typing import Any

from ..layer import Layer


class Stub(Layer):
    """Gives its input back; `QAT` and `PTQ` put what observes activations in its place.

    `observer`: the factory of that one; None for the one that the configuration has for this layer.

    >>> import proa as paddle
    >>> paddle.nn.quant.Stub()(paddle.ones([1])).tolist()
    [1.0]
    """

    def __init__(self, observer: Any = None):
        super().__init__()
        self._observer = observer

    def forward(self, input: Any) -> Any:
        """The input."""
        return input


class QuanterStub(Layer):
    """What takes a Stub's place: it gives what its observer makes of the input."""

    def __init__(self, layer: Stub, q_config: Any):
        super().__init__()
        factory = q_config.activation if layer._observer is None else layer._observer
        self._observer = None if factory is None else factory._instance(layer)

    def forward(self, input: Any) -> Any:
        """What the observer makes of the input."""
        return input if self._observer is None else self._observer(input)
