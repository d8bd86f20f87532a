"""TracedLayer: the Program of one call of a Layer, to run, to look at and to save."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ..core import nest
from ..core.files import atomic_group
from ..nn import Layer
from ..static.files.inference_model import add_model
from ..static.ir.program import Program
from ..static.ir.transform import for_inference
from .errors import ConversionError
from .pyct.unreadable import SourceUnavailable
from .static_function import StaticFunction
from .tracing.concrete_program import ConcreteProgram


class _AsWritten(StaticFunction):
    """A function that cannot be converted for want of its source, traced as it was written."""

    def _to_trace(self) -> Any:
        return self._function


class TracedLayer:
    """A Layer as the Program that a call of it was; made by `TracedLayer.trace`.

    It reads the Layer's parameters anew at each run. Inputs must have the shapes and dtypes of the traced call.
    """

    def __init__(self, program: ConcreteProgram):
        if not isinstance(program, ConcreteProgram):
            raise TypeError("A TracedLayer is made by paddle.jit.TracedLayer.trace(layer, inputs).")
        self._concrete = program

    @staticmethod
    def trace(layer: Layer, inputs: Any) -> tuple[Any, TracedLayer]:
        """The outputs of `layer(*inputs)`, run as it was written, and the Program of that call.

        `inputs`: a list or tuple of Tensors, or one Tensor. Raises TypeError for what is no Layer, and
        ConversionError for a `forward` that cannot become a Program.

        >>> import proa as paddle
        >>> out, traced = paddle.jit.TracedLayer.trace(paddle.nn.Linear(2, 3), [paddle.ones([1, 2])])
        >>> bool((traced([paddle.ones([1, 2])])[0] == out).all())
        True
        """
        if not isinstance(layer, Layer):
            raise TypeError(f"TracedLayer.trace(layer): must be a Layer. Received {type(layer).__name__}.")
        inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        forward = layer.forward
        function = forward._function if isinstance(forward, StaticFunction) else getattr(forward, "__func__", forward)
        static = StaticFunction(function, None, layer, full_graph=True)
        outputs = layer.__call_with_hooks__(static.dygraph_function, tuple(inputs), {})
        try:
            return outputs, TracedLayer(static.get_concrete_program(*inputs)[0])
        except ConversionError as error:
            if not isinstance(error.__cause__, SourceUnavailable):
                raise
        as_written = _AsWritten(function, None, layer, full_graph=True)  # what the call did, with its branches
        return outputs, TracedLayer(as_written.get_concrete_program(*inputs)[0])

    @property
    def program(self) -> Program:
        """The Program."""
        return self._concrete.main_program

    def set_strategy(self, build_strategy: Any = None, exec_strategy: Any = None) -> None:
        """Takes a `BuildStrategy` and an `ExecutionStrategy`; neither changes what a Program computes, nor how."""
        for name, value, kind in (("build_strategy", build_strategy, "BuildStrategy"),
                                  ("exec_strategy", exec_strategy, "ExecutionStrategy")):
            if value is not None and type(value).__name__ != kind:
                raise TypeError(f"set_strategy({name}): must be a paddle.static.{kind}. "
                                f"Received {type(value).__name__}.")

    def __call__(self, inputs: Any) -> list[Any]:
        """The outputs, as a list, for a list of inputs."""
        given = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        if len(given) != len(self._concrete.inputs):
            raise ValueError(f"The traced Layer takes {len(self._concrete.inputs)} inputs. Received {len(given)}.")
        return nest.flatten(self._concrete(given))

    def save_inference_model(self, path: str, feed: Sequence[int] | None = None, fetch: Sequence[int] | None = None,
                             **kwargs: Any) -> None:
        """Writes PATH.pdmodel and PATH.pdiparams. `feed`, `fetch`: which inputs and outputs to keep, by number."""
        unknown = sorted(set(kwargs) - {"clip_extra"})
        if unknown:
            raise ValueError(f"save_inference_model: unknown options {unknown}. Known: clip_extra.")
        concrete = self._concrete
        inputs = chosen([v.name for v in concrete.inputs], feed, "feed")
        outputs = chosen([v.name for v in concrete.outputs], fetch, "fetch")
        program = for_inference(concrete.main_program, inputs, outputs)
        block = program.global_block()
        values = {name: t._array for name, t in concrete.state_now.items() if block.has_var(name)}
        with atomic_group() as group:
            add_model(group, os.fspath(path), program, values)


def chosen(names: list[str], numbers: Sequence[int] | None, what: str) -> list[str]:
    """Those of the names of inputs or outputs that a user asks for by number."""
    if numbers is None:
        return names
    wrong = [n for n in numbers if not isinstance(n, int) or not 0 <= n < len(names)]
    if wrong:
        raise ValueError(f"save_inference_model({what}): must be numbers from 0 to {len(names) - 1}. Received {wrong}.")
    return [names[n] for n in numbers]
