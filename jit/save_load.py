"""`jit.save` and `jit.load`: a function or Layer as files, and back as a TranslatedLayer.

`forward` goes to PREFIX.pdmodel and PREFIX.pdiparams, another decorated method `m` to PREFIX.m.pdmodel and
PREFIX.m.pdiparams; PREFIX.pdiparams.info says of every parameter what it is called in the Layer.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from ..core.files import atomic_group
from ..dygraph.tensor import Tensor
from ..nn import Layer
from ..static.format.params_info import dump_params_info
from ..static.input_spec import InputSpec
from ..static.io import INFO_SUFFIX, add_model
from ..static.program import Program
from ..static.transform import for_inference
from .errors import ConversionError, place_of
from .parameter_info import StructuredNames
from .static_function import ConcreteProgram, StaticFunction
from .translated_layer import TranslatedLayer, load_translated

_CONFIGS = ("output_spec", "with_hook", "combine_params", "clip_extra", "skip_forward")


def save(layer: Any, path: str, input_spec: Sequence[Any] | None = None, **configs: Any) -> None:
    """Writes a Layer or function as a model: its Program and its parameters.

    `layer`: a Layer, whose decorated methods are saved (an undecorated `forward` needs `input_spec`), or a function.
    `path`: the files' common prefix; the folder is made. `input_spec`: InputSpecs or example Tensors of the arguments.
    `output_spec=`: the outputs to keep, all by default. What is saved behaves as in evaluation, and fine-tuning it
    brings dropout and batch statistics back. All files are written, or none.

    >>> import tempfile, proa as paddle
    >>> prefix = tempfile.mkdtemp() + "/linear"
    >>> paddle.jit.save(paddle.nn.Linear(2, 3), prefix, input_spec=[paddle.static.InputSpec([None, 2])])
    >>> paddle.jit.load(prefix)(paddle.ones([1, 2])).shape
    [1, 3]
    """
    unknown = sorted(set(configs) - set(_CONFIGS))
    if unknown:
        raise ValueError(f"jit.save: unknown options {unknown}. Known: {', '.join(_CONFIGS)}.")
    path = os.fspath(path)
    if not os.path.basename(path):
        raise ValueError(f"jit.save(path): a path ends in the files' common name, FOLDER/NAME. Received {path!r}.")
    if isinstance(layer, TranslatedLayer):
        models = layer.export()
    elif isinstance(layer, Layer):
        models = _layer_models(layer, input_spec, configs.get("output_spec"))
    elif callable(layer):
        models = {"forward": _model(_static(layer, None), input_spec, configs.get("output_spec"))}
    else:
        raise TypeError(f"jit.save(layer): must be a Layer or a function. Received {type(layer).__name__}.")
    _write(path, models, StructuredNames(layer if isinstance(layer, Layer) else None))


def _write(path: str, models: dict[str, tuple[Program, dict[str, Tensor]]], names: StructuredNames) -> None:
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


def _static(function: Callable, instance: Any) -> StaticFunction:
    if isinstance(function, StaticFunction):
        return function
    owner = instance or getattr(function, "__self__", None)
    return StaticFunction(getattr(function, "__func__", function), None, owner)


def _layer_models(layer: Layer, input_spec: Any, output_spec: Any) -> dict[str, tuple[Program, dict[str, Tensor]]]:
    methods = {name: value for name in dir(type(layer))
               if isinstance(getattr(type(layer), name, None), StaticFunction)
               and isinstance(value := getattr(layer, name), StaticFunction)}
    if methods and "forward" not in methods and not isinstance(layer.forward, StaticFunction):
        raise ValueError(
            f"jit.save: {sorted(methods)} are decorated with to_static but forward is not. Decorate forward too."
        )
    methods.pop("forward", None)
    if methods and input_spec is not None:
        raise ValueError(
            f"jit.save(input_spec): must be None when methods beside forward are saved ({sorted(methods)}); give each "
            f"method its own: @to_static(input_spec=[...])."
        )
    training = [sub for sub in layer.sublayers(include_self=True) if sub.training]
    layer.eval()
    try:
        models = {"forward": _model(_static(layer.forward, layer), input_spec, output_spec)}
        models.update({name: _model(function, None, None) for name, function in methods.items()})
    finally:
        for sub in training:
            sub.training = True
    return models


def _model(function: StaticFunction, input_spec: Any, output_spec: Any) -> tuple[Program, dict[str, Tensor]]:
    """The pruned Program of a function, and its persistables by name."""
    concrete = _concrete(function, input_spec)
    _check_steady(function, concrete)
    outputs = [v.name for v in concrete.outputs]
    if output_spec is not None:
        wanted = [getattr(spec, "name", spec) for spec in output_spec]
        missing = [name for name in wanted if name not in outputs]
        if missing:
            raise ValueError(f"jit.save(output_spec): there is no output {missing}. The outputs: {outputs}.")
        outputs = wanted
    if not outputs:
        raise ValueError("jit.save: the function returns no tensor.")
    program = for_inference(concrete.main_program, [v.name for v in concrete.inputs], outputs)
    block = program.global_block()
    return program, {name: t for name, t in concrete.captured.items() if block.has_var(name)}


def _check_steady(function: StaticFunction, concrete: ConcreteProgram) -> None:
    """ConversionError for a function that would be another Program in its next call: a file holds one."""
    names = concrete.depends_on_itself
    if names:
        raise ConversionError(
            place_of(function._function), f"what it computes depends on the value of {', '.join(map(repr, names))}, "
            "which Python looks at and the function changes: a file would have the value of now for ever.",
            "Compute with a tensor in a buffer instead of with a Python number, or decide it outside of the function.")


def _concrete(function: StaticFunction, input_spec: Any) -> ConcreteProgram:
    if input_spec is not None:
        given = StaticFunction(function._function, _specs(input_spec), function.instance)
        return given.program_of(given.function_spec.specs(None))
    if function._input_spec is None and not function.program_cache and function.function_spec.signature.parameters:
        raise ValueError(
            f"jit.save: input_spec is needed for {function.function_spec.name}, which has not been called yet. Pass "
            f"input_spec=[paddle.static.InputSpec(shape=[None, ...], dtype='float32')] or example tensors."
        )
    if function._input_spec is None and function.program_cache:
        last = list(function.program_cache.values())[-1]
        if all(isinstance(s, InputSpec) for s in last.specs):
            again = StaticFunction(function._function, last.specs, function.instance)
            try:
                return again.program_of(again.function_spec.specs(None))
            except ValueError:
                return last
    return function.concrete_program


def _specs(input_spec: Any) -> list[Any]:
    if not isinstance(input_spec, (list, tuple)):
        raise TypeError(f"jit.save(input_spec): must be a list or tuple. Received {type(input_spec).__name__}.")
    return list(input_spec)


def load(path: str, **configs: Any) -> TranslatedLayer:
    """Reads what `jit.save` or `static.save_inference_model` wrote, here or in PaddlePaddle, as a TranslatedLayer.

    `path`: the files' common prefix. `model_filename=`, `params_filename=`: other names in the folder `path`.
    Parameters get names of their own, so that a model can be loaded twice. Raises FileNotFoundError and
    CorruptFileError, naming the file; NotImplementedError, when run, for an operator that is not known here.
    """
    return load_translated(os.fspath(path), configs.get("model_filename"), configs.get("params_filename"))



