"""TranslatedLayer: a saved model as a Layer, to run, to fine-tune, to use inside another, and to save again."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable
from typing import Any

from ..backend import as_place
from ..core.param_attr import ParamAttr
from ..core.place import expected_place
from ..core.unique_name import generate
from ..dygraph.tensor import Parameter, Tensor, new_tensor
from ..nn import Layer
from ..ops.creation import to_tensor
from ..ops.trace import state
from ..static.format.params_info import read_params_info
from ..static.inline import inline
from ..static.input_spec import InputSpec
from ..static.io import INFO_SUFFIX, MODEL_SUFFIX, PARAMS_SUFFIX, read_parameters, read_program
from ..static.program import Program, Variable
from ..static.transform import feed_names, fetch_names, for_training, persistable_names, propagate_gradients, unframed
from .program_function import ProgramFunction


class LoadedMethod:
    """One Program of a model: compiled once for evaluation and once for training, when first used."""

    def __init__(self, program: Program):
        self.saved = program
        self.inputs, self.outputs = feed_names(program), fetch_names(program)
        self.states = persistable_names(program)
        self._functions: dict[bool, ProgramFunction] = {}

    def function(self, training: bool, trainable: set[str]) -> ProgramFunction:
        """The Program as a function of its inputs and states."""
        if training not in self._functions:
            program = self.program(training, trainable)
            self._functions[training] = ProgramFunction(program, [*self.inputs, *self.states], self.outputs)
        return self._functions[training]

    def program(self, training: bool, trainable: set[str]) -> Program:
        """A Program without feed and fetch, for training or evaluation, through which gradients flow."""
        source = unframed(self.saved)
        for name in self.states:
            source.global_block().var(name).stop_gradient = name not in trainable
        for name in self.inputs:
            variable = source.global_block().var(name)
            variable.stop_gradient = not variable.dtype.is_differentiable
        if training:
            return for_training(source)
        propagate_gradients(source)
        return source


class TranslatedLayer(Layer):
    """A model that `jit.load` has read. Calling it runs `forward`; other saved methods are attributes.

    `train()` brings dropout and batch statistics back. `state_dict()` is keyed as that of the Layer that was saved,
    where its names are known.
    """

    def __init__(self, methods: dict[str, LoadedMethod], values: dict[str, Tensor], names: dict[str, str]):
        super().__init__()
        self.__dict__["_methods"] = methods
        self.__dict__["_values"] = values  # by the name in the files
        self.__dict__["_names"] = names  # name in the files → name in the Layer
        for name, value in values.items():
            if isinstance(value, Parameter):
                self._parameters[names[name]] = value
            else:
                self._buffers[names[name]] = value
        for method in methods:
            if method != "forward":
                self.__dict__[method] = self._caller(method)
        self.eval()

    def _caller(self, method: str) -> Callable:
        def call(*args: Any) -> Any:
            return self._run(method, args)

        call.__name__ = method
        return call

    def forward(self, *args: Any) -> Any:
        """The outputs of the saved `forward`: one value, or a list of several."""
        return self._run("forward", args)

    def _value(self, name: str) -> Tensor:
        structured = self._names[name]
        return self._parameters[structured] if structured in self._parameters else self._buffers[structured]

    def _run(self, method: str, args: tuple) -> Any:
        loaded = self._methods[method]
        if len(args) != len(loaded.inputs):
            raise TypeError(f"{method} takes {len(loaded.inputs)} inputs, {loaded.inputs}. Received {len(args)}.")
        states = [self._value(name) for name in loaded.states]
        trainable = {n for n in loaded.states if isinstance(self._value(n), Parameter)}
        if not state.trace.computes:
            results: list[Any] = self._inlined(loaded, args, states, trainable)
        else:
            tensors = [self._checked(loaded, name, value) for name, value in zip(loaded.inputs, args, strict=True)]
            results = list(loaded.function(self.training, trainable)([*tensors, *states]))
        return results[0] if len(results) == 1 else results

    def _inlined(self, loaded: LoadedMethod, args: tuple, states: list[Tensor], trainable: set[str]) -> list[Variable]:
        trace: Any = state.trace
        given = {name: trace.lift(value, "an input of a TranslatedLayer")
                 for name, value in zip([*loaded.inputs, *loaded.states], [*args, *states], strict=True)}
        return inline(loaded.program(self.training, trainable), trace.block, given, loaded.outputs)

    def _checked(self, loaded: LoadedMethod, name: str, value: Any) -> Tensor:
        tensor = value if isinstance(value, Tensor) else to_tensor(value)
        variable = loaded.saved.global_block().var(name)
        fits = tensor.ndim == variable.ndim and all(
            a in (-1, b) for a, b in zip(variable.shape, tensor.shape, strict=False))
        if not fits or tensor.dtype is not variable.dtype:
            raise ValueError(
                f"The input {name!r} takes shape {list(variable.shape)} (-1: any size) and dtype "
                f"{variable.dtype.name}. Received shape {tensor.shape} and dtype {tensor.dtype.name}."
            )
        return tensor

    def program(self, method_name: str = "forward") -> Program:
        """The Program of a method, as it was saved."""
        if method_name not in self._methods:
            raise ValueError(f"There is no saved method {method_name!r}. The methods: {sorted(self._methods)}.")
        return self._methods[method_name].saved

    def _input_spec(self, method_name: str = "forward") -> list[InputSpec]:
        block = self.program(method_name).global_block()
        return [InputSpec(list(block.var(n).shape), block.var(n).dtype, n) for n in self._methods[method_name].inputs]

    def _output_spec(self, method_name: str = "forward") -> list[InputSpec]:
        block = self.program(method_name).global_block()
        return [InputSpec(list(block.var(n).shape), block.var(n).dtype, n) for n in self._methods[method_name].outputs]

    # Saving it again

    def export(self) -> dict[str, tuple[Program, dict[str, Any]]]:
        """The Programs by method, each with the values of its persistables."""
        return {method: (loaded.saved, {name: self._value(name)._array for name in loaded.states})
                for method, loaded in self._methods.items()}

    def info(self) -> dict[str, dict[str, Any]]:
        """What the persistables are called in the Layer, by the name in the files."""
        entries = {}
        for name, structured in self._names.items():
            value = self._value(name)
            entries[name] = {"structured_name": structured, "stop_gradient": value.stop_gradient,
                             "trainable": isinstance(value, Parameter) and value.trainable}
        return entries


def load_translated(path: str, model_filename: str | None, params_filename: str | None) -> TranslatedLayer:
    """The model whose files begin with `path`."""
    if model_filename or params_filename:
        model = os.path.join(path, model_filename or "__model__")
        files = {"forward": (model, os.path.join(path, params_filename or "__params__"))}
        info_path = os.path.join(path, (params_filename or "") + ".info")
    else:
        files, info_path = method_files(path), path + INFO_SUFFIX
    programs = {method: read_program(model) for method, (model, _) in files.items()}
    arrays: dict[str, Any] = {}
    for method, program in programs.items():
        arrays.update(read_parameters(files[method][1], program))
    info = read_params_info(info_path) if os.path.exists(info_path) else {}
    values, names = {}, {}
    for name, array in arrays.items():
        entry = info.get(name, {})
        values[name] = _loaded_value(name, as_place(array, expected_place()), entry, programs)
        names[name] = entry.get("structured_name", name)
    return TranslatedLayer({method: LoadedMethod(p) for method, p in programs.items()}, values, names)


def method_files(path: str) -> dict[str, tuple[str, str]]:
    """The model and parameter files of each saved method."""
    if not os.path.exists(path + MODEL_SUFFIX):
        raise FileNotFoundError(
            f"There is no file {path + MODEL_SUFFIX!r}. Give the prefix that was given to jit.save, without a suffix."
        )
    files = {"forward": (path + MODEL_SUFFIX, path + PARAMS_SUFFIX)}
    for found in sorted(glob.glob(glob.escape(path) + ".*" + MODEL_SUFFIX)):
        method = found[len(path) + 1: -len(MODEL_SUFFIX)]
        if method.isidentifier():
            files[method] = (found, f"{path}.{method}{PARAMS_SUFFIX}")
    return files


def _loaded_value(name: str, array: Any, entry: dict[str, Any], programs: dict[str, Program]) -> Tensor:
    """A parameter, fixed where the files say so or an operator writes it; a buffer where it is not floating."""
    fresh = generate(name.rpartition("_")[0] or name)
    tensor = new_tensor(array)
    if not tensor.dtype.is_differentiable:
        tensor.name, tensor.persistable = fresh, True
        return tensor
    written = any(name in op.output_arg_names for p in programs.values() for b in p.blocks for op in b.ops)
    return Parameter.of_array(array, ParamAttr(name=fresh, trainable=not written and entry.get("trainable", True)))
