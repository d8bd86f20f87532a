"""TranslatedLayer: a saved model as a Layer, to run, to fine-tune, to use inside another, and to save again."""

from __future__ import annotations

import glob
import os
import warnings
from collections.abc import Callable, Sequence
from types import MethodType
from typing import Any

from ..backend import as_place
from ..core.files import MissingFileError
from ..core.place import expected_place
from ..dygraph.parameter import EagerParameter
from ..dygraph.value import EagerValue
from ..nn import Layer
from ..ops.array.creation import to_tensor
from ..ops.core.spec import Spec
from ..ops.core.trace import state
from ..static.autodiff.gradient_operators import with_rules
from ..static.autodiff.stop_gradient import propagate_gradients, stopped_on_purpose
from ..static.files.inference_model import read_parameters, read_program
from ..static.files.model_files import INFO_SUFFIX, MODEL_SUFFIX, OLDER_MODEL, PARAMS_SUFFIX, older_files, program_file
from ..static.format.params_info import read_params_info
from ..static.ir.frame import feed_names, fetch_names
from ..static.ir.inline import inline
from ..static.ir.input_spec import InputSpec
from ..static.ir.misfits import misfits
from ..static.ir.program import Program
from ..static.ir.shape_inference import for_inputs
from ..static.ir.transform import persistable_names, set_training, unframed
from ..static.ir.variable import Variable
from .files.parameter_info import LoadedValues
from .tracing.program_function import ProgramFunction


class LoadedMethod:
    """One Program of a model: compiled once for evaluation and once for training, when first used."""

    # No `__dict__`: nothing of it is state of what conversion meets.
    __slots__ = ("saved", "inputs", "outputs", "states", "specs", "_of_inputs", "_functions")

    def __init__(self, program: Program):
        self.saved = program = with_rules(program)  # of a model whose forward asks for gradients
        self.inputs, self.outputs = feed_names(program), fetch_names(program)
        self.states = persistable_names(program)
        self.specs = {name: program.global_block().var(name).spec for name in (*self.inputs, *self.states)}
        self._of_inputs = {name: self.specs[name] for name in self.inputs}
        self._functions: dict[Any, ProgramFunction] = {}

    def function(self, training: bool, trained: frozenset[str], values: Sequence[EagerValue]) -> ProgramFunction:
        """The Program as a function of its inputs and states: see `program`."""
        key = training, trained, tuple(self._others(values).items())
        found = self._functions.get(key)
        if found is None:
            program = self.program(training, trained, values)
            found = self._functions[key] = ProgramFunction(program, [*self.inputs, *self.states], self.outputs)
        return found

    def program(self, training: bool, trained: frozenset[str], values: Sequence[Any]) -> Program:
        """A Program without feed and fetch, for training or evaluation, through which gradients flow.

        `trained`: the states that may have a gradient. `values`: the inputs, of any sizes that the operators take, and
        the states, which may have been converted.
        """
        source = unframed(for_inputs(self.saved, self.specs, values) if self._others(values) else self.saved)
        stopped = stopped_on_purpose(source)
        block = source.global_block()
        for name in self.states:
            block.var(name).stop_gradient = name not in trained
        for name in self.inputs:
            block.var(name).stop_gradient = not block.var(name).dtype.is_differentiable
        if training:
            set_training(source)
        propagate_gradients(source, stopped)
        return source

    def _others(self, values: Sequence[Any]) -> dict[str, Spec]:
        """The inputs that are not as the file says, and then the states that are not."""
        return misfits(self._of_inputs, values[:len(self.inputs)]) and misfits(self.specs, values)


# Names by which they are imported:
INFER_MODEL_SUFFIX, INFER_PARAMS_SUFFIX, INFER_PARAMS_INFO_SUFFIX = MODEL_SUFFIX, PARAMS_SUFFIX, INFO_SUFFIX


class TranslatedLayer(Layer):
    """A model that `jit.load` has read. Calling it runs `forward`; other saved methods are attributes.

    `train()` brings dropout and batch statistics back. `state_dict()` is keyed as that of the Layer that was saved,
    where its names are known.

    >>> import proa as paddle
    >>> import tempfile
    >>> prefix = tempfile.mkdtemp() + "/net"
    >>> net = paddle.nn.Linear(2, 1)
    >>> paddle.jit.save(net, prefix, input_spec=[paddle.static.InputSpec([None, 2])])
    >>> loaded = paddle.jit.load(prefix)
    >>> bool(paddle.allclose(loaded(paddle.ones([3, 2])), net(paddle.ones([3, 2]))))
    True
    >>> type(loaded).__name__
    'TranslatedLayer'
    """

    def __init__(self, methods: dict[str, LoadedMethod], values: dict[str, EagerValue], names: dict[str, list[str]]):
        super().__init__()
        self.__dict__["_methods"] = methods
        self.__dict__["_names"] = {name: given[-1] for name, given in names.items()}  # in the files → in the Layer
        for name, value in values.items():
            held = self._parameters if isinstance(value, EagerParameter) else self._buffers
            for structured in names[name]:
                held[structured] = value
                if not value.persistable:
                    self._non_persistable_buffer_names_set.add(structured)
        for method in methods:
            if method != "forward":
                self.__dict__[method] = self._caller(method)
        self.eval()

    def _caller(self, method: str) -> Callable[..., Any]:
        def call(layer: TranslatedLayer, *args: Any) -> Any:
            return layer._run(method, args)

        call.__name__ = method
        return MethodType(call, self)  # which a deep copy binds to the copy

    def forward(self, *args: Any) -> Any:
        """The outputs of the saved `forward`: one value, or a list of several."""
        return self._run("forward", args)

    def _value(self, name: str) -> EagerValue:
        structured = self._names[name]
        return self._parameters[structured] if structured in self._parameters else self._buffers[structured]

    def _run(self, method: str, args: tuple[Any, ...]) -> Any:
        loaded = self._methods[method]
        if len(args) != len(loaded.inputs):
            raise TypeError(f"{method} takes {len(loaded.inputs)} inputs, {loaded.inputs}. Received {len(args)}.")
        states = [self._value(name) for name in loaded.states]
        trained = frozenset([name for name, value in zip(loaded.states, states, strict=True)
                             if isinstance(value, EagerParameter) or not value.stop_gradient])
        if not state.trace.computes:
            results: list[Any] = self._inlined(loaded, args, states, trained)
        else:
            tensors = [*(value if isinstance(value, EagerValue) else to_tensor(value) for value in args), *states]
            results = list(loaded.function(self.training, trained, tensors)(tensors))
        return results[0] if len(results) == 1 else results

    def _inlined(self, loaded: LoadedMethod, args: tuple[Any, ...], states: list[EagerValue],
                 trained: frozenset[str]) -> list[Variable]:
        trace = state.trace
        values = [trace.lift(value, "an input of a TranslatedLayer") for value in (*args, *states)]
        program = loaded.program(self.training, trained, values)
        results = inline(program, trace.block, dict(zip([*loaded.inputs, *loaded.states], values, strict=True)),
                         loaded.outputs)
        for result in results if not state.grad_enabled else ():
            result.stop_gradient = True
        return results

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

    def export(self) -> dict[str, tuple[Program, dict[str, EagerValue]]]:
        """The Programs by method, each with its persistables."""
        return {method: (loaded.saved, {name: self._value(name) for name in loaded.states})
                for method, loaded in self._methods.items()}


def load_translated(path: str, model_filename: str | None, params_filename: str | None,
                    memory_limit_mb: int | None = None, loop_limit: int | None = None) -> TranslatedLayer:
    """The model whose files begin with `path`, and what a run of it may take."""
    is_older = os.path.isfile(os.path.join(path, OLDER_MODEL)) and not os.path.exists(program_file(path))
    if (model_filename or params_filename) and os.path.isfile(program_file(path)):
        warnings.warn(f"jit.load: {path!r} is a prefix of files: model_filename and params_filename, which name files "
                      "in a folder, are passed over.", stacklevel=3)
        model_filename = params_filename = None
    if model_filename or params_filename or is_older:
        files = {"forward": older_files(path, model_filename, params_filename)}
        info_path = os.path.join(path, (params_filename or "") + ".info")
    else:
        files, info_path = method_files(path), path + INFO_SUFFIX
    programs = {method: read_program(model, memory_limit_mb, loop_limit) for method, (model, _) in files.items()}
    arrays: dict[str, Any] = {}
    for method, program in programs.items():
        arrays.update(read_parameters(files[method][1], program))
    info = read_params_info(info_path) if os.path.exists(info_path) else {}
    loaded = LoadedValues(programs.values(), info)
    values: dict[str, EagerValue] = {
        name: loaded.value(name, as_place(arrays[name], expected_place())) for name in loaded.in_order(arrays)}
    names = {name: loaded.names(name) for name in arrays}
    return TranslatedLayer({method: LoadedMethod(p) for method, p in programs.items()}, values, names)


def method_files(path: str) -> dict[str, tuple[str, str]]:
    """The model and parameter files of each saved method."""
    model = program_file(path)
    if not os.path.exists(model):
        raise MissingFileError(
            f"There is no file {path + MODEL_SUFFIX!r}. Give the prefix that was given to jit.save, without a suffix."
        )
    suffix = os.path.splitext(model)[1]
    files = {"forward": (model, path + PARAMS_SUFFIX)}
    for found in sorted(glob.glob(glob.escape(path) + ".*" + suffix)):
        method = found[len(path) + 1: -len(suffix)]
        if method.isidentifier():
            files[method] = (found, f"{path}.{method}{PARAMS_SUFFIX}")
    return files
