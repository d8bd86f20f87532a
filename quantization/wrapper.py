"""ObserveWrapper: a layer whose input, or result, an observer looks at."""

from __future__ import annotations

from typing import Any

from ..nn.layer import Layer
from .base_quanter import BaseQuanter


class ObserveWrapper(Layer):
    """A layer behind its observer, or in front of it where its result is observed."""

    def __init__(self, observer: BaseQuanter, observed: Layer, observe_input: bool = True):
        super().__init__()
        self._observer, self._observed, self._observe_input = observer, observed, observe_input

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The layer's result; of several inputs the first is observed."""
        if self._observe_input:
            first, *others = inputs
            return self._observed(self._observer(first), *others, **kwargs)
        return self._observer(self._observed(*inputs, **kwargs))
