"""Model in static mode: a Program each for training, evaluation and prediction, run by an Executor."""

from __future__ import annotations

import copy
import os
from typing import Any, NamedTuple

import numpy as np

from ..backend import to_numpy
from ..core import nest
from ..framework.io import load, save
from ..nn import Layer
from ..static.building.data import data
from ..static.building.mode import default_main_program, default_startup_program, program_guard
from ..static.files.inference_model import save_inference_model
from ..static.ir.usage import needed_operations
from ..static.program import Program
from ..static.run.executor import Executor
from ..static.run.scope import global_scope
from .model import Model, as_list
from .precision import AmpSettings


class Written(NamedTuple):
    """A Program, its inputs, and what a run of it gives."""

    program: Program
    feeds: list[Any]
    outputs: list[Any]
    losses: list[Any]
    measured: list[list[Any]]


class ProgramModel(Model):
    """What `Model(network, inputs, labels)` gives in static mode; `inputs` are needed, and `labels` for a loss.

    The network is made in static mode too. Its Programs are copies of the default main one, written by `prepare`;
    values live in the global scope.

    >>> import numpy, proa as paddle
    >>> paddle.enable_static()
    >>> spec = paddle.static.InputSpec
    >>> model = paddle.Model(paddle.nn.Linear(2, 1), spec([None, 2], "float32", "x"), spec([None, 1], "float32", "y"))
    >>> model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), paddle.nn.MSELoss())
    >>> x, y = numpy.ones((8, 2), "float32"), numpy.ones((8, 1), "float32")
    >>> losses = [float(model.train_batch([x], [y])[0]) for _ in range(3)]
    >>> losses[2] < losses[0]
    True
    >>> paddle.disable_static()
    """

    def __init__(self, network: Layer, inputs: Any = None, labels: Any = None):
        super().__init__(network, inputs, labels)
        if self._inputs is None:
            raise ValueError("Model(inputs): in static mode the network's inputs must be given, as InputSpecs.")
        self._main, self._startup, self._executor = default_main_program(), default_startup_program(), Executor()
        self._programs: dict[str, Written] = {}

    def prepare(self, optimizer: Any = None, loss: Any = None, metrics: Any = None, amp_configs: Any = None) -> None:
        """As of a Model that computes. With `amp_configs` the Program of training is one of mixed precision, as
        `static.amp.decorate` makes it; those of evaluation and prediction compute in float32.
        """
        super().prepare(optimizer, loss, metrics)
        self._amp = AmpSettings(amp_configs)
        modes = ["train"] if optimizer is not None and loss is not None else []
        self._programs = {mode: self._write(mode) for mode in (*modes, "eval", "predict")
                          if mode != "eval" or self._labels is not None or loss is None}

    def _write(self, mode: str) -> Written:
        program, startup = self._main.clone(), Program()
        self._set_mode(mode)
        with program_guard(program, startup):
            inputs = [
                data(spec.name or f"input_{n}", spec.shape, spec.dtype) for n, spec in enumerate(self._inputs or [])]
            labels = [] if mode == "predict" else [
                data(spec.name or f"label_{n}", spec.shape, spec.dtype) for n, spec in enumerate(self._labels or [])]
            outputs = list(nest.leaves(self.network(*inputs)))
            losses = as_list(self._loss(*outputs, *labels)) if self._loss is not None and mode != "predict" else []
            measured = [] if mode == "predict" else [
                as_list(metric.compute(*outputs, *labels)) for metric in self._metrics]
            if mode == "train" and self._optimizer is not None:
                total = losses[0] if len(losses) == 1 else sum(losses[1:], losses[0])
                self._amp.of_programs(self._optimizer).minimize(total)
        for each in (self._startup, startup):
            self._fill(each)
        return Written(program, [*inputs, *labels], outputs, losses, measured)

    def _fill(self, startup: Program) -> None:
        """Gives values to what a startup Program begins and the scope does not hold yet."""
        block, scope = startup.global_block(), global_scope()
        missing = {name for op in block.ops for name in op.output_arg_names
                   if block.has_var(name) and block.var(name).persistable and scope.array(name) is None}
        if missing:
            rest = copy.deepcopy(startup)
            rest.global_block().ops = needed_operations(rest.global_block().ops, missing)
            self._executor.run(rest, scope=scope)

    def _computed(self, mode: str, given: list[Any]) -> tuple[list[Any], list[Any], list[list[Any]]]:
        """Outputs, losses and what metrics compute, of a batch."""
        if mode not in self._programs:
            raise RuntimeError(f"{mode}_batch: there is nothing to {mode} by. Call prepare(optimizer, loss) before"
                               + ("." if mode == "train" else ", and give the Model its `labels`."))
        written = self._programs[mode]
        if len(given) != len(written.feeds):
            raise ValueError(f"{mode}_batch: takes {[v.name for v in written.feeds]}. Received {len(given)} values.")
        feed = {variable.name: np.asarray(value) for variable, value in zip(written.feeds, given, strict=True)}
        wanted = [*written.outputs, *written.losses, *(v for each in written.measured for v in each)]
        found = iter(self._executor.run(written.program, feed=feed, fetch_list=wanted))
        return ([next(found) for _ in written.outputs], [next(found) for _ in written.losses],
                [[next(found) for _ in each] for each in written.measured])

    def _told(self, losses: list[Any], measured: list[list[Any]]) -> Any:
        values = [metric.update(*each) for metric, each in zip(self._metrics, measured, strict=True)]
        if not self._metrics:
            return losses
        return (losses, values) if self._loss is not None else values

    def train_batch(self, inputs: Any, labels: Any = None, update: bool = True) -> Any:
        """One training step: the losses, as a list of arrays, and with metrics ([losses], [values]).

        NotImplementedError for `update=False`: gradients are part of a run.
        """
        if not update:
            raise NotImplementedError("train_batch(update=False): in static mode every run of the Program updates. "
                                      "Use paddle.incubate.optimizer.GradientMergeOptimizer.")
        self._set_mode("train")
        _, losses, measured = self._computed("train", [*as_list(inputs), *as_list(labels)])
        return self._told(losses, measured)

    def eval_batch(self, inputs: Any, labels: Any = None) -> Any:
        """As `train_batch`, without training; without a loss, the metrics' values alone."""
        self._set_mode("eval")
        _, losses, measured = self._computed("eval", [*as_list(inputs), *as_list(labels)])
        return self._told(losses, measured)

    def predict_batch(self, inputs: Any) -> list[np.ndarray]:
        """The network's outputs for a batch, as arrays."""
        self._set_mode("predict")
        if "predict" not in self._programs:
            self._programs["predict"] = self._write("predict")
        return self._computed("predict", as_list(inputs))[0]

    def save(self, path: str, training: bool = True) -> None:
        """Writes `path.pdparams` and an optimizer's state, `path.pdopt`; with `training=False` a model to run."""
        if not os.path.basename(path):
            raise ValueError(f"save(path): a path ends in a name, FOLDER/NAME. Received {path!r}.")
        if not training:
            written = self._programs.get("predict") or self._write("predict")
            save_inference_model(path, written.feeds, written.outputs, self._executor, program=written.program)
            return
        save({name: _held(value) for name, value in self.network.state_dict().items()}, path + ".pdparams")
        state = None if self._optimizer is None else self._optimizer.state_dict()
        if state:
            save({name: _held(value) if hasattr(value, "block") else value for name, value in state.items()},
                 path + ".pdopt")

    def load(self, path: str, skip_mismatch: bool = False, reset_optimizer: bool = False) -> None:
        """Reads what `save(training=True)` wrote, here, by a Model that computes, or in PaddlePaddle.

        ValueError, before anything is changed, for values that are missing or of another shape, unless `skip_mismatch`.
        """
        path = path.removesuffix(".pdparams")
        own, values = self.network.state_dict(), load(path + ".pdparams", return_numpy=True)
        fits = {name: name in values and list(values[name].shape) == list(value.shape) for name, value in own.items()}
        missing = [name for name, fitting in fits.items() if not fitting]
        if missing and not skip_mismatch:
            raise ValueError(f"load(path): {missing} are not in the file, or of another shape there. With "
                             "skip_mismatch=True they are left as they are.")
        for name, value in own.items():
            if fits[name]:
                _hold(value, values[name])
        if self._optimizer is None or reset_optimizer or not os.path.exists(path + ".pdopt"):
            return
        kept = load(path + ".pdopt", return_numpy=True)
        for name, value in self._optimizer.state_dict().items():
            if name in kept and hasattr(value, "block"):
                _hold(value, kept[name])


def _held(variable: Any) -> np.ndarray:
    array = global_scope().array(variable.name)
    if array is None:
        raise RuntimeError(f"save(path): {variable.name!r} has no value yet. Call prepare() before.")
    return np.array(to_numpy(array))


def _hold(variable: Any, value: Any) -> None:
    global_scope().var(variable.name).get_tensor().set(np.asarray(value).astype(variable.dtype.dtype))


Model._of_programs = ProgramModel
