"""TracedLayer, declarative, dygraph_to_static_func: layers and functions of dynamic mode as Programs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from ...jit.api import dygraph_to_static_func, to_static
from ...jit.traced_layer import TracedLayer as _TracedLayer
from ...jit.traced_layer import chosen
from ...static.run.executor import Executor
from ...static.run.scope import Scope, scope_guard
from ..io import save_inference_model
from .base import guard, to_variable

__all__ = ["TracedLayer", "declarative", "dygraph_to_static_func"]


class TracedLayer(_TracedLayer):
    """A Layer as the Program that a call of it was; made by `TracedLayer.trace`.

    It reads the Layer's parameters anew at each run.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     x = fluid.dygraph.to_variable(np.ones([1, 2], "float32"))
    ...     out, traced = fluid.dygraph.TracedLayer.trace(fluid.dygraph.Linear(2, 3), [x])
    ...     bool(np.allclose(traced([x])[0], out.numpy()))
    True
    """

    @staticmethod
    def trace(layer: Any, inputs: Any) -> tuple[Any, TracedLayer]:
        """The outputs of `layer(*inputs)`, run as it was written, and the Program of that call."""
        outputs, traced = _TracedLayer.trace(layer, inputs)
        for variable in traced._concrete.inputs:
            variable.takes_any_size = True  # other batches than the traced one are fed to what is saved
        return outputs, TracedLayer(traced._concrete)

    def __call__(self, inputs: Any) -> list[Any]:
        """The outputs, arrays in a list, for a list of Variables or arrays."""
        given = inputs if isinstance(inputs, (list, tuple)) else [inputs]
        with guard():
            return [value.numpy() for value in super().__call__([to_variable(value) for value in given])]

    def save_inference_model(self, dirname: str, feed: Sequence[int] | None = None,  # type: ignore[override]
                             fetch: Sequence[int] | None = None) -> None:
        """Writes an inference model into a folder, each parameter in a file of its own.

        `feed`, `fetch`: which inputs and outputs to keep, by number.
        """
        concrete = self._concrete
        block = concrete.main_program.global_block()
        inputs = chosen([v.name for v in concrete.inputs], feed, "feed")
        outputs = chosen([v.name for v in concrete.outputs], fetch, "fetch")
        scope = Scope()
        for name, value in concrete.state_now.items():
            if block.has_var(name):
                scope.set_array(name, value._array)
        with scope_guard(scope):
            save_inference_model(os.fspath(dirname), inputs, [block.var(name) for name in outputs], Executor(),
                                 concrete.main_program)


def declarative(dygraph_func: Callable[..., Any]) -> Any:
    """A function whose tensor control flow becomes a Program's: `paddle.jit.to_static`.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> @fluid.dygraph.declarative
    ... def relu(x):
    ...     if x < 0.0:
    ...         return x * 0
    ...     return x
    >>> with fluid.dygraph.guard():
    ...     relu(fluid.dygraph.to_variable(np.array([-1.0], "float32"))).numpy().tolist()
    [-0.0]
    """
    return to_static(dygraph_func)
