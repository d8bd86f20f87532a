"""StaticModelRunner: an inference model of 1.x as a layer of dynamic mode, to run and to fine-tune."""

from __future__ import annotations

import os
from typing import Any

from ...core.param_attr import ParamAttr
from ...dygraph.value import EagerValue
from ...jit.translated_layer import load_translated
from ..initializer import NumpyArrayInitializer
from .base import to_variable
from .layers import Layer

__all__ = ["StaticModelRunner"]

_SUFFIX = "@LOADED"


class StaticModelRunner(Layer):
    """What `fluid.io.save_inference_model` wrote into a folder, here or in PaddlePaddle, as a layer.

    It trains until `eval()` is called: dropout drops, and batch normalization takes the batch's statistics. Parameters
    are called as in the file, with `@LOADED` behind. Raises ValueError where there is no such folder.

    >>> import tempfile
    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> folder, exe = tempfile.mkdtemp(), fluid.Executor()
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
    ...     y = fluid.layers.fc(fluid.data("x", [None, 2]), 3)
    ...     _ = exe.run(fluid.default_startup_program())
    ...     _ = fluid.io.save_inference_model(folder, ["x"], [y], exe)
    >>> with fluid.dygraph.guard():
    ...     runner = fluid.dygraph.static_runner.StaticModelRunner(folder)
    ...     runner(np.ones((4, 2), "float32")).shape, sorted(p.name for p in runner.parameters())
    ([4, 3], ['fc_0.b_0@LOADED', 'fc_0.w_0@LOADED'])
    """

    def __init__(self, model_dir: str, model_filename: str | None = None, params_filename: str | None = None):
        super().__init__()
        folder = os.fspath(model_dir)
        if not os.path.isdir(folder):
            raise ValueError(f"StaticModelRunner(model_dir): there is no folder {folder!r}.")
        translated = load_translated(folder, model_filename, params_filename)
        self.__dict__["_method"] = translated._methods["forward"]
        self.__dict__["_states"] = []
        written = {name for op in self._method.saved.global_block().ops for name in op.output_arg_names}
        for name in self._method.states:
            self._add(name + _SUFFIX, translated._value(name), name in written)
        self.train()

    def _add(self, name: str, value: EagerValue, is_statistic: bool) -> None:
        """Takes a value of the file for a parameter; statistics have no gradients."""
        attr = ParamAttr(name=name, initializer=NumpyArrayInitializer(value.numpy()))
        made = self.create_parameter(list(value.shape), attr, value.dtype)
        made.stop_gradient = is_statistic
        self._parameters[name] = made
        self._states.append(name)

    def train(self) -> None:
        """Lets it run as in training from now on."""
        self.__dict__["training"] = True

    def eval(self) -> None:
        """Lets it run as it was saved from now on."""
        self.__dict__["training"] = False

    def forward(self, *args: Any) -> Any:
        """The outputs, one or a list of several, for inputs (arrays or variables) in the order of feeding."""
        method = self._method
        if len(args) != len(method.inputs):
            raise TypeError(f"StaticModelRunner takes {len(method.inputs)} inputs, {method.inputs}. "
                            f"Received {len(args)}.")
        states = [self._parameters[name] for name in self._states]
        trained = frozenset(name for name, value in zip(method.states, states, strict=True) if not value.stop_gradient)
        values = [*map(to_variable, args), *states]
        results = list(method.function(self.training, trained, values)(values))
        return results[0] if len(results) == 1 else results
