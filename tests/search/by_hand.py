"""A program as a static Program that is built by hand: data, the Layer, `minimize`, the Executor, clones and files."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import proa as paddle
from proa import static

from . import loading
from .loading import TRAINING, Module

#: What a Program by hand has otherwise: loops that write what they are given, buffers that `forward` moves, hooks on
#: gradients, weights that are computed before each call, PyLayers that decide, recorded calls that are for training
#: alone, views, Python's modes.
OTHERWISE = ("register_buffer", "def between", "LookAhead", "register_hook", "_norm(nn.", "set_value", "copy_(",
             "Deciding", "recorded(", "while_loop(", "view0", "self.training")


def can_be_built(module: Module) -> bool:
    """Whether a Program by hand means what the Layer means."""
    return not any(word in module.source for word in OTHERWISE)


class ByHand:
    """A training of a Layer by an Executor, in a scope of its own."""

    def __init__(self, module: Module, dtype: str, loss_of: Callable[[Any], Any], full_graph: bool):
        self.module, self.dtype, self.scope = module, dtype, static.Scope()
        self.main, self.startup, self.executor = static.Program(), static.Program(), static.Executor()
        self.begun = dict(module.net().state_dict())
        with static.scope_guard(self.scope), static.program_guard(self.main, self.startup):
            net = module.net()
            (net.train if module.TRAIN else net.eval)()
            held = self._data()
            self.data = loading.leaves(held)
            result = paddle.jit.to_static(net, full_graph=full_graph)(*held)
            self.outputs = loading.leaves(result)
            self.loss = loss_of(result)
            self.test = self.main.clone(for_test=True)
            self.optimizer = module.optimizer(net)
            self.optimizer.minimize(self.loss)
            self.held = {name: p.name for name, p in net.state_dict().items()}
            self._begin()

    def _data(self) -> Any:
        names = iter("abcdef")

        def one(leaf: str) -> Any:
            kind, shape = loading.shape_of(leaf, TRAINING)
            return static.data("in_" + next(names), shape, self.dtype if kind == "float" else "int64")

        return loading.map_leaves(one, self.module.INPUTS)

    def _begin(self) -> None:
        """The values that the Layer has eagerly; in a Program other draws come before a parameter's."""
        self.executor.run(self.startup)
        for name, value in self.begun.items():
            self._tensor(name).set(value.numpy(), paddle.CPUPlace())

    def _tensor(self, name: str) -> Any:
        return self.scope.find_var(self.held[name]).get_tensor()

    def state(self) -> dict[str, np.ndarray]:
        """Parameters and buffers by the names that they have in the Layer."""
        with static.scope_guard(self.scope):
            return {name: np.array(self._tensor(name)) for name in self.held}

    def run(self, program: Any, seed: int, fetched: list) -> list:
        """What a run gives on the arguments of a seed."""
        with static.scope_guard(self.scope):
            return self.executor.run(program, feed=self.feed(seed), fetch_list=fetched)

    def feed(self, seed: int) -> dict[str, np.ndarray]:
        """The arguments of a seed."""
        given = loading.leaves(loading.tensors(loading.arrays(self.module, TRAINING, seed), self.dtype))
        return {variable.name: value.numpy() for variable, value in zip(self.data, given, strict=True)}

    def from_file(self, seed: int) -> list:
        """What the saved and loaded model gives."""
        with tempfile.TemporaryDirectory() as folder, static.scope_guard(self.scope):
            prefix = str(Path(folder) / "model")
            static.save_inference_model(prefix, self.data, self.outputs, self.executor, program=self.test)
            with static.scope_guard(static.Scope()):
                program, names, fetched = static.load_inference_model(prefix, self.executor)
                fed = {name: array for name, array in self.feed(seed).items() if name in names}
                return self.executor.run(program, feed=fed, fetch_list=fetched)
