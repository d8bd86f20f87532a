"""`jit.save` and `jit.load`: a function or Layer as files, and back as a TranslatedLayer.

`forward` goes to PREFIX.pdmodel and PREFIX.pdiparams, another decorated method `m` to PREFIX.m.pdmodel and
PREFIX.m.pdiparams; PREFIX.pdiparams.info says of every parameter what it is called in the Layer.
"""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from inspect import getattr_static
from typing import Any

import numpy as np

from ...core import nest
from ...core.files import atomic_group
from ...dygraph.value import EagerValue
from ...nn import Layer
from ...static.files.inference_model import add_model
from ...static.files.model_files import INFO_SUFFIX
from ...static.format.params_info import dump_params_info
from ...static.ir.input_spec import InputSpec
from ...static.ir.operation import Operation
from ...static.ir.program import Program
from ...static.ir.transform import for_inference, in_training
from ...static.ir.variable import Variable
from ..errors import ConversionError, line_of
from ..static_function import ConcreteProgram, HookedFunction, StaticFunction
from ..tracing.function_inputs import FunctionInputs
from ..translated_layer import TranslatedLayer, load_translated
from .parameter_info import StructuredNames
from .save_hooks import call_save_hooks

_EXAMPLES = (EagerValue, np.ndarray)
_CONFIGS = ("output_spec", "with_hook", "combine_params", "clip_extra", "skip_forward", "input_names_after_prune",
            "skip_prune_program")
_LOAD_CONFIGS = ("model_filename", "params_filename", "memory_limit_mb", "loop_limit")
_Models = dict[str, tuple[Program, dict[str, EagerValue]]]


def save(layer: Any, path: str, input_spec: Sequence[Any] | None = None, **configs: Any) -> None:
    """Writes a Layer or function as a model: its Program and its parameters.

    `layer`: a Layer, whose decorated methods are saved, its own hooks included, or a function or method.
    `path`: the files' common prefix; the folder is made. `input_spec`: InputSpecs or example Tensors of the arguments,
    nested as these are, and plain values of others. Without it, what `to_static` was given, or what the last call of
    the converted function was given; ValueError where there was none. What is loaded takes the tensors one by one, in
    the order of the arguments, of keys in dicts; values that are no tensors are part of the Program. Of a function
    with an `input_spec` of its own, fewer specs choose inputs by name. `output_spec=`: the outputs to keep, all by
    default: names, or Tensors that a call returned. `skip_forward=True`: the decorated methods alone. What is saved
    behaves as in evaluation, and fine-tuning it brings dropout and batch statistics back. All files are written, or
    none. `combine_params=True` concerns layers of which several methods are saved, and is a ValueError for these: each
    method's file holds the parameters that it needs. `with_hook`, `clip_extra` and `skip_prune_program` change nothing.

    >>> import tempfile, proa as paddle
    >>> prefix = tempfile.mkdtemp() + "/linear"
    >>> paddle.jit.save(paddle.nn.Linear(2, 3), prefix, input_spec=[paddle.static.InputSpec([None, 2])])
    >>> paddle.jit.load(prefix)(paddle.ones([1, 2])).shape
    [1, 3]
    """
    call_save_hooks(layer, input_spec, configs)
    unknown = sorted(set(configs) - set(_CONFIGS))
    if unknown:
        raise ValueError(f"jit.save: unknown options {unknown}. Known: {', '.join(_CONFIGS)}.")
    path = os.fspath(path)
    if not os.path.basename(path):
        raise ValueError(f"jit.save(path): a path ends in the files' common name, FOLDER/NAME. Received {path!r}.")
    owner = layer if isinstance(layer, Layer) else None
    if isinstance(layer, TranslatedLayer):
        models = layer.export()
    elif isinstance(layer, Layer):
        with _evaluating(layer):
            models = _layer_models(layer, input_spec, configs)
    elif callable(layer):
        function = _static(layer)
        owner = function.instance if isinstance(function.instance, Layer) else None
        with _evaluating(owner):
            models = {"forward": _model(function, input_spec, configs)}
    else:
        raise TypeError(f"jit.save(layer): must be a Layer or a function. Received {type(layer).__name__}.")
    if configs.get("combine_params") and len(models) > 1:
        raise ValueError(
            f"jit.save(combine_params=True): one file of parameters for several methods ({', '.join(sorted(models))}) "
            "is not written here: the file beside each method's Program holds the parameters that it needs, and "
            "jit.load gives all methods the same Tensors. Leave combine_params out.")
    _write(path, models, StructuredNames(owner))


@contextlib.contextmanager
def _evaluating(layer: Layer | None) -> Iterator[None]:
    """Within the block a layer is in evaluation mode."""
    training = [sub for sub in layer.sublayers(include_self=True) if sub.training] if layer is not None else []
    for sub in training:
        sub.training = False
    try:
        yield
    finally:
        for sub in training:
            sub.training = True


def _write(path: str, models: _Models, names: StructuredNames) -> None:
    used = {name: value for _, values in models.values() for name, value in values.items()}
    with atomic_group() as group:
        for method, (program, values) in models.items():
            add_model(group, method_prefix(path, method), program, {k: v._array for k, v in values.items()})
        if used:
            with group.open(path + INFO_SUFFIX) as file:
                file.write(dump_params_info(names.entries(used)))


def method_prefix(path: str, method: str) -> str:
    """The prefix of the files of one method."""
    return path if method == "forward" else f"{path}.{method}"


def _static(function: Callable[..., Any]) -> StaticFunction:
    if isinstance(function, StaticFunction):
        return function
    return StaticFunction(getattr(function, "__func__", function), None, getattr(function, "__self__", None))


def _layer_models(layer: Layer, input_spec: Any, configs: dict[str, Any]) -> _Models:
    methods = _decorated_methods(layer)
    forward = methods.pop("forward", None)
    if forward is None and methods and not configs.get("skip_forward"):
        raise ValueError(f"jit.save: {sorted(methods)} are decorated with to_static but forward is not. Decorate "
                         "forward too, or leave it out with skip_forward=True.")
    if methods and input_spec is not None:
        raise ValueError(
            f"jit.save(input_spec): must be None when methods beside forward are saved ({sorted(methods)}); give each "
            f"method its own: @to_static(input_spec=[...])."
        )
    models = {name: _model(function, None, {}) for name, function in methods.items()}
    if forward is not None or not configs.get("skip_forward"):
        models = {"forward": _model(_hooked(_static(layer.forward), layer), input_spec, configs), **models}
    return models


def _decorated_methods(layer: Layer) -> dict[str, StaticFunction]:
    """The StaticFunctions of a layer, of its class or set on it; a function of another object is none of them."""
    names = [name for name in dir(layer) if isinstance(getattr_static(type(layer), name, None), StaticFunction)
             or isinstance(layer.__dict__.get(name), StaticFunction) and not name.startswith("_static_")]
    found = {name: getattr(layer, name) for name in names}
    return {name: value for name, value in found.items() if isinstance(value, StaticFunction) and not value.is_property}


def _hooked(forward: StaticFunction, layer: Layer) -> StaticFunction:
    """The `forward` of a layer, between the hooks that it has."""
    if not layer._forward_pre_hooks and not layer._forward_post_hooks:
        return forward
    made = HookedFunction(forward._function, forward._input_spec, layer, True)
    made.unhooked = forward
    made.last_call = forward.last_call
    return made


def _model(function: StaticFunction, input_spec: Any, configs: dict[str, Any]) -> tuple[Program, dict[str, EagerValue]]:
    """The pruned Program of a function, and its persistables by name."""
    concrete = function.program_of(_arguments(function, input_spec))
    _check_steady(function, concrete)
    inputs = _kept_inputs(function, [v.name for v in concrete.inputs], input_spec, configs)
    flags = {flag.name for flag in concrete.flags}
    outputs = [v.name for v in concrete.outputs if v.name not in flags]
    if flags:
        _warn_of_nones(function)
    if configs.get("output_spec") is not None:
        outputs = _chosen_outputs(function, outputs, configs["output_spec"])
    if not outputs:
        raise ValueError("jit.save: the function returns no tensor.")
    state = {name: after for _, name, after in concrete.changed_state[::-1] if after is not None}
    if len(inputs) < len(concrete.inputs):
        state = {}  # it may depend on the inputs that are left out
    program = for_inference(concrete.main_program, inputs, outputs, state)
    block = program.global_block()
    for name in inputs:
        block.var(name).is_data = False  # an Executor takes any sizes, as of PaddlePaddle's files
    values = {name: t for name, t in concrete.state_now.items() if block.has_var(name)}
    _warn_of_frozen_state(function, [shown for shown, name, after in concrete.changed_state
                                     if name in values and (after is None or name not in state)])
    _warn_of_first_call(function, concrete.first_values_read)
    if isinstance(function.instance, Layer):
        _warn_of_training(function, in_training(concrete.main_program, program))
    return program, values


def _warn_of_nones(function: StaticFunction) -> None:
    """What the function returns is None in some runs, and a file gives tensors."""
    warnings.warn(
        f"{line_of(function._function)}: jit.save: something that the function returns is None in some runs, as a "
        "tensor decides. A file gives tensors: where the function gives None, it gives one that says nothing. Return a "
        "tensor in every case, and beside it whether it counts.", stacklevel=5)


def _warn_of_first_call(function: StaticFunction, names: list[str]) -> None:
    """What is no tensor yet, was looked at, and is one from the first call on."""
    if names:
        shown = ", ".join(map(repr, names))
        warnings.warn(
            f"{line_of(function._function)}: jit.save: {shown} holds no tensors yet, which decides what is computed, "
            "and does from the first call on. The file has what a first call does, and does that in every run. Call "
            "the layer once before it is saved, so that the file has what later calls do, or begin with a buffer.",
            stacklevel=5)


def _warn_of_training(function: StaticFunction, operations: list[Operation]) -> None:
    """What the layer does as in training although it is in evaluation mode."""
    if operations:
        shown = ", ".join(dict.fromkeys(f"{op.type} ({op.source})" for op in operations))
        warnings.warn(
            f"{line_of(function._function)}: jit.save: in evaluation mode too the layer computes as in training: "
            f"{shown}. A file is for evaluation, as PaddlePaddle's: there dropout does nothing, and a batch norm takes "
            "its running statistics. Give these functions training=self.training.", stacklevel=5)


def _warn_of_frozen_state(function: StaticFunction, names: list[str]) -> None:
    """What each call changes, and the outputs depend on, but a run of the file cannot change."""
    if names:
        warnings.warn(
            f"{line_of(function._function)}: jit.save: each call changes {', '.join(map(repr, names))}, which the "
            "outputs depend on. A run of the file cannot: in each this state is what it is now. Keep it in a buffer "
            "that keeps its shape and dtype, or give it as an input and return it.", stacklevel=5)


def _chosen_outputs(function: StaticFunction, outputs: list[str], specs: Sequence[Any]) -> list[str]:
    """The outputs that `output_spec` names, or that it gives as Tensors which a call of the function returned."""
    positions = [function.position_of(spec) if isinstance(spec, EagerValue) else None for spec in specs]
    wanted = [getattr(spec, "name", spec) if position is None or position >= len(outputs) else outputs[position]
              for spec, position in zip(specs, positions, strict=True)]
    missing = [name for name in wanted if name not in outputs]
    if missing and len(wanted) == len(outputs):
        warnings.warn(f"jit.save(output_spec): there is no output {missing}, and as many are named as there are: all "
                      f"are saved, {outputs}.", stacklevel=5)
        return outputs
    if missing:
        raise ValueError(f"jit.save(output_spec): there is no output {missing}. The outputs: {outputs}; a Tensor must "
                         "be what a call of the converted function returned, and with gradients.")
    return wanted


def _kept_inputs(function: StaticFunction, inputs: list[str], input_spec: Any, configs: dict[str, Any]) -> list[str]:
    """The inputs that a file has: all of them, or those that are named where fewer are given than there are."""
    wanted = configs.get("input_names_after_prune")
    if wanted is None and function._input_spec is not None and input_spec is not None:
        wanted = [spec.name for spec in _given(input_spec)]
        wanted = wanted if len(wanted) < len(inputs) else None
    if wanted is None:
        return inputs
    wanted = [_names_of_examples(inputs, input_spec).get(name, name) for name in wanted]
    missing = [name for name in wanted if name not in inputs]
    if missing:
        raise ValueError(f"jit.save: there is no input {missing}. The inputs: {inputs}.")
    return [name for name in inputs if name in wanted]


def _names_of_examples(inputs: list[str], input_spec: Any) -> dict[str, str]:
    """What the inputs are called in the Program, by the names of the Tensors that were given as their examples."""
    given = [leaf for leaf in nest.leaves(input_spec or []) if isinstance(leaf, (InputSpec, *_EXAMPLES))]
    if len(given) != len(inputs):
        return {}
    return {leaf.name: name for leaf, name in zip(given, inputs, strict=True) if isinstance(leaf, EagerValue)}


def _check_steady(function: StaticFunction, concrete: ConcreteProgram) -> None:
    """ConversionError for a function that would be another Program in its next call: a file holds one."""
    names = concrete.depends_on_itself
    if names:
        raise ConversionError(
            line_of(function._function), f"what it computes depends on the value of {', '.join(map(repr, names))}, "
            "which Python looks at and the function changes: a file would have the value of now for ever.",
            "Compute with a tensor in a buffer instead of with a Python number, or decide it outside of the function.")


def _arguments(function: StaticFunction, input_spec: Any) -> dict[str, Any]:
    """The arguments that a function is traced with: by `input_spec`, by its own, or those of its last call."""
    if input_spec is not None and not _agree(function, input_spec):
        return FunctionInputs(function._function, _specs(input_spec), function.instance is not None).specs(None)
    if function._input_spec is not None:
        return function.function_spec.specs(None)
    if function.last_call is not None:
        return function.last_call
    if function.function_spec.signature.parameters:
        raise ValueError(
            f"input_spec is needed for {function.function_spec.name}, which has not been called yet. Pass "
            f"input_spec=[paddle.static.InputSpec(shape=[None, ...], dtype='float32')] or example tensors."
        )
    return {}


def _agree(function: StaticFunction, input_spec: Any) -> bool:
    """Whether specs are some, or special cases, of those that a function was decorated with: these count then."""
    if function._input_spec is None:
        return False
    own = [spec for spec in nest.leaves(list(function.function_spec.specs(None).values()))
           if isinstance(spec, InputSpec)]
    given = _given(input_spec)
    if len(given) < len(own):
        return {spec.name for spec in given} <= {spec.name for spec in own}
    return len(given) == len(own) and all(map(_fits, given, own))


def _given(input_spec: Any) -> list[InputSpec]:
    """What `jit.save` is given of inputs: specs, and those of example Tensors and arrays."""
    return [InputSpec(list(leaf.shape), leaf.dtype, getattr(leaf, "name", None)) if isinstance(leaf, _EXAMPLES)
            else leaf for leaf in nest.leaves(_specs(input_spec)) if isinstance(leaf, (InputSpec, *_EXAMPLES))]


def _fits(special: InputSpec, general: InputSpec) -> bool:
    return special.dtype is general.dtype and len(special.shape) == len(general.shape) and all(
        b in (-1, a) for a, b in zip(special.shape, general.shape, strict=True))


def _specs(input_spec: Any) -> list[Any]:
    if not isinstance(input_spec, (list, tuple)):
        raise TypeError(f"jit.save(input_spec): must be a list or tuple. Received {type(input_spec).__name__}.")
    return nest.map_structure(
        lambda leaf: InputSpec(list(leaf.shape), leaf.dtype, leaf.name) if isinstance(leaf, Variable) else leaf,
        list(input_spec))


def load(path: str, **configs: Any) -> TranslatedLayer:
    """Reads what `jit.save` or `static.save_inference_model` wrote, here or in PaddlePaddle, as a TranslatedLayer.

    `path`: the files' common prefix. `model_filename=`, `params_filename=`: other names in the folder `path`;
    beside files that begin with `path` they are passed over, with a warning.
    Parameters get names of their own, so that a model can be loaded twice.

    A file from a stranger may hold a loop without an end, or make values without bound. `memory_limit_mb=`: how many
    megabytes the values of one run may take at a time; `loop_limit=`: how many rounds all loops of one run may take
    together. A run that needs more ends with LimitError, a RuntimeError that names the operator. Without them
    FLAGS_loaded_memory_limit_mb and FLAGS_loaded_loop_limit count, which are 0 at first: no limit. Raises
    FileNotFoundError (a ValueError too) and CorruptFileError, naming the file; NotImplementedError, when run, for an
    operator that is not known here.

    >>> import proa as paddle
    >>> import tempfile
    >>> prefix = tempfile.mkdtemp() + "/net"
    >>> net = paddle.nn.Linear(2, 1)
    >>> paddle.jit.save(net, prefix, input_spec=[paddle.static.InputSpec([None, 2])])
    >>> loaded = paddle.jit.load(prefix)
    >>> bool(paddle.allclose(loaded(paddle.ones([3, 2])), net(paddle.ones([3, 2]))))
    True
    """
    unknown = sorted(set(configs) - set(_LOAD_CONFIGS))
    if unknown:
        raise ValueError(f"jit.load: unknown options {unknown}. Known: {', '.join(_LOAD_CONFIGS)}.")
    return load_translated(os.fspath(path), *(configs.get(name) for name in _LOAD_CONFIGS))
